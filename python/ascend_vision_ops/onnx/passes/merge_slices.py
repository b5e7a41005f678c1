# SPDX-License-Identifier: Apache-2.0
"""Replaces two Slices in a row by one: along different axes, or along the same one without steps."""

from __future__ import annotations

import numpy as np
import onnx_ir as ir

from ascend_vision_ops.onnx.passes._base import NodePass, register
from ascend_vision_ops.onnx.passes._values import constant, input_of, is_onnx, new_initializer

# What a Slice takes along each axis: start, end, step.
Ranges = dict[int, tuple[int, int, int]]
LARGEST = np.iinfo(np.int64).max


@register
class MergeSlices(NodePass):
    name = "merge_slices"
    summary = "two Slice in a row become one, along different axes, or along the same one with step 1"
    op_types = frozenset({"Slice"})

    def applies(self, node: ir.Node, model: ir.Model) -> bool:
        inner = node.inputs[0].producer()
        if not is_onnx(inner, "Slice") or inner.graph is not node.graph or inner.outputs[0].is_graph_output():
            return False
        # A user that cannot be merged would keep the inner Slice alive; then merging others gains nothing.
        users = [user for user, _ in inner.outputs[0].uses()]
        return all(is_onnx(user, "Slice") and _merged(inner, user) is not None for user in users)

    def transform(self, node: ir.Node, model: ir.Model) -> None:
        inner = node.inputs[0].producer()
        ranges = _merged(inner, node)
        starts, ends, steps = zip(*ranges.values(), strict=True)
        node.resize_inputs(5)
        node.replace_input_with(0, inner.inputs[0])
        parts = {"starts": starts, "ends": ends, "axes": list(ranges), "steps": steps}
        for index, (name, part) in enumerate(parts.items(), 1):
            value = new_initializer(node.graph, f"{node.outputs[0].name}_{name}", np.array(part, np.int64))
            node.replace_input_with(index, value)
        if not inner.outputs[0].uses():
            node.graph.remove(inner, safe=True)


def _ranges(node: ir.Node) -> Ranges | None:
    """None where they are not constant, attributes as in old models, or along axes that are not known."""
    starts, ends = constant(input_of(node, 1)), constant(input_of(node, 2))
    if starts is None or ends is None:
        return None
    rest = []
    for index, default in ((3, np.arange(len(starts))), (4, np.ones(len(starts), np.int64))):
        array = default if input_of(node, index) is None else constant(input_of(node, index))
        if array is None:
            return None
        rest.append(array.tolist())
    axes, steps = rest
    if axes and min(axes) < 0:
        shape = node.inputs[0].shape
        if shape is None:
            return None
        axes = [axis % len(shape) for axis in axes]
    return dict(zip(axes, zip(starts.tolist(), ends.tolist(), steps, strict=True), strict=True))


def _merged(inner: ir.Node, outer: ir.Node) -> Ranges | None:
    """What both take together; None where one Slice cannot take that, or it is not known."""
    first, second = _ranges(inner), _ranges(outer)
    if not first or second is None:
        return None
    ranges = first | second
    for axis in first.keys() & second.keys():
        (start, end, step), (from_start, to_end, second_step) = first[axis], second[axis]
        # Negative numbers count from an end that may be open.
        if (step, second_step) != (1, 1) or min(start, end, from_start, to_end) < 0:
            return None
        ranges[axis] = min(start + from_start, LARGEST), min(end, start + to_end, LARGEST), 1
    return ranges
