# SPDX-License-Identifier: Apache-2.0
"""Computes in float16 what may be computed in it. Inputs and outputs of the model keep their types."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping

import numpy as np
import onnx
import onnx_ir as ir

from ascend_vision_ops.onnx.execute import Runner
from ascend_vision_ops.onnx.files import ModelError
from ascend_vision_ops.onnx.passes._base import Feeds, GraphPass, register
from ascend_vision_ops.onnx.passes._shapes import infer_shapes
from ascend_vision_ops.onnx.passes._values import (
    CONTROL_FLOW,
    RANDOM,
    constant_tensor,
    label,
    new_initializer,
    opset,
)
from ascend_vision_ops.opgen.model import Tolerance

FLOAT, HALF = ir.DataType.FLOAT, ir.DataType.FLOAT16
LARGEST, SMALLEST = 65504.0, float(np.finfo(np.float16).smallest_normal)
ALLOWED = Tolerance(
    largest=5e-2, relative=5e-2, why="float16 has 11 bits, and errors add up from node to node"
)


@register
class ToFloat16(GraphPass):
    """kept: the nodes that stay float32, each with the reason. errors: of each output the largest difference that a
    check found, and the largest element of the output in float32.

    keep: types, names of nodes, or names of outputs of nodes that stay float32, with + between them.
    feeds: makes inputs for a model, to measure how large values become; without it, only the weights tell what float16
        cannot hold. unmeasured: why that was not possible, "" where it was.
    """

    name = "to_float16"
    summary = "computes in float16, except for nodes that cannot; inputs and outputs keep their types"
    argument = "KEEP+KEEP"
    tolerance = ALLOWED
    demanded = True

    def __init__(self, keep: str = "", feeds: Callable[[ir.Model], list[Feeds]] | None = None):
        self.keep = {part for part in keep.split("+") if part}
        self.feeds = feeds
        self.ranges: dict[str, tuple[float, float]] = {}
        self.unmeasured = "" if feeds else "no inputs were run"
        self.kept: list[tuple[str, str]] = []
        self.errors: dict[str, tuple[float, float]] = {}

    def transform(self, model: ir.Model) -> int:
        infer_shapes(model)
        if self.feeds:
            try:
                self.ranges = measured_ranges(model, self.feeds(model))
            except ModelError as error:
                self.unmeasured = str(error)
        self.kept = []
        nodes = [node for node in model.graph if self._fits(node, model)]
        return _Change(model, nodes).run()

    def pairs(self, before, after, make):
        for name, want, got in super().pairs(before, after, make):
            if (
                got is not None
                and np.shape(got) == np.shape(want)
                and np.issubdtype(np.asarray(want).dtype, np.floating)
            ):
                with np.errstate(invalid="ignore"):
                    error = np.nan_to_num(np.abs(np.asarray(want, np.float64) - got)).max(initial=0.0)
                old = self.errors.get(name, (0.0, 0.0))
                self.errors[name] = (
                    max(old[0], float(error)),
                    max(old[1], float(np.abs(want).max(initial=0.0))),
                )
            yield name, want, got

    def _fits(self, node: ir.Node, model: ir.Model) -> bool:
        """Whether a node can be computed in float16. Where it has float32 and stays so, `kept` gets the reason."""
        values = [value for value in (*node.inputs, *node.outputs) if value is not None]
        if not any(value.dtype in (FLOAT, None) for value in values):
            return False
        reason = self._reason(node, model)
        if reason:
            self.kept.append((label(node), reason))
        return not reason

    def _reason(self, node: ir.Node, model: ir.Model) -> str:
        values = [*node.inputs, *node.outputs]
        names = {node.op_type, node.name, *(value.name for value in node.outputs)}
        if names & self.keep:
            return "named by the user"
        if node.op_type in CONTROL_FLOW and node.domain == "":
            return "its graphs stay float32"
        if node.op_type in RANDOM and node.domain == "":
            return "random numbers would be others"
        if any(value is not None and value.name and value.type is None for value in values):
            return "the type of an input or output is not known"
        if any(
            value is not None and value.name and not isinstance(value.type, ir.TensorType) for value in values
        ):
            return "an input or output is no tensor"
        formals = formals_of(node, model)
        if formals is None:
            return "its schema is not known"
        inputs, outputs = formals
        if not any(
            value is not None and _is_float(value) and takes_half(formal)
            for value, formal in (
                *zip(node.inputs, inputs, strict=False),
                *zip(node.outputs, outputs, strict=False),
            )
        ):
            return "ONNX defines it for float32 alone"
        if node.domain == "" and "dtype" in node.attributes:
            return "an attribute says its type"
        return self._out_of_range(node)

    def _out_of_range(self, node: ir.Node) -> str:
        for value in node.inputs:
            tensor = constant_tensor(value)
            if tensor is None or tensor.dtype != FLOAT or not tensor.size:
                continue
            size = np.abs(tensor.numpy())
            if size.max() > LARGEST:
                return f"weight {value.name} reaches {size.max():.3g}, float16 ends at {LARGEST:.0f}"
            if 0 < size.max() < SMALLEST:
                return f"weight {value.name} stays below {size.max():.2g}, where float16 loses digits"
        for value in (*node.inputs, *node.outputs):
            low, high = self.ranges.get(value.name, (0.0, 0.0)) if value is not None else (0.0, 0.0)
            size = max(abs(low), abs(high))
            if size > LARGEST:
                return f"{value.name} reaches {size:.3g}, float16 ends at {LARGEST:.0f}"
            if 0 < size < SMALLEST:
                return f"{value.name} stays below {size:.2g}, where float16 loses digits"
        return ""


def formals_of(node: ir.Node, model: ir.Model) -> tuple[list, list] | None:
    """The types that a node's schema allows for each of its inputs and outputs; None without a schema."""
    version = opset(model) if node.domain == "" else model.graph.opset_imports.get(node.domain, 1)
    try:
        schema = onnx.defs.get_schema(node.op_type, version, node.domain)
    except onnx.defs.SchemaError:
        return None

    def spread(formals: Iterable, count: int) -> list:
        rows = [formal.types for formal in formals]
        return [rows[min(index, len(rows) - 1)] for index in range(count)] if rows else []

    return spread(schema.inputs, len(node.inputs)), spread(schema.outputs, len(node.outputs))


def takes_half(types: Iterable[str]) -> bool:
    return "tensor(float16)" in types


class _Change:
    """Rewrites the main graph: `nodes` compute in float16, casts stand where a value is needed in the other type."""

    def __init__(self, model: ir.Model, nodes: list[ir.Node]):
        self.model, self.low = model, set(nodes)
        self.half: set[ir.Value] = set()  # values that were float32
        self.casts: dict[tuple[ir.Value, ir.DataType], ir.Value] = {}

    def run(self) -> int:
        graph = self.model.graph
        count = 0
        for node in list(graph):
            count += self._node(node, node in self.low)
        for index, value in enumerate(graph.outputs):
            if value in self.half:
                name = value.name
                value.name = f"{name}_float16"
                full = self._cast(value, FLOAT)
                full.name, full.shape = name, value.shape
                graph.outputs[index] = full
        for name, value in list(graph.initializers.items()):
            if (
                (value, HALF) in self.casts
                and not value.uses()
                and not value.is_graph_output()
                and not value.is_graph_input()
            ):
                del graph.initializers[name]
        return count

    def _node(self, node: ir.Node, low: bool) -> int:
        inputs, outputs = formals_of(node, self.model) if low else ((), ())
        for index, value in enumerate(node.inputs):
            if value is None:
                continue
            wants = low and takes_half(inputs[index])
            if value in self.half and not wants:
                node.replace_input_with(index, self._cast(value, FLOAT, node))
            elif wants and _is_float(value) and value not in self.half:
                node.replace_input_with(index, self._narrow(value, node))
        if not low:
            self._inner(node)
            return 0
        if node.op_type == "Cast" and node.domain == "" and node.attributes.get_int("to", 0) == FLOAT:
            node.attributes["to"] = ir.AttrInt64("to", int(HALF))
        for name in ("value", "value_float", "value_floats"):
            self._constant(node, name)
        for value, types in zip(node.outputs, outputs, strict=False):
            if _is_float(value) and takes_half(types):
                value.type = ir.TensorType(HALF)
                self.half.add(value)
        return 1

    def _inner(self, node: ir.Node) -> None:
        """Graphs in attributes of a node use float32 values of this graph."""
        stack = [item.value for item in node.attributes.values() if item.type == ir.AttributeType.GRAPH]
        while stack:
            graph = stack.pop()
            for inner in graph:
                stack += [
                    item.value for item in inner.attributes.values() if item.type == ir.AttributeType.GRAPH
                ]
                for index, value in enumerate(inner.inputs):
                    if value in self.half:
                        inner.replace_input_with(index, self._cast(value, FLOAT, node))
            for index, value in enumerate(graph.outputs):
                if value in self.half:
                    graph.outputs[index] = self._cast(value, FLOAT, node)

    def _constant(self, node: ir.Node, name: str) -> None:
        attribute = node.attributes.get(name)
        if attribute is None or node.domain or node.op_type not in ("Constant", "ConstantOfShape"):
            return
        if attribute.type == ir.AttributeType.TENSOR:
            array = attribute.value.numpy()
            if array.dtype != np.float32:
                return
        else:
            array = np.array(attribute.value, np.float32)
        del node.attributes[name]
        node.attributes["value"] = ir.AttrTensor("value", ir.Tensor(_rounded(array), dtype=HALF))

    def _narrow(self, value: ir.Value, node: ir.Node) -> ir.Value:
        tensor = constant_tensor(value) if value.producer() is None else None
        if tensor is None:
            return self._cast(value, HALF, node)
        if (value, HALF) not in self.casts:
            made = new_initializer(self.model.graph, f"{value.name}_float16", _rounded(tensor.numpy()))
            self.casts[value, HALF] = made
        return self.casts[value, HALF]

    def _cast(self, value: ir.Value, to: ir.DataType, user: ir.Node | None = None) -> ir.Value:
        """The value in the other type, made by one Cast right behind what makes it."""
        if (value, to) not in self.casts:
            cast = ir.node("Cast", [value], {"to": int(to)})
            made = cast.outputs[0]
            made.name, made.type, made.shape = (
                f"{value.name}_{to.name.lower()}",
                ir.TensorType(to),
                value.shape,
            )
            producer = value.producer()
            graph = self.model.graph
            if producer is not None:
                graph.insert_after(producer, cast)
            elif len(graph):
                graph.insert_before(graph[0], cast)
            self.casts[value, to] = made
        return self.casts[value, to]


def _is_float(value: ir.Value) -> bool:
    """Whether a value is a tensor of float32; a sequence of such tensors has the same dtype."""
    return value.dtype == FLOAT and isinstance(value.type, ir.TensorType)


def _rounded(array: np.ndarray) -> np.ndarray:
    with np.errstate(over="ignore"):
        return array.astype(np.float16)


def measured_ranges(
    model: ir.Model, feeds: Iterable[Mapping[str, np.ndarray]]
) -> dict[str, tuple[float, float]]:
    """Smallest and largest finite element of each float32 value of the main graph, on some inputs.

    Raises ModelError where nothing can run the model.
    """
    exposed = model.clone()
    infer_shapes(exposed)
    given = set(exposed.graph.outputs)
    made = [
        value
        for node in exposed.graph
        for value in node.outputs
        if value.name and value not in given and _is_float(value)
    ]
    exposed.graph.outputs.extend(made)
    runner = Runner(exposed)
    found: dict[str, tuple[float, float]] = {}
    for feed in feeds:
        for name, array in runner(feed).items():
            if not isinstance(array, np.ndarray) or array.dtype != np.float32:
                continue
            finite = array[np.isfinite(array)]
            if finite.size:
                low, high = found.get(name, (np.inf, -np.inf))
                found[name] = min(low, float(finite.min())), max(high, float(finite.max()))
    return found
