# SPDX-License-Identifier: Apache-2.0
"""Merges the nodes around a reduction or a softmax: what restores the reduced axes, the logarithm, ArgMax."""

from __future__ import annotations

import onnx_ir as ir

from ascend_vision_ops.onnx.passes._base import NodePass, Refused, register
from ascend_vision_ops.onnx.passes._convs import only_user
from ascend_vision_ops.onnx.passes._values import axes_of, opset, same_but_one, supersede
from ascend_vision_ops.opgen.model import Tolerance

REDUCTIONS = {
    "ReduceL1", "ReduceL2", "ReduceLogSum", "ReduceLogSumExp", "ReduceMax", "ReduceMean", "ReduceMin", "ReduceProd",
    "ReduceSum", "ReduceSumSquare",
}  # fmt: skip


@register
class FuseReductions(NodePass):
    name = "fuse_reductions"
    summary = (
        "a reduction and Unsqueeze or Reshape that restores its axes become one that keeps them; Softmax and Log "
        "become LogSoftmax; ArgMax of Softmax needs no Softmax"
    )
    tolerance = Tolerance(
        largest=1e-5, why="a softmax near 0 has few digits, of which the logarithm shows all"
    )
    op_types = frozenset({"Unsqueeze", "Reshape", "Log", "ArgMax"})

    def applies(self, node: ir.Node, model: ir.Model) -> bool:
        inner = node.inputs[0].producer()
        if inner is None or inner.domain != "" or inner.graph is not node.graph:
            return False
        if node.op_type == "Log":
            if inner.op_type != "Softmax":
                return False
            only_user(inner.outputs[0])
            return True
        if node.op_type == "ArgMax":
            return inner.op_type in ("Softmax", "LogSoftmax") and _same_axis(inner, node, model)
        if inner.op_type not in REDUCTIONS or inner.attributes.get_int("keepdims", 1):
            return False
        only_user(inner.outputs[0])
        shape, gone = inner.inputs[0].shape, axes_of(inner)
        everything = (
            len(inner.inputs) < 2 and not gone and not inner.attributes.get_int("noop_with_empty_axes", 0)
        )
        if everything and shape is not None:
            gone = list(range(len(shape)))
        if node.op_type == "Reshape":
            return shape is not None and bool(gone) and _restores(node, shape, gone)
        added = axes_of(node)
        if shape is None or not added or not gone:
            raise Refused("its axes are no constants, or the rank before the reduction is unknown")
        if sorted(axis % len(shape) for axis in added) != sorted(axis % len(shape) for axis in gone):
            raise Refused("it adds other axes than the reduction removes")
        return True

    def transform(self, node: ir.Node, model: ir.Model) -> None:
        inner = node.inputs[0].producer()
        if node.op_type == "ArgMax":
            node.replace_input_with(0, inner.inputs[0])
            node.graph.remove(inner, safe=True)
            return
        if node.op_type == "Log":
            inner.op_type = "LogSoftmax"
        else:
            inner.attributes["keepdims"] = ir.AttrInt64("keepdims", 1)
        inner.outputs[0].shape = node.outputs[0].shape
        supersede(node, inner.outputs[0], rename=True)


def _same_axis(softmax: ir.Node, node: ir.Node, model: ir.Model) -> bool:
    """Whether ArgMax goes along the axis of a Softmax, which keeps the order of the elements.

    Elements that differ by less than a rounding step of 1 may become equal in the Softmax.
    """
    shape, old = softmax.inputs[0].shape, opset(model) < 13
    only_user(softmax.outputs[0])
    if shape is None:
        raise Refused("the rank before the softmax is unknown")
    axis = softmax.attributes.get_int("axis", 1 if old else -1) % len(shape)
    if old and axis != len(shape) - 1:
        raise Refused("up to version 12 the softmax goes over several axes")
    if node.attributes.get_int("axis", 0) % len(shape) != axis:
        raise Refused("the softmax goes along another axis")
    return True


def _restores(node: ir.Node, shape: ir.Shape, gone: list[int]) -> bool:
    """Whether a Reshape restores the axes of a reduction."""
    out = node.outputs[0].shape
    if out is None:
        return False
    axes = {axis % len(shape) for axis in gone}
    if not same_but_one([1 if axis in axes else dim for axis, dim in enumerate(shape)], list(out)):
        return False
    only_user(node.inputs[0])
    return True
