# SPDX-License-Identifier: Apache-2.0
"""Replaces several nodes of one kind in a row by one node."""

from __future__ import annotations

import onnx_ir as ir
from onnxscript.rewriter.rules import common

from ascend_vision_ops.onnx.passes._base import RulePass, register
from ascend_vision_ops.onnx.passes._values import graphs_of


@register
class MergeChains(RulePass):
    name = "merge_chains"
    summary = "several Reshape, Unsqueeze, or Relu and Clip in a row become one node"
    kinds = frozenset({"Reshape", "Unsqueeze", "Relu", "Clip"})
    rules = (
        common.reshape_reshape_rule,
        common.unsqueeze_unsqueeze_rule,
        common.successive_relu_rule,
        common.successive_clip_rule,
        common.successive_relu_clip_rule,
        common.successive_clip_relu_rule,
    )

    def worthwhile(self, model: ir.Model) -> bool:
        return any(
            node.op_type in self.kinds
            and (source := node.inputs[0].producer())
            and source.op_type in self.kinds
            for graph in graphs_of(model)
            for node in graph
        )
