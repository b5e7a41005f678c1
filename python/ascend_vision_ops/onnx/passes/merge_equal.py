# SPDX-License-Identifier: Apache-2.0
"""Keeps one of several nodes that compute the same, and one of several equal weights."""

from __future__ import annotations

import zlib

import numpy as np
import onnx_ir as ir

from ascend_vision_ops.onnx._stream import first_bytes
from ascend_vision_ops.onnx.passes._base import GraphPass, register
from ascend_vision_ops.onnx.passes._values import RANDOM, can_supersede, free_name, graphs_of, take_place

START = 4096  # bytes that tell most unequal weights apart, so that few are read as a whole
SUM = "ascend_vision_ops.checksum"  # the key in a value's `meta`
# Types of attributes that are compared; the others are graphs, lists of tensors, sparse tensors and types.
COMPARED = {
    ir.AttributeType.FLOAT, ir.AttributeType.FLOATS, ir.AttributeType.INT, ir.AttributeType.INTS,
    ir.AttributeType.STRING, ir.AttributeType.STRINGS, ir.AttributeType.TENSOR,
}  # fmt: skip


@register
class MergeEqual(GraphPass):
    name = "merge_equal"
    summary = "keeps one of several nodes with equal type, inputs and attributes, and one of equal weights"

    def transform(self, model: ir.Model) -> int:
        return _merge_weights(model) + _merge_nodes(model.graph, {})


# --- nodes ----------------------------------------------------------------------------------------------------------


def _merge_nodes(graph: ir.Graph, outer: dict[tuple, ir.Node]) -> int:
    """A node of a graph inside of another one may also equal a node in front of the graph."""
    seen, count = dict(outer), 0
    for node in graph:
        inner = [item.as_graph() for item in node.attributes.values() if item.type == ir.AttributeType.GRAPH]
        if inner:
            count += sum(_merge_nodes(item, seen) for item in inner)
            continue
        key = None if node.op_type in RANDOM else _node_key(node)
        if key is None:
            continue
        first = seen.setdefault(key, node)
        if first is not node and _replace(node, first):
            count += 1
    return count


def _node_key(node: ir.Node) -> tuple | None:
    """What decides the outputs of a node; None where an attribute is too long to compare, or no plain value."""
    attributes = []
    for name, attribute in sorted(node.attributes.items()):
        if attribute.is_ref() or attribute.type not in COMPARED:
            return None
        value = attribute.value
        if attribute.type == ir.AttributeType.TENSOR:
            if value.dtype == ir.DataType.STRING or value.nbytes > START:
                return None
            value = value.dtype, tuple(value.shape), value.tobytes()
        elif not isinstance(value, str | int | float | bytes):
            value = tuple(value)
        attributes.append((name, attribute.type, value))
    inputs = tuple(None if value is None else id(value) for value in node.inputs)
    return node.domain, node.op_type, node.overload, inputs, len(node.outputs), repr(attributes)


def _replace(node: ir.Node, first: ir.Node) -> bool:
    pairs = list(zip(node.outputs, first.outputs, strict=True))
    if not all(can_supersede(old, new) for old, new in pairs):
        return False
    for old, new in pairs:
        take_place(old, new)
    node.graph.remove(node, safe=True)
    return True


# --- weights --------------------------------------------------------------------------------------------------------


def _merge_weights(model: ir.Model) -> int:
    groups: dict[tuple, list[ir.Value]] = {}
    for graph in graphs_of(model):
        for value in graph.initializers.values():
            tensor = value.const_value
            if tensor is None or value.is_graph_input() or value.is_graph_output():
                continue
            if tensor.dtype != ir.DataType.STRING:
                groups.setdefault((tensor.dtype, tuple(tensor.shape)), []).append(value)
    count = 0
    for group in groups.values():
        for equal in _equal(group):
            count += _merge(model.graph, equal)
    return count


def _equal(group: list[ir.Value]) -> list[list[ir.Value]]:
    """Lists of two or more weights with the same bytes."""
    found = [group]
    for length in (START, None):
        alike: dict[int, list[ir.Value]] = {}
        for values in found:
            for value in values if len(values) > 1 else ():
                alike.setdefault(_checksum(value, length), []).append(value)
        found = list(alike.values())
    equal = []
    for values in found:
        while len(values) > 1:
            first, *others = values
            wanted, same, values = _bytes(first.const_value), [first], []
            for value in others:
                (same if np.array_equal(_bytes(value.const_value), wanted) else values).append(value)
            equal.append(same)
    return [values for values in equal if len(values) > 1]


def _checksum(value: ir.Value, length: int | None) -> int:
    """Of the first bytes of a weight, or of all. It is kept, since the next round asks again."""
    tensor, known = value.const_value, value.meta.get(SUM)
    if known is None or known[0] is not tensor:
        known = value.meta[SUM] = (tensor, {})
    if length not in known[1]:
        start = None if length is None else first_bytes(tensor, length)
        known[1][length] = zlib.crc32(memoryview(_bytes(tensor)[:length]) if start is None else start)
    return known[1][length]


def _bytes(tensor: ir.TensorProtocol) -> np.ndarray:
    return np.ascontiguousarray(tensor.numpy()).reshape(-1).view(np.uint8)


def _merge(main: ir.Graph, equal: list[ir.Value]) -> int:
    """Gives the users of equal weights one of them, which is moved to the main graph where graphs share it."""
    kept = next((value for value in equal if value.graph is main), equal[0])
    if any(value.graph is not kept.graph for value in equal):
        kept = _in_main(main, kept)
    for value in equal:
        if value is not kept:
            ir.convenience.replace_all_uses_with(value, kept)
            if value.graph is not None:
                del value.graph.initializers[value.name]
    return len(equal) - 1


def _in_main(main: ir.Graph, value: ir.Value) -> ir.Value:
    if value.graph is main:
        return value
    name = free_name(main, value.name)
    made = ir.Value(name=name, type=value.type, shape=value.shape, const_value=value.const_value)
    main.register_initializer(made)
    return made
