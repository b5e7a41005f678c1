# SPDX-License-Identifier: Apache-2.0
"""Says what is wrong with the structure of a model, before anything works on it."""

from __future__ import annotations

import functools
import math
from collections import Counter
from collections.abc import Iterator

import onnx
import onnx_ir as ir

KINDS = {int(kind): kind.name for kind in ir.AttributeType}
NO_SOURCE = "is made by no node, input or weight"
# Integer attributes that are sizes, distances or counts, at whatever standard node.
POSITIVE = {"strides", "dilations", "kernel_shape", "group", "num_groups", "blocksize"}
# In a protobuf, elements of these types lie in `int32_data`, one in each item.
IN_INT32 = {
    "INT32", "INT16", "INT8", "UINT16", "UINT8", "BOOL", "FLOAT16", "BFLOAT16", "FLOAT8E4M3FN", "FLOAT8E4M3FNUZ",
    "FLOAT8E5M2", "FLOAT8E5M2FNUZ",
}  # fmt: skip


def open_negative_dims(model: ir.Model) -> None:
    """Makes open dimensions of negative ones, which some exporters write and ONNX Runtime takes as open."""
    for graph in model.graphs():
        values = [*graph.inputs, *graph.outputs, *(value for node in graph for value in node.outputs)]
        for value in values:
            if value.shape is not None and any(isinstance(dim, int) and dim < 0 for dim in value.shape):
                value.shape = ir.Shape(
                    [None if isinstance(dim, int) and dim < 0 else dim for dim in value.shape]
                )


def faults(model: ir.Model) -> Iterator[str]:
    """The faults of a model, one line each: operator sets, functions, weights, inputs, then nodes in their order."""
    for domain, version in model.graph.opset_imports.items():
        if version < 1:
            yield f"operator set {domain or 'ai.onnx'}: expected a version from 1 on, got {version}"
    yield from _recursions(model)
    names = Counter(value.name for value in model.graph.inputs)
    yield from (f"{count} inputs have the name {name!r}" for name, count in names.items() if count > 1)
    for graph in model.graphs():
        for name, value in graph.initializers.items():
            if value.const_value is not None and (text := _tensor(value.const_value)):
                yield f"weight {name!r} {text}"
    for value in model.graph.inputs:
        if value.type is None or value.dtype in (None, ir.DataType.UNDEFINED):
            yield f"input {value.name!r} has no element type"
    yield from _nodes(model.graph, set(), model)


def _recursions(model: ir.Model) -> Iterator[str]:
    """Functions that call themselves, by whatever way: they would never end."""
    done: set[ir.OperatorIdentifier] = set()
    for start in model.functions:
        way: dict[ir.OperatorIdentifier, None] = {}
        stack: list[tuple[ir.OperatorIdentifier, bool]] = [(start, False)]
        while stack:
            key, leaving = stack.pop()
            if leaving:
                del way[key]
                done.add(key)
            elif key in way:
                names = [f"{domain}::{name}" for domain, name, _ in [*list(way)[list(way).index(key) :], key]]
                yield f"function {names[0]} calls itself: {' -> '.join(names)}"
                return
            elif key not in done:
                way[key] = None
                called = {node.op_identifier() for node in model.functions[key].all_nodes()} & set(
                    model.functions
                )
                stack += [(key, True), *((other, False) for other in sorted(called))]


def _tensor(tensor) -> str:
    """What is wrong with a tensor: a negative dimension, or another number of bytes than its shape says."""
    dims = list(tensor.shape)
    if any(not isinstance(dim, int) or dim < 0 for dim in dims):
        return f"has the shape {dims}, expected no negative dimension"
    size, name = math.prod(dims), tensor.dtype.name
    if isinstance(tensor, ir.ExternalTensor):
        wanted, given = math.ceil(size * tensor.dtype.bitwidth / 8), tensor.length
        return f"has {given} bytes, expected {wanted} for {name} {dims}" if given and given != wanted else ""
    proto = getattr(tensor, "raw", None)
    if not isinstance(proto, onnx.TensorProto):
        return ""
    if proto.HasField("raw_data"):
        wanted, given = math.ceil(size * tensor.dtype.bitwidth / 8), len(proto.raw_data)
        return "" if given == wanted else f"has {given} bytes, expected {wanted} for {name} {dims}"
    counts = {
        "FLOAT": len(proto.float_data), "DOUBLE": len(proto.double_data), "INT64": len(proto.int64_data),
        "STRING": len(proto.string_data), **dict.fromkeys(IN_INT32, len(proto.int32_data)),
    }  # fmt: skip
    given = counts.get(name, size)
    return "" if given == size else f"has {given} elements, expected {size} for {name} {dims}"


def _nodes(graph: ir.Graph, outer: set[ir.Value], model: ir.Model) -> Iterator[str]:
    made = outer | set(graph.inputs) | set(graph.initializers.values())
    for node in graph:
        label = f"node {node.op_type} {node.name or (node.outputs[0].name if node.outputs else '')!r}"
        # protobuf gives bytes where a text is no UTF-8.
        texts = (node.name, node.op_type, node.domain, *(value.name for value in node.outputs))
        if any(isinstance(text, bytes) for text in texts):
            yield f"{label}: a name is not UTF-8"
            return
        for value in node.inputs:
            if value is not None and value not in made:
                known = value.producer() is not None
                why = "comes from a node behind it: the graph has a cycle or is not sorted"
                yield f"{label}: input {value.name!r} {why if known else NO_SOURCE}"
                return  # everything behind it would be reported too
        yield from (f"{label}: {text}" for text in _node(node, model))
        for attribute in node.attributes.values():
            if attribute.type == ir.AttributeType.GRAPH:
                yield from _nodes(attribute.as_graph(), made, model)
            elif attribute.type == ir.AttributeType.GRAPHS:
                for inner in attribute.as_graphs():
                    yield from _nodes(inner, made, model)
        made |= set(node.outputs)


def _node(node: ir.Node, model: ir.Model) -> Iterator[str]:
    for attribute in node.attributes.values():
        if attribute.is_ref():
            yield (
                f"attribute {attribute.name}: expected a value, got a reference to the attribute "
                f"{attribute.ref_attr_name!r} of a function, in which the node does not stand"
            )
            continue
        if attribute.type == ir.AttributeType.TENSOR and (text := _tensor(attribute.value)):
            yield f"attribute {attribute.name} {text}"
    schema = _schema(node.op_type, model.graph.opset_imports.get("", 1)) if node.domain == "" else None
    if schema is None or node.op_identifier() in model.functions:
        return
    given = len(node.inputs)
    if not schema.min_input <= given <= schema.max_input:
        most = "" if schema.max_input > 1000 else f" to {schema.max_input}"
        yield f"{given} inputs, expected {schema.min_input}{most}"
    single = onnx.defs.OpSchema.FormalParameterOption.Single
    for index, formal in enumerate(schema.inputs[:given]):
        if formal.option == single and node.inputs[index] is None:
            yield f"input {index} ({formal.name}) is left out"
    if not schema.min_output <= len(node.outputs) <= schema.max_output:
        yield f"{len(node.outputs)} outputs, expected {schema.min_output} to {schema.max_output}"
    for name, wanted in schema.attributes.items():
        attribute = node.attributes.get(name)
        if attribute is None:
            if wanted.required:
                yield f"attribute {name} is missing"
        elif not attribute.is_ref() and int(attribute.type) != int(wanted.type.value):
            kinds = KINDS.get(int(wanted.type.value)), KINDS.get(int(attribute.type))
            yield f"attribute {name}: expected {kinds[0]}, got {kinds[1]}"
        elif name in POSITIVE and not attribute.is_ref():
            numbers = attribute.value if isinstance(attribute.value, (list, tuple)) else [attribute.value]
            if any(number < 1 for number in numbers):
                yield f"attribute {name}: expected numbers from 1 on, got {list(numbers)}"


@functools.cache
def _schema(op_type: str, version: int):
    try:
        return onnx.defs.get_schema(op_type, version)
    except onnx.defs.SchemaError:  # a node that no version of the operator set has
        return None
