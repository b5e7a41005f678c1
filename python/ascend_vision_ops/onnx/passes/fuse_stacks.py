# SPDX-License-Identifier: Apache-2.0
"""Joins tensors along an axis of one element that they have, in place of a new axis beside it."""

from __future__ import annotations

import numpy as np
import onnx_ir as ir

from ascend_vision_ops.onnx.passes._base import NodePass, Refused, register
from ascend_vision_ops.onnx.passes._values import axes_of, is_onnx, new_initializer, opset


@register
class FuseStacks(NodePass):
    name = "fuse_stacks"
    summary = (
        "Concat of tensors that each get a new axis, beside an axis of one element: Concat joins the latter, and one "
        "Unsqueeze follows"
    )
    op_types = frozenset({"Concat"})

    def applies(self, node: ir.Node, model: ir.Model) -> bool:
        if opset(model) < 13:  # before, the axes of Unsqueeze are an attribute
            return False
        return len(node.inputs) > 1 and _place(node) is not None

    def transform(self, node: ir.Node, model: ir.Model) -> None:
        old, new = _place(node)
        inner = [value.producer() for value in node.inputs]
        for index, unsqueeze in enumerate(inner):
            node.replace_input_with(index, unsqueeze.inputs[0])
            unsqueeze.graph.remove(unsqueeze, safe=True)
        node.attributes["axis"] = ir.AttrInt64("axis", old)
        result = node.outputs[0]
        axes = new_initializer(node.graph, f"{result.name}_axes", np.array([new], np.int64))
        unsqueeze = ir.Node("", "Unsqueeze", [result, axes], name=f"{result.name}_stacked")
        made = unsqueeze.outputs[0]
        made.type, made.shape, name = result.type, result.shape, result.name
        node.graph.insert_after(node, unsqueeze)
        ir.convenience.replace_all_uses_with(result, made, replace_graph_outputs=True)
        unsqueeze.replace_input_with(0, result)
        result.name, made.name = f"{name}_joined", name
        result.shape = (
            None if made.shape is None else ir.Shape([d for i, d in enumerate(made.shape) if i != new])
        )


def _place(node: ir.Node) -> tuple[int, int] | None:
    """The axis along which the tensors can be joined, and where the new axis is then; None where there is no such."""
    rank, new = None, None
    for value in node.inputs:
        inner = value.producer()
        if not is_onnx(inner, "Unsqueeze") or inner.graph is not node.graph:
            return None
        axes, x = axes_of(inner), inner.inputs[0]
        if len(axes) != 1 or x.shape is None or (rank is not None and len(x.shape) != rank):
            return None
        rank = len(x.shape)
        if axes[0] % (rank + 1) != node.attributes.get_int("axis", 0) % (rank + 1):
            return None
        new = axes[0] % (rank + 1)
    shapes = [value.producer().inputs[0].shape for value in node.inputs]
    found = next(
        (
            (axis, axis if axis < new else axis + 1)
            for axis in (new - 1, new)
            if 0 <= axis < rank and all(shape[axis] == 1 for shape in shapes)
        ),
        None,
    )
    if found is None:
        return None
    for value in node.inputs:
        if value.is_graph_output() or len(value.uses()) > 1:
            raise Refused(f"{value.name!r} is used elsewhere, too")
    return found
