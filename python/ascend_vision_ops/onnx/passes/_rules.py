# SPDX-License-Identifier: Apache-2.0
"""The base class of passes that consist of rewrite rules. Only who writes such a pass imports onnxscript's rewriter."""

from __future__ import annotations

from typing import ClassVar

import onnx_ir as ir
from onnxscript.rewriter import MatchingTracer, MatchStatus, RewriteRule, RewriteRuleSet

from ascend_vision_ops.onnx.passes._base import Outcome, Pass
from ascend_vision_ops.onnx.passes._values import label


class RulePass(Pass):
    """A pass that consists of rewrite rules of onnxscript."""

    rules: ClassVar[tuple[RewriteRule, ...]]

    def worthwhile(self, model: ir.Model) -> bool:
        """Whether any rule may fit. This is cheap, while matching all rules at every node takes long."""
        return True

    def run(self, model: ir.Model) -> Outcome:
        if not self.worthwhile(model):
            return Outcome()
        rules, reasons = RewriteRuleSet(self.rules), _Reasons()
        applied = rules.apply_to_model(model)
        # With a tracer, onnxscript only looks: it finds why the rules leave the nodes alone that are there now.
        rules.apply_to_model(model, tracer=reasons)
        return Outcome(applied, reasons.lines)


class _Reasons(MatchingTracer):
    """Collects the reasons why a rule left nodes alone that fit its pattern."""

    def __init__(self):
        super().__init__()
        self.lines: list[str] = []

    def log(self, rule, container, node, match_result, status):
        if status == MatchStatus.CONDITION_FAILED and match_result.reason:
            self.lines.append(f"{label(node)}: {match_result.reason}")
