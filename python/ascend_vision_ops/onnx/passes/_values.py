# SPDX-License-Identifier: Apache-2.0
"""What passes ask about values and nodes, and the few ways in which they change a graph."""

from __future__ import annotations

import numpy as np
import onnx_ir as ir

# Standard operators with graphs in their attributes.
CONTROL_FLOW = {"If", "Loop", "Scan", "SequenceMap"}


def is_onnx(node: ir.Node | None, *op_types: str) -> bool:
    """A node of the standard operator set, of one of the types."""
    return node is not None and node.domain == "" and node.op_type in op_types


def label(node: ir.Node) -> str:
    """How messages call a node."""
    domain = f"{node.domain}::" if node.domain else ""
    output = node.outputs[0].name if node.outputs else ""
    return f"{domain}{node.op_type} {node.name or output!r}"


def constant_tensor(value: ir.Value | None) -> ir.TensorProtocol | None:
    """The tensor of a value that no caller can change: an initializer that is no input, or a Constant's output."""
    if value is None or value.is_graph_input():
        return None
    return ir.convenience.get_const_tensor(value)


def constant(value: ir.Value | None) -> np.ndarray | None:
    """The numbers of a constant value, None where it is none."""
    tensor = constant_tensor(value)
    return None if tensor is None else tensor.numpy()


def input_of(node: ir.Node, index: int) -> ir.Value | None:
    return node.inputs[index] if index < len(node.inputs) else None


def static_shape(value: ir.Value | None) -> tuple[int, ...] | None:
    """The shape where every dimension is a number."""
    if value is None or value.shape is None or not all(isinstance(dim, int) for dim in value.shape):
        return None
    return tuple(value.shape)


def same_shape(a: ir.Value | None, b: ir.Value | None) -> bool:
    """Known to be equal, dimension by dimension: as numbers, or under one name."""
    if a is None or b is None or a.shape is None or b.shape is None or len(a.shape) != len(b.shape):
        return False
    return all(
        known_dim(x) is not None and known_dim(x) == known_dim(y)
        for x, y in zip(a.shape, b.shape, strict=True)
    )


def known_dim(dim) -> int | str | None:
    return dim if isinstance(dim, int) else dim.value


def opset(model: ir.Model) -> int:
    return model.graph.opset_imports.get("", 1)


def new_initializer(graph: ir.Graph, name: str, array: np.ndarray) -> ir.Value:
    """Registers a weight under that name, or the next free one."""
    free, count = name, 0
    while free in graph.initializers:
        count += 1
        free = f"{name}_{count}"
    # Not ascontiguousarray, which makes a vector of a scalar.
    tensor = ir.Tensor(np.asarray(array, order="C"), dtype=ir.DataType.from_numpy(array.dtype), name=free)
    value = ir.Value(
        name=free, type=ir.TensorType(tensor.dtype), shape=ir.Shape(array.shape), const_value=tensor
    )
    graph.register_initializer(value)
    return value


def can_supersede(old: ir.Value, new: ir.Value) -> bool:
    """May `new` stand wherever `old` does? A graph's output must be made in that graph, once."""
    if not old.is_graph_output():
        return True
    made_here = new.producer() is not None and new.producer().graph is old.producer().graph
    return made_here and not new.is_graph_output()


def supersede(node: ir.Node, new: ir.Value) -> None:
    """Removes a node of one output, whose users take `new` instead."""
    old = node.outputs[0]
    is_output, name = old.is_graph_output(), old.name
    new.type = new.type or old.type
    new.shape = old.shape if new.shape is None else new.shape
    ir.convenience.replace_all_uses_with(old, new, replace_graph_outputs=True)
    node.graph.remove(node, safe=True)
    if is_output:
        new.name = name


def substitute(old_nodes: list[ir.Node], new_nodes: list[ir.Node]) -> None:
    """Puts new nodes in the place of the old ones' last, whose output the new ones' last makes from now on."""
    last, made = old_nodes[-1], new_nodes[-1]
    ir.convenience.replace_nodes_and_values(
        last.graph, last, old_nodes, new_nodes, last.outputs, made.outputs
    )


def graphs_of(model: ir.Model) -> list[ir.Graph]:
    """The main graph, then the graphs in its nodes' attributes; functions are not among them."""
    found = [model.graph]
    for graph in found:
        for node in graph:
            if node.domain == "" and node.op_type not in CONTROL_FLOW:
                continue
            for attribute in node.attributes.values():
                if attribute.type == ir.AttributeType.GRAPH:
                    found.append(attribute.as_graph())
                elif attribute.type == ir.AttributeType.GRAPHS:
                    found += attribute.as_graphs()
    return found


def node_count(model: ir.Model) -> int:
    return sum(len(graph) for graph in graphs_of(model))


def remove_unused(graph: ir.Graph) -> int:
    """Removes nodes that make nothing that is used; how many."""
    count = 0
    for node in reversed(graph):
        if not any(value.uses() or value.is_graph_output() for value in node.outputs):
            graph.remove(node, safe=True)
            count += 1
    return count
