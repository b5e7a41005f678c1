# SPDX-License-Identifier: Apache-2.0
"""Makes a model that Ascend's ATC can read: with one operator set, and custom nodes without a domain."""

from __future__ import annotations

import onnx
import onnx_ir as ir

from ascend_vision_ops.onnx import domains
from ascend_vision_ops.onnx.flavours import ATC_OPERATORS, ATC_OPSET, atc_name, from_atc_name
from ascend_vision_ops.onnx.passes._base import GraphPass, Refused, register
from ascend_vision_ops.onnx.passes._values import opset


@register
class ToAtc(GraphPass):
    name = "to_atc"
    summary = (
        "gives custom nodes names without a domain, which no standard operator has; keeps one operator set"
    )
    demanded = True

    def transform(self, model: ir.Model) -> int:
        if opset(model) > ATC_OPSET:
            raise Refused(
                f"the operator set is {opset(model)}, ATC reads at most {ATC_OPSET}: convert_opset first"
            )
        if model.functions:
            raise Refused("it has functions of its own: inline_functions first")
        custom = [node for node in model.graph.all_nodes() if node.domain]
        for node in custom:
            _refuse_collision(node.domain, node.op_type)
        for node in custom:
            node.op_type, node.domain = atc_name(node.domain, node.op_type), ""
        extra = [domain for domain in model.graph.opset_imports if domain]
        for domain in extra:
            del model.graph.opset_imports[domain]
        return len(custom) + len(extra)


def _refuse_collision(domain: str, op_type: str) -> None:
    name = atc_name(domain, op_type)
    if onnx.defs.has(name) or name.lower() in ATC_OPERATORS:
        raise Refused(f"{domain}::{op_type} would be called {name}, which is a standard operator")
    if from_atc_name(name) != (domain, op_type):
        others = ", ".join(domains())
        raise Refused(
            f"{domain}::{op_type} has no name for ATC that leads back to it: nodes of {others} have"
        )
