# SPDX-License-Identifier: Apache-2.0
"""Shape inference, and arithmetic on the small integer vectors that exported graphs compute shapes with."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator

import numpy as np
import onnx
import onnx_ir as ir

from ascend_vision_ops.onnx.passes._values import (
    constant,
    constant_tensor,
    graphs_in,
    input_of,
    is_onnx,
    is_static,
    known_dim,
)

# An element of a shape vector: a number, the name of a dimension, or None where it is unknown.
Element = int | str | None
LONGEST = 64  # elements of a vector; longer ones are not followed

# The key in a node's `meta` for its inputs at the last inference. Files do not contain `meta`.
SEEN = "ascend_vision_ops.inferred_from"
SAME_AS_INPUT = {
    "Abs", "BatchNormalization", "Ceil", "Clip", "Dropout", "Elu", "Erf", "Exp", "Floor", "HardSigmoid", "HardSwish",
    "Identity", "LeakyRelu", "Log", "LogSoftmax", "Mish", "Neg", "PRelu", "Relu", "Round", "Selu", "Sigmoid", "Softmax",
    "Softplus", "Sqrt", "Tanh",
}  # fmt: skip
MOVES_INTEGERS = {"Gather", "Slice", "Concat", "Unsqueeze", "Squeeze"}
BROADCASTS = frozenset({"Add", "Sub", "Mul", "Div"})


def walk(model: ir.Model) -> Iterator[tuple[ir.Graph, ir.Node, Vectors]]:
    """All nodes in order, those of branches and bodies before the node that has these.

    Types, shapes and shape vectors of a node's outputs are inferred before it is given. The caller may remove the node,
    or replace its inputs.
    """
    yield from _walk(model.graph, model, Vectors())


def _walk(graph: ir.Graph, model: ir.Model, vectors: Vectors) -> Iterator[tuple[ir.Graph, ir.Node, Vectors]]:
    for node in graph:
        for inner in graphs_in(node):
            yield from _walk(inner, model, vectors)
        vectors.visit(node)
        infer_node(node, model, vectors)
        yield graph, node, vectors


def infer_shapes(model: ir.Model) -> None:
    """Infers types and shapes of all values. Outputs of unknown nodes keep those that the model states."""
    for _ in walk(model):
        pass


def infer_node(node: ir.Node, model: ir.Model, vectors: Vectors) -> None:
    """Infers types and shapes of a node's outputs, unless its inputs are the same as at the last inference."""
    if all(value.type is not None and is_static(value) for value in node.outputs):
        return
    if is_onnx(node, "If"):
        _infer_if(node)
        return
    seen = [(value.shape, value.const_value) for value in node.inputs if value is not None]
    before = node.meta.get(SEEN)
    if before is not None and _same_objects(before, seen):
        return
    node.meta[SEEN] = seen
    # Most nodes of a graph are of a few kinds. onnx's inference would serialise each of them.
    if node.domain == "" and len(node.outputs) == 1 and node.inputs and node.inputs[0] is not None:
        shape = _infer_simple(node, vectors)
        if shape is not None:
            _refine(node.outputs[0], shape, node.inputs[0].type)
            return
    _infer_by_onnx(node, model, vectors)


def _same_objects(a: list[tuple], b: list[tuple]) -> bool:
    return len(a) == len(b) and all(x[0] is y[0] and x[1] is y[1] for x, y in zip(a, b, strict=True))


def _infer_simple(node: ir.Node, vectors: Vectors) -> ir.Shape | None:
    x = node.inputs[0]
    if x.shape is None or x.type is None:
        return None
    if node.op_type in MOVES_INTEGERS and (found := vectors.known.get(node.outputs[0])):
        return ir.Shape([len(found[0])] if found[1] else [])
    if node.op_type in SAME_AS_INPUT:
        return x.shape
    if node.op_type in BROADCASTS and node.inputs[1].shape is not None:
        return _broadcast(x.shape, node.inputs[1].shape)
    if node.op_type in ("Reshape", "Expand") and len(node.inputs) > 1:
        target = vectors.of(node.inputs[1])
        if target is None or not target[1] or node.attributes.get_int("allowzero", 0):
            return None
        dims = list(x.shape)
        return _reshaped(dims, target[0]) if node.op_type == "Reshape" else _expanded(dims, target[0])
    return None


def _broadcast(a: ir.Shape, b: ir.Shape) -> ir.Shape | None:
    if a == b and not any(known_dim(dim) is None for dim in a):
        return a
    if len(a) < len(b):
        a, b = b, a
    dims = list(a)
    for axis, dim in enumerate(b, len(a) - len(b)):
        if dims[axis] == 1:
            dims[axis] = dim
        elif dim != 1 and (dims[axis] != dim or known_dim(dim) is None):
            return None
    return ir.Shape(dims)


def _reshaped(dims: list, target: list[Element]) -> ir.Shape | None:
    copied = [dims[axis] if item == 0 and axis < len(dims) else item for axis, item in enumerate(target)]
    made = [_dim(item) for item in copied]
    if made.count(-1) > 1:
        return None
    if -1 in made:
        rest, whole = [item for item in made if item != -1], list(dims)
        for dim in [
            dim for dim in rest if not isinstance(dim, int) and known_dim(dim) is not None and dim in whole
        ]:
            rest.remove(dim)  # an open dimension on both sides cancels out
            whole.remove(dim)
        static = all(isinstance(item, int) for item in [*rest, *whole])
        made[made.index(-1)] = math.prod(whole) // math.prod(rest) if static and math.prod(rest) else None
    return ir.Shape(made)


def _expanded(dims: list, target: list[Element]) -> ir.Shape | None:
    rank = max(len(dims), len(target))
    dims, target = [1] * (rank - len(dims)) + dims, [1] * (rank - len(target)) + list(target)
    return ir.Shape([_dim(item) if dim == 1 else dim for dim, item in zip(dims, target, strict=True)])


def _dim(item):
    """The dimension for an element of a shape vector. It is open where its name is not one of the model's."""
    if isinstance(item, str):
        return None if item.endswith("]") else ir.SymbolicDim(item)
    return item


def _infer_if(node: ir.Node) -> None:
    """An output has the type of what both branches return, and the dimensions in which they agree."""
    first, second = (node.attributes[name].as_graph().outputs for name in ("then_branch", "else_branch"))
    for value, a, b in zip(node.outputs, first, second, strict=True):
        if a.type is None or a.type != b.type:
            continue
        shape = None
        if a.shape is not None and b.shape is not None and len(a.shape) == len(b.shape):
            dims = zip(a.shape, b.shape, strict=True)
            shape = ir.Shape([x if known_dim(x) is not None and x == y else None for x, y in dims])
        _refine(value, shape, a.type)


def _infer_by_onnx(node: ir.Node, model: ir.Model, vectors: Vectors) -> None:
    if any(attribute.type == ir.AttributeType.GRAPH for attribute in node.attributes.values()):
        return
    inputs = [value for value in node.inputs if value is not None]
    if any(value.type is None for value in inputs):
        return
    types, data = {}, {}
    for value in inputs:
        types[value.name] = ir.serde.serialize_type(value.type)
        if value.shape is not None:
            ir.serde.serialize_shape_into(types[value.name], value.shape)
        tensor = constant_tensor(value)
        if tensor is not None and tensor.size <= LONGEST:
            data[value.name] = ir.serde.serialize_tensor(tensor)
        elif tensor is None and (array := vectors.numbers(value)) is not None and value.dtype is not None:
            # The number is known, although the value becomes a constant only when it is folded.
            data[value.name] = onnx.numpy_helper.from_array(array.astype(value.dtype.numpy()))
    try:
        schema = onnx.defs.get_schema(node.op_type, model.graph.opset_imports[node.domain], node.domain)
        found = onnx.shape_inference.infer_node_outputs(schema, ir.serde.serialize_node(node), types, data)
    except Exception:  # there is no schema, or inference gives up: the outputs stay as they are
        return
    for value in node.outputs:
        if value.name in found:
            shape = ir.serde.deserialize_type_proto_for_shape(found[value.name])
            _refine(value, shape, ir.serde.deserialize_type_proto_for_type(found[value.name]))


def _refine(value: ir.Value, shape: ir.Shape | None, kind: ir.TypeProtocol | None) -> None:
    """Adds an inferred type and shape to a value. A number that the model states stays where inference has none."""
    value.type = value.type or kind
    old = value.shape
    if shape is None or old is shape:
        return
    if old is not None and len(old) == len(shape):
        if all(_implies(a, b) for a, b in zip(old, shape, strict=True)):
            return
        shape = ir.Shape([a if _implies(a, b) else b for a, b in zip(old, shape, strict=True)])
    value.shape = shape


def _implies(old, new) -> bool:
    """Whether the dimension `old` tells at least as much as `new`: a number most, then a name."""
    return isinstance(old, int) or (
        not isinstance(new, int) and (known_dim(old) is not None or known_dim(new) is None)
    )


def dims_of(value: ir.Value) -> list[Element] | None:
    """The dimensions of a tensor. An open dimension without a name gets one: value[axis]."""
    if value.shape is None:
        return None
    return [
        dim if isinstance(dim, int) else known_dim(dim) or f"{value.name}[{axis}]"
        for axis, dim in enumerate(value.shape)
    ]


class Vectors:
    """The known elements of integer scalars and vectors.

    Nodes must be visited in the order of the graph.
    """

    def __init__(self):
        # For each value its elements, and whether it is a vector: one element may also be a scalar.
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
        """The value as an int64 array; None where an element is not a number."""
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
    return [math.prod(dims)], False


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
    # The rule is Python's, except for an end below -length with a negative step: it includes the first element.
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
        if len(node.inputs) != 2:
            return None
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
    """A rule for two elements: numbers give the function's result, a name and the neutral element give the name."""

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
