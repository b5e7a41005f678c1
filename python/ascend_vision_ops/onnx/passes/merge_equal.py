# SPDX-License-Identifier: Apache-2.0
"""Keeps one of several nodes that compute the same."""

from __future__ import annotations

import onnx_ir as ir
import onnx_ir.passes.common as common

from ascend_vision_ops.onnx.passes._base import GraphPass, register
from ascend_vision_ops.onnx.passes._values import node_count


@register
class MergeEqual(GraphPass):
    name = "merge_equal"
    summary = (
        "keeps one of several nodes with equal type, inputs and attributes, and one of equal small weights"
    )

    def transform(self, model: ir.Model) -> int:
        before = _size(model)
        common.DeduplicateInitializersPass(size_limit=1024)(model)
        common.CommonSubexpressionEliminationPass()(model)
        return before - _size(model)


def _size(model: ir.Model) -> int:
    return node_count(model) + sum(len(graph.initializers) for graph in model.graphs())
