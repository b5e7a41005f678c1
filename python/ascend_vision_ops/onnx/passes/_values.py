# SPDX-License-Identifier: Apache-2.0
"""Questions of passes about values and nodes, and the few ways in which they change a graph."""

from __future__ import annotations

import numpy as np
import onnx_ir as ir

# Standard operators with graphs in their attributes.
CONTROL_FLOW = {"If", "Loop", "Scan", "SequenceMap"}

# Standard operators that keep all elements in their order.
VIEWS = {"Reshape", "Flatten", "Squeeze", "Unsqueeze"}

# Standard operators that give other numbers with each call.
RANDOM = {
    "RandomUniform", "RandomNormal", "RandomUniformLike", "RandomNormalLike", "Multinomial", "Bernoulli",
}  # fmt: skip


def is_onnx(node: ir.Node | None, *op_types: str) -> bool:
    """Whether a node is of the standard operator set and has one of the types."""
    return node is not None and node.domain == "" and node.op_type in op_types


def label(node: ir.Node) -> str:
    """The name that messages use for a node."""
    domain = f"{node.domain}::" if node.domain else ""
    output = node.outputs[0].name if node.outputs else ""
    return f"{domain}{node.op_type} {node.name or output!r}"


def constant_tensor(value: ir.Value | None) -> ir.TensorProtocol | None:
    """The tensor of a constant: an initializer that is no input, or the output of a Constant. None for other values."""
    if value is None or value.is_graph_input():
        return None
    return ir.convenience.get_const_tensor(value)


def constant(value: ir.Value | None) -> np.ndarray | None:
    """The numbers of a constant; None for other values."""
    tensor = constant_tensor(value)
    return None if tensor is None else tensor.numpy()


def input_of(node: ir.Node, index: int) -> ir.Value | None:
    return node.inputs[index] if index < len(node.inputs) else None


def static_shape(value: ir.Value | None) -> tuple[int, ...] | None:
    """The shape of a value; None where a dimension is not a number."""
    if value is None or value.shape is None or not all(isinstance(dim, int) for dim in value.shape):
        return None
    return tuple(value.shape)


def is_static(value: ir.Value) -> bool:
    """Whether all dimensions of a value are numbers."""
    return value.shape is not None and value.shape.is_static()


def same_shape(a: ir.Value | None, b: ir.Value | None) -> bool:
    """Whether two shapes are known to be equal: each dimension has the same number or the same name."""
    if a is None or b is None or a.shape is None or b.shape is None or len(a.shape) != len(b.shape):
        return False
    return all(
        known_dim(x) is not None and known_dim(x) == known_dim(y)
        for x, y in zip(a.shape, b.shape, strict=True)
    )


def same_but_one(a: list, b: list) -> bool:
    """Whether two shapes of as many elements are equal. One dimension that is open in one follows from the others."""
    if len(a) != len(b):
        return False
    unlike = [(x, y) for x, y in zip(a, b, strict=True) if not (isinstance(x, int) and x == y and x > 0)]
    return len(unlike) < 2 and not any(isinstance(x, int) and isinstance(y, int) for x, y in unlike)


def axes_of(node: ir.Node) -> list[int]:
    """The axes of a reduction, Squeeze or Unsqueeze, from an input or an attribute; [] where they are no constants."""
    value = input_of(node, 1)
    array = constant(value)
    if value is not None:
        return [] if array is None else [int(axis) for axis in array.reshape(-1)]
    return list(node.attributes.get_ints("axes", ()))


def is_view(node: ir.Node | None) -> bool:
    """Whether a node keeps all elements in their order: a view, a Transpose that moves axes of one element alone, or a
    Gather that takes an axis of one element away."""
    if node is None or node.domain != "" or node.graph is None:
        return False
    if node.op_type in VIEWS:
        return True
    shape = node.inputs[0].shape if node.inputs and node.inputs[0] is not None else None
    if shape is None:
        return False
    if node.op_type == "Transpose":
        perm = node.attributes.get_ints("perm", None) or range(len(shape))[::-1]
        long = [axis for axis in perm if shape[axis] != 1]
        return long == sorted(long)
    if node.op_type == "Gather":
        index = constant(node.inputs[1])
        axis = node.attributes.get_int("axis", 0)
        return index is not None and index.ndim == 0 and shape[axis] == 1
    return False


def known_dim(dim: int | ir.SymbolicDim | None) -> int | str | None:
    """The number or the name of a dimension; None for an open one without a name."""
    return dim.value if isinstance(dim, ir.SymbolicDim) else dim


def numpy_dtype(value: ir.Value | None) -> np.dtype | None:
    """The NumPy type of a value's elements; None where it is unknown or NumPy has none."""
    if value is None or value.dtype in (None, ir.DataType.UNDEFINED, ir.DataType.STRING):
        return None
    return value.dtype.numpy()


def opset(model: ir.Model) -> int:
    return model.graph.opset_imports.get("", 1)


def free_name(graph: ir.Graph, name: str) -> str:
    """That name, or the next one that no weight of the graph has."""
    free, count = name, 0
    while free in graph.initializers:
        count += 1
        free = f"{name}_{count}"
    return free


def new_initializer(graph: ir.Graph, name: str, array: np.ndarray) -> ir.Value:
    """Adds a weight to a graph, with that name or the next free one."""
    free = free_name(graph, name)
    # ascontiguousarray would make a vector of a scalar.
    tensor = ir.Tensor(np.asarray(array, order="C"), dtype=ir.DataType.from_numpy(array.dtype), name=free)
    value = ir.Value(
        name=free, type=ir.TensorType(tensor.dtype), shape=ir.Shape(array.shape), const_value=tensor
    )
    graph.register_initializer(value)
    return value


def can_supersede(old: ir.Value, new: ir.Value) -> bool:
    """Whether `new` may take the place of `old`. An output of a graph must be made by a node of it, and only once."""
    if not old.is_graph_output():
        return True
    made_here = new.producer() is not None and new.producer().graph is old.producer().graph
    return made_here and not new.is_graph_output()


def take_place(old: ir.Value, new: ir.Value, rename: bool = False) -> None:
    """Gives `new` to the users of `old`. As an output of the graph, or where `rename` says so, it gets its name too."""
    rename, name = rename or old.is_graph_output(), old.name
    new.type = new.type or old.type
    new.shape = old.shape if new.shape is None else new.shape
    ir.convenience.replace_all_uses_with(old, new, replace_graph_outputs=True)
    if rename:
        new.name = name


def supersede(node: ir.Node, new: ir.Value, rename: bool = False) -> None:
    """Removes a node with one output. The users of the output get `new` instead.

    rename: whether `new` gets the name of the output, because it is now what the output was.
    """
    take_place(node.outputs[0], new, rename)
    node.graph.remove(node, safe=True)


def substitute(old_nodes: list[ir.Node], new_nodes: list[ir.Node]) -> None:
    """Replaces old nodes by new ones. The last new node makes the output of the last old node from now on."""
    last, made = old_nodes[-1], new_nodes[-1]
    ir.convenience.replace_nodes_and_values(
        last.graph, last, old_nodes, new_nodes, last.outputs, made.outputs
    )


def graphs_in(node: ir.Node) -> list[ir.Graph]:
    """The graphs in the attributes of a node."""
    if node.domain == "" and node.op_type not in CONTROL_FLOW:
        return []
    found = []
    for attribute in node.attributes.values():
        if attribute.type == ir.AttributeType.GRAPH:
            found.append(attribute.as_graph())
        elif attribute.type == ir.AttributeType.GRAPHS:
            found += attribute.as_graphs()
    return found


def graphs_of(model: ir.Model) -> list[ir.Graph]:
    """The main graph, then the graphs in attributes of its nodes. The bodies of functions are not among them."""
    found = [model.graph]
    for graph in found:
        for node in graph:
            found += graphs_in(node)
    return found


def node_count(model: ir.Model) -> int:
    return sum(len(graph) for graph in graphs_of(model))


def remove_unused(graph: ir.Graph) -> int:
    """Removes nodes whose outputs nothing uses. Returns how many."""
    count = 0
    for node in reversed(graph):
        if not any(value.uses() or value.is_graph_output() for value in node.outputs):
            graph.remove(node, safe=True)
            count += 1
    return count
