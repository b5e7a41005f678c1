# SPDX-License-Identifier: Apache-2.0
"""One node for several of a kind in a row."""

from __future__ import annotations

from onnxscript.rewriter.rules import common

from ascend_vision_ops.onnx.passes._base import RulePass, register


@register
class MergeChains(RulePass):
    name = "merge_chains"
    summary = "Reshape of Reshape, Unsqueeze of Unsqueeze, Relu and Clip in a row: one node"
    rules = (
        common.reshape_reshape_rule,
        common.unsqueeze_unsqueeze_rule,
        common.successive_relu_rule,
        common.successive_clip_rule,
        common.successive_relu_clip_rule,
        common.successive_clip_relu_rule,
    )
