# SPDX-License-Identifier: Apache-2.0
"""Computes nodes that depend on constants only."""

from __future__ import annotations

import math

import numpy as np
import onnx_ir as ir
import onnx_ir.passes.common as common

from ascend_vision_ops.onnx.files import weight_bytes
from ascend_vision_ops.onnx.passes._base import GraphPass, register
from ascend_vision_ops.onnx.passes._compute import compute
from ascend_vision_ops.onnx.passes._shapes import Vectors, is_static, walk
from ascend_vision_ops.onnx.passes._values import (
    RANDOM,
    constant,
    constant_tensor,
    graphs_of,
    is_onnx,
    new_initializer,
    node_count,
    opset,
    remove_unused,
)
from ascend_vision_ops.opgen.model import Tolerance

# No result is computed that is this much larger than the constants that go away with the node.
GROWTH_BYTES = 1 << 20
# Results that go to the file may be larger than the constants that go away, as long as the file is smaller than at
# first. Those of SMALL_BYTES always may: no node takes less.
SMALL_BYTES = 48
# Nodes whose results may be much larger than their inputs. They are computed only where the size is known before.
GROWS = {"ConstantOfShape", "Expand", "OneHot", "Pad", "Range", "Resize", "Tile", "Upsample"}
SMALL = 64  # elements of arrays that are compared, to keep equal ones once
# Converters of quantised models look for these nodes and their scales.
QUANTISED = {"QuantizeLinear", "DequantizeLinear", "DynamicQuantizeLinear"}


@register
class FoldConstants(GraphPass):
    name = "fold_constants"
    summary = "computes nodes whose inputs are constants or known shapes, also around custom nodes"
    tolerance = Tolerance(
        largest=1e-6, why="NumPy's functions and those of the device differ in the last bits"
    )

    def __init__(self, shapes_only: bool = False):
        self.shapes_only = shapes_only  # folds no more than shapes and what they are computed from
        # A model, and about how many bytes its file had before the first round.
        self.at_first: tuple[ir.Model | None, int] = None, 0

    def transform(self, model: ir.Model) -> int:
        before = node_count(model)
        if self.at_first[0] is not model:
            self.at_first = model, _file_bytes(model)
        common.LiftConstantsToInitializersPass(lift_all_constants=True, size_limit=0)(model)
        folding = _Folding(model, self.shapes_only, self.at_first[1] - _file_bytes(model))
        for graph, node, vectors in walk(model):
            folding.visit(graph, node, vectors)
        for graph in reversed(graphs_of(model)):
            remove_unused(graph)
        # Each added Squeeze is a change, but hides a node that was removed.
        return before - node_count(model) + 2 * folding.mended


class _Folding:
    """The arrays of constant values. Those that other nodes read become weights; equal small ones become one."""

    def __init__(self, model: ir.Model, shapes_only: bool, room: int):
        self.model, self.shapes_only = model, shapes_only
        self.room = room  # bytes by which results may still make the file larger
        self.arrays: dict[ir.Value, np.ndarray] = {}
        self.gone: dict[ir.Value, int] = {}  # bytes of the constants that go away with each of them
        self.weights: dict[tuple, ir.Value] = {}
        self.mended = 0  # nodes that were added
        self.kept: set[ir.Value] = set()  # whose nodes stay, since their results are too large for the file

    def visit(self, graph: ir.Graph, node: ir.Node, vectors: Vectors) -> None:
        if is_onnx(node, "Range"):
            self._give_scalars(graph, node)
        # An output of the graph must be made by a node, even from constants.
        if not any(value.is_graph_output() for value in node.outputs):
            arrays = self._compute(node, vectors)
            if arrays is not None:
                self.arrays.update(zip(node.outputs, arrays, strict=True))
                self.room += _node_bytes(node)
                return
        for index, value in enumerate(node.inputs):
            if value is not None and value in self.arrays:
                node.replace_input_with(index, self._weight(value))
        for attribute in node.attributes.values():
            if attribute.type == ir.AttributeType.GRAPH:
                self._feed(attribute.as_graph())

    def _give_scalars(self, graph: ir.Graph, node: ir.Node) -> None:
        """Range takes scalars. ONNX Runtime takes vectors of one element, too, as long as it does not know their rank.

        Behind a branch it does not; where the branch is chosen, it does. onnx's own function AffineGrid is such a case.
        """
        for index, value in enumerate(node.inputs):
            rank = None if value is None or value.shape is None else len(value.shape)
            if rank == 1:
                squeeze = ir.Node("", "Squeeze", [value], name=f"{node.outputs[0].name}_scalar{index}")
                made = squeeze.outputs[0]
                made.name, made.type, made.shape = squeeze.name, value.type, ir.Shape([])
                graph.insert_before(node, squeeze)
                node.replace_input_with(index, made)
                self.mended += 1

    def _feed(self, graph: ir.Graph) -> None:
        """Makes weights of the outer values that a subgraph reads or returns."""
        for node in graph.all_nodes():
            for index, value in enumerate(node.inputs):
                if value is not None and value in self.arrays:
                    node.replace_input_with(index, self._weight(value))
        for index, value in enumerate(graph.outputs):
            if value in self.arrays:
                graph.outputs[index] = self._weight(value)

    def _weight(self, value: ir.Value) -> ir.Value:
        """The weight with the numbers of a value; the value itself where it would make the file larger."""
        array = self.arrays[value]
        small = array.size <= SMALL
        key = (array.dtype.str, array.shape, array.tobytes()) if small else (id(value),)
        if key not in self.weights:
            growth = array.nbytes - self.gone[value]
            if growth > max(SMALL_BYTES, self.room):
                node = value.producer()
                self.room -= 0 if value in self.kept else _node_bytes(node)
                self.kept.add(value)
                for index, item in enumerate(node.inputs):
                    if item is not None and item in self.arrays:
                        node.replace_input_with(index, self._weight(item))
                return value
            self.room -= growth
            self.weights[key] = new_initializer(self.model.graph, f"{value.name}_folded", array)
        return self.weights[key]

    def _compute(self, node: ir.Node, vectors: Vectors) -> list[np.ndarray] | None:
        """The outputs of a node as arrays; None where they are not constant or must not be computed."""
        if node.domain != "":
            return None
        if len(node.outputs) == 1 and (array := vectors.numbers(node.outputs[0])) is not None:
            dtype = node.outputs[0].dtype or ir.DataType.INT64
            self.gone[node.outputs[0]] = 0
            return [array.astype(dtype.numpy(), copy=False)]
        if not node.inputs or node.op_type in RANDOM | QUANTISED:
            return None
        if (
            node.op_type == "Identity" and _known_bytes(node) > SMALL_BYTES
        ):  # remove_identity copies no weight
            return None
        if (
            node.op_type == "CastLike" and node.inputs[1].dtype is not None
        ):  # the second's type is all it takes
            array = self._array(node.inputs[0])
            self.gone[node.outputs[0]] = 0
            return None if array is None else [array.astype(node.inputs[1].dtype.numpy())]
        gone, tensors = 0, []
        for value in node.inputs:
            if value is None:
                continue
            tensor = self.arrays.get(value)
            if tensor is None:
                tensor = constant_tensor(value)
                if tensor is None or tensor.dtype == ir.DataType.STRING:
                    return None
            if len(value.uses()) == 1:
                gone += self.gone.get(value, tensor.nbytes)
            tensors.append(tensor)
        if _known_bytes(node) > gone + GROWTH_BYTES:
            return None
        if node.op_type in GROWS and not all(is_static(value) for value in node.outputs):
            return None
        tensors = iter(tensors)
        arrays = compute(
            node, opset(self.model), [v if v is None else _numpy(next(tensors)) for v in node.inputs]
        )
        if arrays is None or sum(array.nbytes for array in arrays) > gone + GROWTH_BYTES:
            return None
        if self.shapes_only and any(array.ndim > 1 or array.size > SMALL for array in arrays):
            return None
        self.gone |= dict.fromkeys(node.outputs, gone)
        return arrays

    def _array(self, value: ir.Value) -> np.ndarray | None:
        return self.arrays[value] if value in self.arrays else constant(value)


def _numpy(tensor) -> np.ndarray:
    return tensor if isinstance(tensor, np.ndarray) else tensor.numpy()


def _file_bytes(model: ir.Model) -> int:
    """About what a model takes in its file; rather too little, since stated shapes do not count."""
    names = sum(len(name) + 12 for graph in model.graphs() for name in graph.initializers)
    return (
        weight_bytes(model) + names + sum(_node_bytes(node) for graph in graphs_of(model) for node in graph)
    )


def _node_bytes(node: ir.Node) -> int:
    """About what a node takes in the file, and its weight does not: the weight gets a name, too."""
    values = [value.name for value in (*node.inputs, *node.outputs) if value is not None]
    names = sum(2 + len(name or "") for name in (node.name, node.op_type, *values))
    return 4 + names + sum(map(_attribute_bytes, node.attributes.values()))


def _attribute_bytes(attribute: ir.Attr) -> int:
    held = 2
    if attribute.type == ir.AttributeType.TENSOR and not attribute.is_ref():
        held = attribute.value.nbytes + 8
    elif attribute.type == ir.AttributeType.INTS and not attribute.is_ref():
        held = 2 * len(attribute.value)
    return 8 + len(attribute.name) + held


def _known_bytes(node: ir.Node) -> int:
    unsized = None, ir.DataType.UNDEFINED, ir.DataType.STRING
    known = [value for value in node.outputs if value.dtype not in unsized and is_static(value)]
    return sum(math.prod(value.shape) * value.dtype.itemsize for value in known)
