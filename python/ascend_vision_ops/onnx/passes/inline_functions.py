# SPDX-License-Identifier: Apache-2.0
"""Replaces calls of a model's own functions by the bodies of the functions."""

from __future__ import annotations

import onnx_ir as ir
import onnx_ir.passes.common as common

from ascend_vision_ops.onnx.passes._base import GraphPass, register


@register
class InlineFunctions(GraphPass):
    name = "inline_functions"
    summary = "replaces calls of the model's own functions by their bodies"

    def transform(self, model: ir.Model) -> int:
        calls = sum(node.op_identifier() in model.functions for node in model.graph.all_nodes())
        if calls:
            common.InlinePass()(model)
        return calls
