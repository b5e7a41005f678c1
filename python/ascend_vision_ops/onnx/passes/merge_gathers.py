# SPDX-License-Identifier: Apache-2.0
"""Merges Gather of one element with Unsqueeze or Squeeze of its axis, and makes one Split of slices side by side."""

from __future__ import annotations

import numpy as np
import onnx_ir as ir

from ascend_vision_ops.onnx.passes._base import NodePass, Refused, register
from ascend_vision_ops.onnx.passes._convs import only_user
from ascend_vision_ops.onnx.passes._values import (
    axes_of,
    constant,
    input_of,
    is_onnx,
    new_initializer,
    opset,
    supersede,
)


@register
class MergeGathers(NodePass):
    name = "merge_gathers"
    summary = (
        "Gather of one element and Unsqueeze or Squeeze of its axis become one Gather; slices that divide a tensor "
        "become one Split"
    )
    op_types = frozenset({"Unsqueeze", "Squeeze", "Slice"})

    def applies(self, node: ir.Node, model: ir.Model) -> bool:
        if node.op_type == "Slice":
            return _parts(node, model) is not None
        return _gather(node) is not None

    def transform(self, node: ir.Node, model: ir.Model) -> None:
        if node.op_type == "Slice":
            _split(_parts(node, model))
            return
        gather = _gather(node)
        index = constant(gather.inputs[1]).reshape((1,) if node.op_type == "Unsqueeze" else ())
        name = f"{node.outputs[0].name}_index"
        gather.replace_input_with(1, new_initializer(node.graph, name, index))
        gather.outputs[0].shape = node.outputs[0].shape
        supersede(node, gather.outputs[0], rename=True)


def _gather(node: ir.Node) -> ir.Node | None:
    """The Gather before Unsqueeze or Squeeze that takes one element of the axis that the node adds or removes."""
    gather = node.inputs[0].producer()
    if not is_onnx(gather, "Gather") or gather.graph is not node.graph:
        return None
    index, shape, axes = constant(gather.inputs[1]), gather.inputs[0].shape, axes_of(node)
    if index is None or index.shape != (() if node.op_type == "Unsqueeze" else (1,)):
        return None
    if shape is None or not axes:
        raise Refused("its axes are no constants, or the rank before Gather is unknown")
    if [axis % len(shape) for axis in axes] != [gather.attributes.get_int("axis", 0) % len(shape)]:
        return None
    only_user(gather.outputs[0])
    return gather


# --- slices that divide a tensor --------------------------------------------------------------------------------------


def _part(node: ir.Node) -> tuple[int, int, int] | None:
    """The axis, the start and the end of what a Slice takes in one piece along one axis; None for another one."""
    shape = node.inputs[0].shape
    if not is_onnx(node, "Slice") or len(node.inputs) < 3 or shape is None:
        return None
    items = [constant(input_of(node, index)) for index in range(1, 5)]
    if items[0] is None or items[1] is None or items[0].size != 1:
        return None
    if any(item is None and input_of(node, index) is not None for index, item in enumerate(items, 1)):
        return None
    axis = 0 if items[2] is None else int(items[2].item()) % len(shape)
    size = shape[axis]
    step = 1 if items[3] is None else int(items[3].item())
    if not isinstance(size, int) or step < 1:
        return None
    taken = range(*slice(int(items[0].item()), int(items[1].item()), step).indices(size))
    return (axis, taken[0], taken[-1] + 1) if len(taken) == 1 or (taken and step == 1) else None


def _parts(node: ir.Node, model: ir.Model) -> list[ir.Node] | None:
    """The slices, in their order, that together take each element along an axis once; None where there are no such."""
    own = _part(node)
    if own is None or opset(model) < 13:  # before, the sizes of Split are an attribute
        return None
    found: dict[int, tuple[int, ir.Node]] = {}
    for user, index in node.inputs[0].uses():
        part = _part(user) if index == 0 and user.graph is node.graph else None
        if part is not None and part[0] == own[0]:
            found.setdefault(part[1], (part[2], user))
    place, parts = 0, []
    while place in found:
        place, user = found[place]
        parts.append(user)
    whole = place == node.inputs[0].shape[own[0]]
    if not whole or len(parts) < 2 or node not in parts:
        return None
    return parts


def _split(parts: list[ir.Node]) -> None:
    first = next(node for node in parts[0].graph if node in set(parts))
    x, graph = first.inputs[0], first.graph
    places = [_part(node) for node in parts]
    sizes = np.array([end - start for _, start, end in places], np.int64)
    name = f"{first.outputs[0].name}_split"
    split = ir.Node(
        "", "Split", [x, new_initializer(graph, f"{name}_sizes", sizes)], [ir.AttrInt64("axis", places[0][0])],
        num_outputs=len(parts), name=name,
    )  # fmt: skip
    graph.insert_before(first, split)
    for node, value in zip(parts, split.outputs, strict=True):
        old = node.outputs[0]
        value.name, value.type, value.shape = f"{old.name}_part", old.type, old.shape
        supersede(node, value, rename=True)
