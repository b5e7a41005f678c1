# SPDX-License-Identifier: Apache-2.0
"""Moves the nodes of a graph that a node holds in an attribute to the place of that node."""

from __future__ import annotations

import onnx_ir as ir

from ascend_vision_ops.onnx.passes._values import free_name


def adopt(node: ir.Node, inner: ir.Graph) -> list[ir.Value]:
    """Moves all nodes and weights of `inner` in front of `node`. Returns what the outputs of `inner` were."""
    outer, outputs = node.graph, list(inner.outputs)
    inner.outputs.clear()  # a weight that is an output still belongs to its graph when it is no weight of it any more
    for value in list(inner.initializers.values()):
        del inner.initializers[value.name]
        value.name = free_name(outer, value.name)
        outer.register_initializer(value)
    nodes = list(inner)
    inner.remove(nodes)
    outer.insert_before(node, nodes)
    return outputs


def empty(graph: ir.Graph) -> None:
    """Removes all nodes of a graph that is no part of the model any more, so that they use no values of the model."""
    graph.outputs.clear()
    for node in reversed(list(graph)):
        for attribute in node.attributes.values():
            if attribute.type == ir.AttributeType.GRAPH:
                empty(attribute.as_graph())
        graph.remove(node, safe=True)
