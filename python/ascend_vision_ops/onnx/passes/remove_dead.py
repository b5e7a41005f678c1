# SPDX-License-Identifier: Apache-2.0
"""Removes nodes and weights that no output needs."""

from __future__ import annotations

import onnx_ir as ir
import onnx_ir.passes.common as common

from ascend_vision_ops.onnx.passes._base import GraphPass, register
from ascend_vision_ops.onnx.passes._values import graphs_of, node_count


@register
class RemoveDead(GraphPass):
    name = "remove_dead"
    summary = "removes nodes, weights, functions and operator sets that no output needs"

    def transform(self, model: ir.Model) -> int:
        before = _size(model)
        common.RemoveUnusedNodesPass()(model)
        for graph in graphs_of(model)[1:]:  # onnx-ir removes those of the main graph
            for name in [name for name, value in graph.initializers.items() if not _used(value)]:
                del graph.initializers[name]
        common.RemoveUnusedFunctionsPass()(model)
        common.RemoveUnusedOpsetsPass()(model)
        return before - _size(model)


def _used(value: ir.Value) -> bool:
    return bool(value.uses()) or value.is_graph_output() or value.is_graph_input()


def _size(model: ir.Model) -> int:
    weights = sum(len(graph.initializers) for graph in model.graphs())
    return node_count(model) + weights + len(model.functions) + len(model.graph.opset_imports)
