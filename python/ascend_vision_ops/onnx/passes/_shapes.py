# SPDX-License-Identifier: Apache-2.0
"""Shape inference, and arithmetic on the small integer vectors that exported graphs compute shapes with."""

from __future__ import annotations

import logging
from collections.abc import Callable

import numpy as np
import onnx
import onnx_ir as ir
import onnx_ir.passes.common as common

from ascend_vision_ops.onnx.passes._values import constant, constant_tensor, input_of, known_dim

# An element of a shape vector: a number, the name of a dimension, or None for anything else.
Element = int | str | None
LONGEST = 64


def infer(model: ir.Model) -> None:
    """Fills in types and shapes with onnx's inference; weights are not looked at. Nodes it does not know stay open."""
    logger = logging.getLogger(common.ShapeInferencePass.__module__)
    level = logger.level
    logger.setLevel(logging.CRITICAL)  # a model that cannot be inferred stays as it is
    try:
        common.ShapeInferencePass(check_type=False, strict_mode=False, data_prop=True)(model)
    finally:
        logger.setLevel(level)


def infer_node(node: ir.Node, model: ir.Model) -> bool:
    """Infers one node's outputs from what is known of its inputs; whether something new came out."""
    if any(attribute.type == ir.AttributeType.GRAPH for attribute in node.attributes.values()):
        return False
    inputs = [value for value in node.inputs if value is not None]
    if any(value.type is None for value in inputs):
        return False
    types, data = {}, {}
    for value in inputs:
        types[value.name] = ir.serde.serialize_type(value.type)
        if value.shape is not None:
            ir.serde.serialize_shape_into(types[value.name], value.shape)
        tensor = constant_tensor(value)
        if tensor is not None and tensor.size <= LONGEST:
            data[value.name] = ir.serde.serialize_tensor(tensor)
    try:
        schema = onnx.defs.get_schema(node.op_type, model.graph.opset_imports[node.domain], node.domain)
        found = onnx.shape_inference.infer_node_outputs(schema, ir.serde.serialize_node(node), types, data)
    except Exception:  # no schema, or inference that gives up: the outputs stay as they are
        return False
    changed = False
    for value in node.outputs:
        if value.name in found:
            shape = ir.serde.deserialize_type_proto_for_shape(found[value.name])
            if shape is not None and not more_than(value.shape, shape):
                value.shape, changed = shape, True
            value.type = value.type or ir.serde.deserialize_type_proto_for_type(found[value.name])
    return changed


def more_than(old: ir.Shape | None, new: ir.Shape) -> bool:
    """Whether the old shape says all that the new one does."""
    if old is None or len(old) != len(new):
        return False
    return all(isinstance(a, int) or not isinstance(b, int) for a, b in zip(old, new, strict=True))


def is_static(value: ir.Value) -> bool:
    return value.shape is not None and all(isinstance(dim, int) for dim in value.shape)


def dims_of(value: ir.Value) -> list[Element] | None:
    """A tensor's dimensions; those without a name get one of their own."""
    if value.shape is None:
        return None
    return [
        dim if isinstance(dim, int) else known_dim(dim) or f"{value.name}[{axis}]"
        for axis, dim in enumerate(value.shape)
    ]


class Vectors:
    """What is known of integer scalars and vectors, element by element.

    Nodes must be visited in the order of the graph.
    """

    def __init__(self):
        # Elements, and whether they are a vector: one element may be a scalar.
        self.known: dict[ir.Value, tuple[list[Element], bool]] = {}

    def of(self, value: ir.Value | None) -> tuple[list[Element], bool] | None:
        if value is None:
            return None
        if value in self.known:
            return self.known[value]
        tensor = constant_tensor(value)
        integer = (ir.DataType.INT64, ir.DataType.INT32, ir.DataType.BOOL)
        if tensor is None or tensor.dtype not in integer or len(tensor.shape) > 1 or tensor.size > LONGEST:
            return None
        array = tensor.numpy()
        self.known[value] = [int(item) for item in array.reshape(-1)], array.ndim == 1
        return self.known[value]

    def visit(self, node: ir.Node) -> None:
        rule = RULES.get(node.op_type) if node.domain == "" else None
        if rule is None:
            return
        found = rule(self, node)
        if found is not None and len(found[0]) <= LONGEST:
            self.known[node.outputs[0]] = found

    def numbers(self, value: ir.Value) -> np.ndarray | None:
        """The value as an array, where every element is a number; int64."""
        found = self.of(value)
        if found is None or not all(isinstance(item, int) for item in found[0]):
            return None
        array = np.array(found[0], np.int64)
        return array if found[1] else array.reshape(())


def _integers(value: ir.Value | None) -> list[int] | None:
    array = constant(value)
    return None if array is None else [int(item) for item in array.reshape(-1)]


def _shape(vectors: Vectors, node: ir.Node):
    dims = dims_of(node.inputs[0])
    if dims is None:
        return None
    return dims[node.attributes.get_int("start", 0) : node.attributes.get_int("end", len(dims))], True


def _size(vectors: Vectors, node: ir.Node):
    dims = dims_of(node.inputs[0])
    if dims is None or not all(isinstance(dim, int) for dim in dims):
        return None
    return [int(np.prod(dims, dtype=np.int64))], False


def _gather(vectors: Vectors, node: ir.Node):
    data, index = vectors.of(node.inputs[0]), vectors.of(node.inputs[1])
    if data is None or index is None or not data[1]:
        return None
    if not all(isinstance(item, int) and -len(data[0]) <= item < len(data[0]) for item in index[0]):
        return None
    return [data[0][item] for item in index[0]], index[1]


def _slice(vectors: Vectors, node: ir.Node):
    data = vectors.of(node.inputs[0])
    if data is None or not data[1]:
        return None
    if len(node.inputs) == 1:
        starts, ends = (node.attributes.get_ints(name, ()) for name in ("starts", "ends"))
        steps = [1]
    else:
        starts, ends = _integers(node.inputs[1]), _integers(node.inputs[2])
        steps = _integers(input_of(node, 4)) if input_of(node, 4) else [1]
    if not starts or not ends or not steps:
        return None
    start, end, step, length = starts[0], ends[0], steps[0], len(data[0])
    # As Python slices, but for an end below -length, which NumPy's clamping treats as the beginning.
    end = None if step < 0 and end < -length else end
    return data[0][start:end:step], True


def _concat(vectors: Vectors, node: ir.Node):
    parts = [vectors.of(value) for value in node.inputs]
    if any(part is None or not part[1] for part in parts):
        return None
    return [item for part in parts for item in part[0]], True


def _to_vector(vectors: Vectors, node: ir.Node):
    data = vectors.of(node.inputs[0])
    return (data[0], True) if data is not None and not data[1] else None


def _to_scalar(vectors: Vectors, node: ir.Node):
    data = vectors.of(node.inputs[0])
    return (data[0], False) if data is not None and data[1] and len(data[0]) == 1 else None


def _same(vectors: Vectors, node: ir.Node):
    return vectors.of(node.inputs[0])


def _cast(vectors: Vectors, node: ir.Node):
    kinds = (ir.DataType.INT64, ir.DataType.INT32)
    return vectors.of(node.inputs[0]) if node.attributes.get_int("to", 0) in kinds else None


def _reshape(vectors: Vectors, node: ir.Node):
    data, target = vectors.of(node.inputs[0]), vectors.of(node.inputs[1])
    if data is None or target is None or len(target[0]) > 1:
        return None
    return data[0], len(target[0]) == 1


def _elementwise(function: Callable[[Element, Element], Element]):
    def rule(vectors: Vectors, node: ir.Node):
        a, b = vectors.of(node.inputs[0]), vectors.of(node.inputs[1])
        if a is None or b is None:
            return None
        length = max(len(a[0]), len(b[0])) if a[0] and b[0] else 0
        if any(len(part[0]) not in (1, length) for part in (a, b)):
            return None
        spread = (part[0] * length if len(part[0]) == 1 else part[0] for part in (a, b))
        return [function(x, y) for x, y in zip(*spread, strict=True)], a[1] or b[1]

    return rule


def _numbers(function: Callable[[int, int], int], neutral: int | None = None, commutes: bool = True):
    """Of two numbers their result; of a name and the neutral element the name."""

    def element(x: Element, y: Element) -> Element:
        if isinstance(x, int) and isinstance(y, int):
            return function(x, y)
        if neutral is not None and y == neutral:
            return x
        return y if neutral is not None and commutes and x == neutral else None

    return _elementwise(element)


def _quotient(x: int, y: int) -> int | None:
    return int(abs(x) // abs(y)) * (1 if (x < 0) == (y < 0) else -1) if y else None


def _equal(x: Element, y: Element) -> Element:
    if isinstance(x, int) and isinstance(y, int):
        return int(x == y)
    # A dimension is never negative.
    negative = any(isinstance(item, int) and item < 0 for item in (x, y))
    return 0 if negative and x is not None and y is not None else None


def _where(vectors: Vectors, node: ir.Node):
    parts = [vectors.of(value) for value in node.inputs]
    if any(part is None for part in parts):
        return None
    length = max(len(part[0]) for part in parts)
    if any(len(part[0]) not in (1, length) for part in parts):
        return None
    which, yes, no = (part[0] * length if len(part[0]) == 1 else part[0] for part in parts)
    chosen = [None if w is None else (y if w else n) for w, y, n in zip(which, yes, no, strict=True)]
    return chosen, any(part[1] for part in parts)


RULES = {
    "Shape": _shape,
    "Size": _size,
    "Gather": _gather,
    "Slice": _slice,
    "Concat": _concat,
    "Unsqueeze": _to_vector,
    "Squeeze": _to_scalar,
    "Identity": _same,
    "Cast": _cast,
    "Reshape": _reshape,
    "Add": _numbers(lambda x, y: x + y, 0),
    "Sub": _numbers(lambda x, y: x - y, 0, commutes=False),
    "Mul": _numbers(lambda x, y: x * y, 1),
    "Div": _numbers(_quotient, 1, commutes=False),
    "Min": _numbers(min),
    "Max": _numbers(max),
    "Equal": _elementwise(_equal),
    "Where": _where,
}
