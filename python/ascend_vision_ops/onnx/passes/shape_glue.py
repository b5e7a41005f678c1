# SPDX-License-Identifier: Apache-2.0
"""Gives Reshape and Expand constant targets where these are computed from shapes, also with an open batch."""

from __future__ import annotations

import numpy as np
import onnx_ir as ir

from ascend_vision_ops.onnx.passes._base import Outcome, Pass, Refused, register
from ascend_vision_ops.onnx.passes._shapes import Element, dims_of, walk
from ascend_vision_ops.onnx.passes._values import constant_tensor, is_onnx, label, new_initializer


@register
class ShapeGlue(Pass):
    name = "shape_glue"
    summary = "replaces targets of Reshape and Expand computed from shapes by constants; open dimensions are 0 or -1"

    def run(self, model: ir.Model) -> Outcome:
        outcome = Outcome()
        for graph, node, vectors in walk(model):
            if not is_onnx(node, "Reshape", "Expand") or constant_tensor(node.inputs[1]) is not None:
                continue
            found = vectors.of(node.inputs[1])
            if found is None or not found[1]:
                continue
            try:
                target = (_reshape if node.op_type == "Reshape" else _expand)(node, found[0])
            except Refused as reason:
                outcome.refused.append(f"{label(node)}: {reason}")
                continue
            name = f"{node.outputs[0].name}_shape"
            node.replace_input_with(1, new_initializer(graph, name, np.array(target, np.int64)))
            outcome.applied += 1
        return outcome


def _reshape(node: ir.Node, wanted: list[Element]) -> list[int]:
    """The target: 0 for an open dimension that the input has at the same axis, -1 for another open one."""
    literal = node.attributes.get_int("allowzero", 0)
    if literal and 0 in wanted:
        raise Refused("0 means an empty dimension here (allowzero)")
    dims = [] if literal else dims_of(node.inputs[0]) or []
    target = []
    for axis, item in enumerate(wanted):
        copied = not isinstance(item, int) and item is not None and axis < len(dims) and dims[axis] == item
        target.append(0 if copied else item)
    open_axes = [axis for axis, item in enumerate(target) if not isinstance(item, int)]
    if len(open_axes) + target.count(-1) > 1:
        raise Refused(f"{len(open_axes) + target.count(-1)} dimensions of the target are open, expected one")
    return [item if isinstance(item, int) else -1 for item in target]


def _expand(node: ir.Node, wanted: list[Element]) -> list[int]:
    """The target: 1, which keeps a dimension, where the input has the same dimension."""
    dims = dims_of(node.inputs[0])
    if dims is None:
        raise Refused("the input has no known shape")
    aligned = [None] * (len(wanted) - len(dims)) + dims
    aligned = aligned[-len(wanted) :] if wanted else []
    target = [
        1 if item is not None and item == dim else item for item, dim in zip(wanted, aligned, strict=True)
    ]
    if not all(isinstance(item, int) for item in target):
        raise Refused("a dimension of the target is open and not the input's")
    return target
