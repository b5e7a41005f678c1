# SPDX-License-Identifier: Apache-2.0
"""Keeps one of several computations of the same dimensions, which it compares as symbols."""

from __future__ import annotations

import onnx_ir as ir

from ascend_vision_ops.onnx.passes._base import GraphPass, register
from ascend_vision_ops.onnx.passes._shapes import Vectors, walk
from ascend_vision_ops.onnx.passes._values import can_supersede, graphs_of, remove_unused, supersede


@register
class MergeShapes(GraphPass):
    name = "merge_shapes"
    summary = "keeps one of several computations of the same dimensions, also where these are open"

    def transform(self, model: ir.Model) -> int:
        first: dict[tuple, ir.Value] = {}
        count = 0
        for graph, node, vectors in walk(model):
            key = _key(node, vectors)
            if key is None:
                continue
            # A value of the main graph can be used in all graphs behind it, one of a branch in this branch alone.
            known = first.get((model.graph, *key)) or first.setdefault((graph, *key), node.outputs[0])
            if known is not node.outputs[0] and can_supersede(node.outputs[0], known):
                supersede(node, known)
                count += 1
        if count:
            for graph in reversed(graphs_of(model)):
                count += remove_unused(graph)
        return count


def _key(node: ir.Node, vectors: Vectors) -> tuple | None:
    """The elements, rank and type of a vector of dimensions; None where an element is unknown, or all are numbers."""
    if len(node.outputs) != 1:
        return None
    value = node.outputs[0]
    elements, is_vector = vectors.known.get(value, ([], False))
    if value.dtype is None or None in elements or not any(isinstance(item, str) for item in elements):
        return None
    return tuple(elements), is_vector, value.dtype
