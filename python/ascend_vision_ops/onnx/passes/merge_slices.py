# SPDX-License-Identifier: Apache-2.0
"""Replaces two Slices in a row along different axes by one."""

from __future__ import annotations

import numpy as np
import onnx_ir as ir

from ascend_vision_ops.onnx.passes._base import NodePass, register
from ascend_vision_ops.onnx.passes._values import constant, input_of, is_onnx, new_initializer


@register
class MergeSlices(NodePass):
    name = "merge_slices"
    summary = "two Slice in a row along different axes become one Slice"
    op_types = frozenset({"Slice"})

    def applies(self, node: ir.Node, model: ir.Model) -> bool:
        inner = node.inputs[0].producer()
        if not is_onnx(inner, "Slice") or inner.graph is not node.graph or inner.outputs[0].is_graph_output():
            return False
        first = _axes(inner)
        # A user that cannot be merged would keep the inner Slice alive; then merging others gains nothing.
        users = [user for user, _ in inner.outputs[0].uses()]
        return first is not None and all(
            is_onnx(user, "Slice") and _apart(first, _axes(user)) for user in users
        )

    def transform(self, node: ir.Node, model: ir.Model) -> None:
        inner = node.inputs[0].producer()
        parts = [(_parameters(inner)[index], _parameters(node)[index]) for index in range(4)]
        node.resize_inputs(5)
        node.replace_input_with(0, inner.inputs[0])
        for index, (name, pair) in enumerate(zip(("starts", "ends", "axes", "steps"), parts, strict=True), 1):
            value = new_initializer(node.graph, f"{node.outputs[0].name}_{name}", np.concatenate(pair))
            node.replace_input_with(index, value)
        if not inner.outputs[0].uses():
            node.graph.remove(inner, safe=True)


def _parameters(node: ir.Node) -> list[np.ndarray] | None:
    """Starts, ends, axes and steps, equally many; None where they are not constant, or attributes as in old models."""
    starts, ends = constant(input_of(node, 1)), constant(input_of(node, 2))
    if starts is None or ends is None:
        return None
    rest = []
    for index, default in ((3, np.arange(len(starts))), (4, np.ones(len(starts), np.int64))):
        array = default if input_of(node, index) is None else constant(input_of(node, index))
        if array is None:
            return None
        rest.append(array.astype(np.int64))
    return [starts.astype(np.int64), ends.astype(np.int64), *rest]


def _axes(node: ir.Node) -> set[int] | None:
    """The axes of a Slice; None where they are unknown or counted from the end."""
    parameters = _parameters(node)
    axes = None if parameters is None else set(parameters[2].tolist())
    if axes and min(axes) < 0:
        shape = node.inputs[0].shape
        axes = None if shape is None else {axis % len(shape) for axis in axes}
    return axes


def _apart(a: set[int], b: set[int] | None) -> bool:
    return b is not None and not a & b
