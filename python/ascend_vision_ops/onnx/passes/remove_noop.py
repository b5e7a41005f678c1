# SPDX-License-Identifier: Apache-2.0
"""Removes nodes that change nothing because of their attributes and shapes."""

from __future__ import annotations

import numpy as np
import onnx_ir as ir

from ascend_vision_ops.onnx.passes._base import NodePass, register
from ascend_vision_ops.onnx.passes._values import (
    axes_of,
    can_supersede,
    constant,
    input_of,
    is_onnx,
    is_view,
    same_but_one,
    same_shape,
    static_shape,
    supersede,
)

# Reductions that give the element itself where there is one.
ONE_ELEMENT = {"ReduceMean", "ReduceSum", "ReduceMax", "ReduceMin", "ReduceProd"}


@register
class RemoveNoop(NodePass):
    name = "remove_noop"
    summary = (
        "removes casts to the same type, reshapes to the same shape or back to it, + 0, * 1, padding by 0, reductions "
        "of one element, Gather of all elements, Split in one; merges two Transpose"
    )
    op_types = frozenset(
        {
            "Cast",
            "Transpose",
            "Reshape",
            "Flatten",
            "Squeeze",
            "Unsqueeze",
            "Expand",
            "Slice",
            "Pad",
            "Concat",
            "Gather",
        }
        | ONE_ELEMENT
        | {"Sum", "Max", "Min", "Mean", "Add", "Sub", "Mul", "Div", "Pow", "Tile", "Resize", "Split"}
    )

    def applies(self, node: ir.Node, model: ir.Model) -> bool:
        if is_onnx(node, "Transpose") and is_onnx(node.inputs[0].producer(), "Transpose"):
            return _permutation(node) is not None and _permutation(node.inputs[0].producer()) is not None
        source = _source(node)
        return source is not None and can_supersede(node.outputs[0], source)

    def transform(self, node: ir.Node, model: ir.Model) -> None:
        inner = node.inputs[0].producer()
        if is_onnx(node, "Transpose") and is_onnx(inner, "Transpose"):
            first, second = _permutation(inner), _permutation(node)
            node.replace_input_with(0, inner.inputs[0])
            node.attributes["perm"] = ir.AttrInt64s("perm", [first[axis] for axis in second])
            return
        supersede(node, _source(node))


def _permutation(node: ir.Node) -> list[int] | None:
    perm = node.attributes.get_ints("perm", None)
    if perm is None and node.inputs[0].shape is not None:
        perm = range(len(node.inputs[0].shape))[::-1]
    return None if perm is None else list(perm)


def _source(node: ir.Node) -> ir.Value | None:
    """The input that the node passes on unchanged; None where it changes it."""
    x, out = node.inputs[0], node.outputs[0]
    match node.op_type:
        case "Cast":
            same = x.dtype is not None and x.dtype == node.attributes.get_int("to", 0)
        case "Transpose":
            perm = _permutation(node)
            same = perm is not None and perm == sorted(perm)
        case "Reshape" | "Flatten" | "Expand":
            # Elements keep their order, so equal shapes mean equal tensors. One open dimension follows from the others.
            same = same_shape(x, out)
            if not same and node.op_type != "Expand":
                return _back(node)
        case "Squeeze" | "Unsqueeze":
            same = x.shape is not None and out.shape is not None and len(x.shape) == len(out.shape)
            if not same:
                return _back(node)
        case "Split":
            same = len(node.outputs) == 1
        case "Gather":
            index, axis = constant(node.inputs[1]), node.attributes.get_int("axis", 0)
            same = (
                index is not None and index.ndim == 1 and x.shape is not None and x.shape[axis] == len(index)
            )
            same = same and bool(np.all(index % max(len(index), 1) == np.arange(len(index))))
        case "Slice" | "Pad" | "Tile":
            # Equal sizes mean that nothing was cut off or added. A negative step or pad would still move elements.
            same = static_shape(x) is not None and static_shape(x) == static_shape(out)
            same = same and (node.op_type not in ("Slice", "Pad") or _moves_nothing(node))
        case "ReduceMean" | "ReduceSum" | "ReduceMax" | "ReduceMin" | "ReduceProd":
            axes = axes_of(node)
            same = bool(axes) and x.shape is not None and all(x.shape[axis] == 1 for axis in axes)
            same = same and bool(node.attributes.get_int("keepdims", 1))
        case "Concat" | "Sum" | "Max" | "Min" | "Mean":
            same = len(node.inputs) == 1
        case "Resize":
            mode = node.attributes.get_string("coordinate_transformation_mode", "half_pixel")
            same = static_shape(x) is not None and static_shape(x) == static_shape(out)
            same = same and mode != "tf_crop_and_resize"
            scales = constant(input_of(node, 2))
            same = same and (scales is None or bool(np.all(scales == 1)))
        case _:
            return _neutral(node)
    return x if same else None


def _back(node: ir.Node) -> ir.Value | None:
    """What a view before this one took, where this one gives it its shape again."""
    inner = node.inputs[0].producer()
    if not is_view(inner):
        return None
    x, out = inner.inputs[0], node.outputs[0]
    if x.shape is None or out.shape is None or not same_but_one(list(x.shape), list(out.shape)):
        return None
    return x


def _moves_nothing(node: ir.Node) -> bool:
    if node.op_type == "Pad":
        pads = constant(input_of(node, 1))
        pads = node.attributes.get_ints("pads", None) if pads is None else pads
        return pads is not None and not np.any(np.asarray(pads))
    steps = constant(input_of(node, 4))
    return input_of(node, 4) is None or (steps is not None and bool(np.all(steps > 0)))


def _neutral(node: ir.Node) -> ir.Value | None:
    """x of x + 0, 0 + x, x - 0, x * 1, 1 * x, x / 1 and x ** 1, where the constant does not broadcast x."""
    neutral = 0 if node.op_type in ("Add", "Sub") else 1
    places = ((0, 1), (1, 0)) if node.op_type in ("Add", "Mul") else ((0, 1),)
    for kept, other in places:
        x, array = node.inputs[kept], constant(node.inputs[other])
        if array is None or array.size > 1 << 16 or not np.all(array == neutral):
            continue
        rank = None if x.shape is None else len(x.shape)
        if same_shape(x, node.outputs[0]) or (rank is not None and array.size == 1 and array.ndim <= rank):
            return x
    return None
