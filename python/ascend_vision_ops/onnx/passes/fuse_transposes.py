# SPDX-License-Identifier: Apache-2.0
"""Leaves out a Reshape that splits axes, where the Transpose behind it moves all parts of an axis together."""

from __future__ import annotations

import numpy as np
import onnx_ir as ir

from ascend_vision_ops.onnx.passes._base import NodePass, Refused, register
from ascend_vision_ops.onnx.passes._convs import only_user
from ascend_vision_ops.onnx.passes._shapes import Element, dims_of
from ascend_vision_ops.onnx.passes._values import VIEWS, is_onnx, new_initializer, opset
from ascend_vision_ops.onnx.passes.merge_chains import view_target


@register
class FuseTransposes(NodePass):
    name = "fuse_transposes"
    summary = (
        "Reshape, Transpose and another view become Transpose and Reshape, if Transpose moves all parts of a split "
        "axis together"
    )
    op_types = frozenset({"Transpose"})

    def applies(self, node: ir.Node, model: ir.Model) -> bool:
        first, users = node.inputs[0].producer(), [user for user, _ in node.outputs[0].uses()]
        if opset(model) < 5 or not is_onnx(first, *VIEWS) or first.graph is not node.graph:
            return False
        if len(users) != 1 or not is_onnx(users[0], *VIEWS) or users[0].graph is not node.graph:
            return False
        if _perm(first, node) is None:
            return False
        only_user(first.outputs[0])
        only_user(node.outputs[0])
        if view_target(users[0]) is None:
            raise Refused("two dimensions of the view behind it are open")
        return True

    def transform(self, node: ir.Node, model: ir.Model) -> None:
        first, last = node.inputs[0].producer(), next(user for user, _ in node.outputs[0].uses())
        perm, x, target = _perm(first, node), first.inputs[0], view_target(last)
        node.replace_input_with(0, x)
        node.attributes["perm"] = ir.AttrInt64s("perm", perm)
        node.outputs[0].shape = ir.Shape([x.shape[axis] for axis in perm])
        first.graph.remove(first, safe=True)
        last.op_type = "Reshape"
        last.attributes.clear()
        last.resize_inputs(2)
        shape = new_initializer(last.graph, f"{last.outputs[0].name}_shape", np.array(target, np.int64))
        last.replace_input_with(1, shape)


def _perm(first: ir.Node, node: ir.Node) -> list[int] | None:
    """How Transpose orders the axes of what the view before it takes; None where it moves parts of an axis."""
    before, after = dims_of(first.inputs[0]), dims_of(first.outputs[0])
    if before is None or after is None:
        return None
    groups = _groups(before, after)
    if groups is None:
        return None
    order = node.attributes.get_ints("perm", None) or range(len(after))[::-1]
    moved = [axis for axis in order if after[axis] != 1]
    perm = [axis for axis, dim in enumerate(before) if dim == 1]  # axes of one element may be anywhere
    while moved:
        axis = next(axis for axis, group in groups.items() if moved[0] in group)
        group = groups[axis]
        if moved[: len(group)] != group:
            return None
        perm.append(axis)
        moved = moved[len(group) :]
    return perm


def _groups(before: list[Element], after: list[Element]) -> dict[int, list[int]] | None:
    """For each axis of more than one element the axes into which a view splits it; None where it does other things."""
    groups: dict[int, list[int]] = {}
    rest = [axis for axis, dim in enumerate(after) if dim != 1]
    for axis, dim in enumerate(before):
        if dim == 1:
            continue
        groups[axis] = group = []
        product: Element = 1
        while rest and product != dim:
            part = after[rest[0]]
            if not isinstance(part, int) or not isinstance(dim, int):
                if product != 1 or part != dim:
                    return None
                part = dim
            product = part if product == 1 else product * part
            if isinstance(product, int) and (product == 0 or product > dim):
                return None
            group.append(rest.pop(0))
        if product != dim:
            return None
    return None if rest else groups
