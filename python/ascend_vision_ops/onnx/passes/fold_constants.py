# SPDX-License-Identifier: Apache-2.0
"""Computes nodes that depend on constants only."""

from __future__ import annotations

import functools
import heapq
import itertools
from collections.abc import Callable

import numpy as np
import onnx_ir as ir
import onnx_ir.passes.common as common

from ascend_vision_ops.onnx.passes._base import GraphPass, register
from ascend_vision_ops.onnx.passes._compute import compute
from ascend_vision_ops.onnx.passes._shapes import Vectors, walk
from ascend_vision_ops.onnx.passes._sizes import file_bytes, node_bytes, result_bytes, weight_bytes
from ascend_vision_ops.onnx.passes._values import (
    RANDOM,
    constant,
    constant_tensor,
    graphs_of,
    is_onnx,
    is_static,
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
RESERVE = 32  # the part of what was saved that stays for the small weights of other passes
# Nodes whose results may be much larger than their inputs. They are computed only where the size is known before.
GROWS = {"ConstantOfShape", "Expand", "OneHot", "Pad", "Range", "Resize", "Tile", "Upsample"}
SMALL = 64  # elements of arrays that are compared, to keep equal ones once
# Converters of quantised models look for these nodes and their scales.
QUANTISED = {"QuantizeLinear", "DequantizeLinear", "DynamicQuantizeLinear"}

FOLDED = "_folded"  # at the end of the names of computed weights

# Gives a node or a graph the weight that it uses instead of a computed value.
Use = Callable[[ir.Value], None]


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
            self.at_first = model, file_bytes(model)
        common.LiftConstantsToInitializersPass(lift_all_constants=True, size_limit=0)(model)
        saved = self.at_first[1] - file_bytes(model)
        folding = _Folding(model, self.shapes_only, saved - abs(saved) // RESERVE)
        for graph, node, vectors in walk(model):
            folding.visit(graph, node, vectors)
        folding.settle()
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
        self.made: dict[ir.Value, ir.Value] = {}  # the weight of each value that has one
        self.waiting: dict[ir.Value, list[Use]] = {}  # who uses the values that `settle` decides on
        self.queue: list[tuple[int, int, ir.Value]] = []  # these values by the bytes that they add
        self.order = itertools.count()  # of two with as many bytes the first one counts
        self.kept: set[ir.Node] = set()  # nodes that stay, since their results are too large for the file
        self.mended = 0  # nodes that were added

    def visit(self, graph: ir.Graph, node: ir.Node, vectors: Vectors) -> None:
        if is_onnx(node, "Range"):
            self._give_scalars(graph, node)
        # An output of the graph must be made by a node, even from constants.
        if not any(value.is_graph_output() for value in node.outputs):
            arrays = self._compute(node, vectors)
            if arrays is not None:
                self.arrays.update(zip(node.outputs, arrays, strict=True))
                self.room += node_bytes(node)
                return
        self._read(node)
        for attribute in node.attributes.values():
            if attribute.type == ir.AttributeType.GRAPH:
                self._feed(attribute.as_graph())

    def _read(self, node: ir.Node) -> None:
        """Makes weights of the inputs of a node that stays."""
        for index, value in enumerate(node.inputs):
            if value is not None and value in self.arrays:
                self._want(value, functools.partial(node.replace_input_with, index))

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
            self._read(node)
        for index, value in enumerate(graph.outputs):
            if value in self.arrays:
                self._want(value, functools.partial(graph.outputs.__setitem__, index))

    def _want(self, value: ir.Value, use: Use) -> None:
        """Gives a value as a weight to who uses it: at once where it is small, else if `settle` finds room for it."""
        array = self.arrays[value]
        growth = _held(value, array) + len(FOLDED) - self.gone[value]
        if value in self.made or growth <= SMALL_BYTES:
            use(self._weight(value, growth))
            return
        if value not in self.waiting:
            self.waiting[value] = []
            heapq.heappush(self.queue, (growth, next(self.order), value))
        self.waiting[value].append(use)

    def settle(self) -> None:
        """Makes weights of what waits, as long as there is room, the smallest first: they remove the most nodes.

        Other nodes stay, and what they read is wanted then.
        """
        while self.queue:
            growth, _, value = heapq.heappop(self.queue)
            uses = self.waiting.pop(value)
            if growth <= self.room:
                weight = self._weight(value, growth)
                for use in uses:
                    use(weight)
                continue
            node = value.producer()
            if node not in self.kept:
                self.kept.add(node)
                self.room -= node_bytes(node)
                self._read(node)

    def _weight(self, value: ir.Value, growth: int) -> ir.Value:
        if value not in self.made:
            array = self.arrays[value]
            # Equal small ones become one.
            key = (array.dtype.str, array.shape, array.tobytes()) if array.size <= SMALL else (id(value),)
            if key not in self.weights:
                self.room -= growth
                self.weights[key] = new_initializer(self.model.graph, value.name + FOLDED, array)
            self.made[value] = self.weights[key]
        return self.made[value]

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
            node.op_type == "Identity" and result_bytes(node) > SMALL_BYTES
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
                gone += self.gone[value] if value in self.arrays else _held(value, tensor)
            tensors.append(tensor)
        if result_bytes(node) > gone + GROWTH_BYTES:
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
        whole = sum(array.nbytes for array in arrays) or 1
        for value, array in zip(node.outputs, arrays, strict=True):
            self.gone[value] = gone * array.nbytes // whole
        return arrays

    def _array(self, value: ir.Value) -> np.ndarray | None:
        return self.arrays[value] if value in self.arrays else constant(value)


def _held(value: ir.Value, tensor) -> int:
    """What an array takes in the file under the name of a value."""
    return weight_bytes(value.name, len(tensor.shape), tensor.nbytes)


def _numpy(tensor) -> np.ndarray:
    return tensor if isinstance(tensor, np.ndarray) else tensor.numpy()
