# SPDX-License-Identifier: Apache-2.0
"""What the parts of a model take in its file, by the encoding of protobuf."""

from __future__ import annotations

import math

import onnx_ir as ir

from ascend_vision_ops.onnx.passes._values import graphs_of, is_static


def file_bytes(model: ir.Model) -> int:
    """What the nodes and the weights take. Stated shapes, comments and metadata do not count."""
    held = 0
    for graph in graphs_of(model):
        held += sum(map(node_bytes, graph))
        for name, value in graph.initializers.items():
            if value.const_value is not None:
                tensor = value.const_value
                held += weight_bytes(name, len(tensor.shape), tensor.nbytes)
    return held


def weight_bytes(name: str, rank: int, nbytes: int) -> int:
    return _field(_tensor_bytes(name, rank, nbytes))


def node_bytes(node: ir.Node) -> int:
    """What a node takes; the nodes in its graphs count for themselves."""
    texts = [value.name or "" if value is not None else "" for value in (*node.inputs, *node.outputs)]
    texts += [text for text in (node.name, node.op_type, node.domain) if text]
    return _field(
        sum(_field(len(text)) for text in texts) + sum(map(_attribute_bytes, node.attributes.values()))
    )


def result_bytes(node: ir.Node) -> int:
    """What the outputs of known shapes and types would take as weights, without their names."""
    unsized = None, ir.DataType.UNDEFINED, ir.DataType.STRING
    known = [value for value in node.outputs if value.dtype not in unsized and is_static(value)]
    return sum(math.prod(value.shape) * value.dtype.itemsize for value in known)


def _attribute_bytes(attribute: ir.Attr) -> int:
    held, value = 3 + _field(len(attribute.name)), attribute.value  # 3 for the type
    if attribute.is_ref():
        return _field(held)
    match attribute.type:
        case ir.AttributeType.FLOAT:
            held += 5
        case ir.AttributeType.INT:
            held += 1 + _varint(value)
        case ir.AttributeType.STRING:
            held += _field(len(value))
        case ir.AttributeType.FLOATS:
            held += 5 * len(value)
        case ir.AttributeType.INTS:
            held += sum(1 + _varint(item) for item in value)
        case ir.AttributeType.TENSOR:
            held += _field(_tensor_bytes("", len(value.shape), value.nbytes))
        case _:  # graphs count by their nodes, other types are rare
            held += 2
    return _field(held)


def _tensor_bytes(name: str, rank: int, nbytes: int) -> int:
    return 3 * rank + 2 + (_field(len(name)) if name else 0) + _field(nbytes)


def _field(length: int) -> int:
    """A field of so many bytes, with its number and its length in front."""
    return 1 + _varint(length) + length


def _varint(number: int) -> int:
    """An integer takes a byte for every seven bits; a negative one takes ten."""
    return 10 if number < 0 else max(1, -(-int(number).bit_length() // 7))
