# SPDX-License-Identifier: Apache-2.0
"""Replaces PRelu by two Relu: relu(x) + -slope * relu(-x). The bits are the same, except those inside of a NaN."""

from __future__ import annotations

import numpy as np
import onnx_ir as ir

from ascend_vision_ops.onnx.passes._base import NodePass, Refused, register
from ascend_vision_ops.onnx.passes._values import constant, new_initializer, substitute
from ascend_vision_ops.testing.compare import is_float


@register
class PReluToRelu(NodePass):
    name = "prelu_to_relu"
    summary = "PRelu becomes Relu(x) + -slope * Relu(-x), for a target without PRelu"
    op_types = frozenset({"PRelu"})

    def applies(self, node: ir.Node, model: ir.Model) -> bool:
        slope = constant(node.inputs[1])
        if slope is None:
            raise Refused(f"slope {node.inputs[1].name!r} is no constant")
        if not np.isfinite(slope.astype(np.float64)).all():
            raise Refused("a slope is not finite, and infinity times Relu's 0 is NaN")
        if not is_float(slope.dtype):
            raise Refused(f"its type is {slope.dtype}, expected a floating one")
        return True

    def transform(self, node: ir.Node, model: ir.Model) -> None:
        x, out = node.inputs[0], node.outputs[0]
        slope = new_initializer(node.graph, f"{out.name}_slope", -constant(node.inputs[1]))

        def made(op_type: str, inputs: list[ir.Value], what: str) -> ir.Node:
            result = ir.Node("", op_type, inputs, name=f"{node.name or out.name}_{what}")
            result.outputs[0].name = f"{out.name}_{what}"
            result.outputs[0].type, result.outputs[0].shape = x.type, x.shape
            return result

        positive = made("Relu", [x], "positive")
        mirrored = made("Neg", [x], "mirrored")
        negative = made("Relu", [mirrored.outputs[0]], "negative")
        scaled = made("Mul", [negative.outputs[0], slope], "scaled")
        total = made("Add", [positive.outputs[0], scaled.outputs[0]], "sum")
        substitute([node], [positive, mirrored, negative, scaled, total])
