# SPDX-License-Identifier: Apache-2.0
"""Replaces two nodes in a row by one node that does the work of both."""

from __future__ import annotations

import numpy as np
import onnx_ir as ir

from ascend_vision_ops.onnx.passes._base import NodePass, Refused, register
from ascend_vision_ops.onnx.passes._convs import only_user
from ascend_vision_ops.onnx.passes._values import (
    VIEWS,
    constant,
    input_of,
    is_onnx,
    is_view,
    new_initializer,
    numpy_dtype,
    opset,
)

CLAMPS = {"Relu", "Clip"}


@register
class MergeChains(NodePass):
    name = "merge_chains"
    summary = (
        "two nodes in a row become one: Reshape, Flatten, Squeeze, Unsqueeze, Transpose and Gather that keep the "
        "order; Relu, Clip; Concat; Cast; Pad"
    )
    op_types = frozenset(VIEWS | CLAMPS | {"Concat", "Cast", "Pad", "Transpose", "Gather"})

    def applies(self, node: ir.Node, model: ir.Model) -> bool:
        if node.op_type == "Concat":
            return any(_joined(node, value) for value in node.inputs)
        inner = node.inputs[0].producer() if node.inputs[0] is not None else None
        rule = _rule(inner, node)
        if rule is None or inner.graph is not node.graph:
            return False
        if not is_view(node):
            only_user(inner.outputs[0])
            return rule(inner, node, model)
        if inner.outputs[0].is_graph_output():
            raise Refused(f"{inner.outputs[0].name!r} is an output of the graph")
        users = [user for user, _ in inner.outputs[0].uses()]
        if any(not is_view(user) or user.graph is not node.graph for user in users):
            raise Refused(f"{inner.outputs[0].name!r} has users that are no views")
        return all(rule(inner, user, model) for user in users)

    def transform(self, node: ir.Node, model: ir.Model) -> None:
        if node.op_type == "Concat":
            _join(node)
            return
        inner = node.inputs[0].producer()
        CHANGES[_kind(node)](inner, node)
        node.replace_input_with(0, inner.inputs[0])
        if not inner.outputs[0].uses():
            node.graph.remove(inner, safe=True)


def _kind(node: ir.Node) -> str:
    return "view" if is_view(node) else "clamp" if node.op_type in CLAMPS else node.op_type


def _rule(inner: ir.Node | None, node: ir.Node):
    """The test whether two nodes become one; None for nodes of which no test is needed."""
    if inner is None or inner.domain != "" or inner.op_type not in MergeChains.op_types:
        return None
    return RULES.get(_kind(node)) if _kind(inner) == _kind(node) and node.op_type != "Concat" else None


# --- Reshape, Flatten, Squeeze, Unsqueeze ---------------------------------------------------------------------------


def view_target(node: ir.Node) -> list[int] | None:
    """The target of a Reshape that makes the output of the node; None where two dimensions are open."""
    shape = node.outputs[0].shape
    if shape is None:
        return None
    dims = [dim if isinstance(dim, int) else -1 for dim in shape]
    return dims if dims.count(-1) < 2 and 0 not in dims else None


def _views_merge(inner: ir.Node, node: ir.Node, model: ir.Model) -> bool:
    if opset(model) < 5 or (inner.op_type == node.op_type == "Transpose"):  # remove_noop merges them
        return False
    if view_target(node) is not None:
        return True
    if node.op_type == "Reshape":
        target = constant(node.inputs[1])
        if target is not None and 0 not in target:
            return True
    raise Refused("two dimensions of its result are open")


def _change_view(inner: ir.Node, node: ir.Node) -> None:
    target = view_target(node)
    if target is None:  # a Reshape with a target that does not depend on its input's shape
        return
    node.op_type = "Reshape"
    node.attributes.clear()
    node.resize_inputs(2)
    value = new_initializer(node.graph, f"{node.outputs[0].name}_shape", np.array(target, np.int64))
    node.replace_input_with(1, value)


# --- Relu, Clip -----------------------------------------------------------------------------------------------------


def bounds(node: ir.Node) -> tuple[float, float] | None:
    """The smallest and the largest result of Relu or Clip; None where they are no constants, or the wrong way round."""
    if node.op_type == "Relu":
        return 0.0, np.inf
    found = []
    for index, name, default in ((1, "min", -np.inf), (2, "max", np.inf)):
        value = input_of(node, index)
        array = constant(value)
        if value is not None and array is None:
            return None
        found.append(node.attributes.get_float(name, default) if array is None else array.item())
    return (found[0], found[1]) if found[0] <= found[1] else None


def _clamps_merge(inner: ir.Node, node: ir.Node, model: ir.Model) -> bool:
    if bounds(inner) is None or bounds(node) is None:
        raise Refused("its bounds are no constants with min <= max")
    if numpy_dtype(inner.inputs[0]) is None:
        raise Refused("the type of its input is unknown")
    return opset(model) >= 6


def _change_clamp(inner: ir.Node, node: ir.Node) -> None:
    (low, high), (first, last) = bounds(inner), bounds(node)
    low, high = (min(max(item, first), last) for item in (low, high))
    by_inputs = "Clip" in (inner.op_type, node.op_type) and not (
        set(inner.attributes) | set(node.attributes)
    ) & {"min", "max"}
    if (low, high) == (0.0, np.inf):
        node.op_type = "Relu"
        node.attributes.clear()
        node.resize_inputs(1)
        return
    node.op_type = "Clip"
    if not by_inputs:
        for name, item in (("min", low), ("max", high)):
            node.attributes[name] = ir.AttrFloat32(name, item)
        return
    node.resize_inputs(3 if np.isfinite(high) else 2 if np.isfinite(low) else 1)
    dtype = numpy_dtype(inner.inputs[0])
    for index, (what, item) in enumerate((("min", low), ("max", high))[: len(node.inputs) - 1], 1):
        value = None
        if np.isfinite(item):
            value = new_initializer(node.graph, f"{node.outputs[0].name}_{what}", np.array(item, dtype))
        node.replace_input_with(index, value)


# --- Concat, Cast, Pad ----------------------------------------------------------------------------------------------


def _joined(node: ir.Node, value: ir.Value) -> ir.Node | None:
    """The Concat along the same axis whose result only this Concat uses; None for another value."""
    inner = value.producer()
    if not is_onnx(inner, "Concat") or inner.graph is not node.graph or value.is_graph_output():
        return None
    if {user for user, _ in value.uses()} != {node}:
        return None
    axes = [item.attributes.get_int("axis", 1) for item in (inner, node)]
    if axes[0] != axes[1]:
        if min(axes) >= 0 or value.shape is None:
            return None
        axes = [axis % len(value.shape) for axis in axes]
    return inner if axes[0] == axes[1] else None


def _join(node: ir.Node) -> None:
    inputs, gone = [], {}
    for value in node.inputs:
        inner = _joined(node, value)
        inputs += [value] if inner is None else inner.inputs
        if inner is not None:
            gone[inner] = None
    node.resize_inputs(len(inputs))
    for index, value in enumerate(inputs):
        node.replace_input_with(index, value)
    for inner in gone:
        node.graph.remove(inner, safe=True)


def _casts_merge(inner: ir.Node, node: ir.Node, model: ir.Model) -> bool:
    source, between = numpy_dtype(inner.inputs[0]), numpy_dtype(inner.outputs[0])
    if source is None or between is None:
        return False
    if not np.can_cast(source, between, "safe"):
        raise Refused(f"the Cast before it from {source} to {between} may round")
    return True


def _pads_merge(inner: ir.Node, node: ir.Node, model: ir.Model) -> bool:
    for item in (inner, node):
        if item.attributes.get_string("mode", "constant") != "constant":
            raise Refused("one of two Pad in a row does not pad with a constant")
        pads = constant(input_of(item, 1))
        if pads is None or input_of(item, 3) is not None or np.any(pads < 0):
            raise Refused("the pads of one of two Pad in a row are no constants, negative or by axes")
    values = [constant(input_of(item, 2)) for item in (inner, node)]
    given = [0.0 if value is None else value.reshape(()) for value in values]
    if given[0] != given[1] or any(
        input_of(item, 2) is not None and value is None
        for item, value in zip((inner, node), values, strict=True)
    ):
        raise Refused("two Pad in a row pad with different numbers")
    return True


def _change_pad(inner: ir.Node, node: ir.Node) -> None:
    pads = constant(inner.inputs[1]) + constant(node.inputs[1])
    node.replace_input_with(1, new_initializer(node.graph, f"{node.outputs[0].name}_pads", pads))


RULES = {"view": _views_merge, "clamp": _clamps_merge, "Cast": _casts_merge, "Pad": _pads_merge}
CHANGES = {
    "view": _change_view,
    "clamp": _change_clamp,
    "Cast": lambda inner, node: None,  # the outer one says the type
    "Pad": _change_pad,
}
