# SPDX-License-Identifier: Apache-2.0
"""Computes what depends on constants alone."""

from __future__ import annotations

import functools

import numpy as np
import onnx_ir as ir
import onnx_ir.passes.common as common
from onnx.reference.ops import load_op

from ascend_vision_ops.onnx.passes._base import GraphPass, register
from ascend_vision_ops.onnx.passes._shapes import Vectors, infer, infer_node, is_static
from ascend_vision_ops.onnx.passes._values import constant, constant_tensor, new_initializer, opset
from ascend_vision_ops.opgen.model import Tolerance

# A result may be this much larger than the constants that go away with the node.
GROWTH_BYTES = 1 << 20
RANDOM = {
    "RandomUniform",
    "RandomNormal",
    "RandomUniformLike",
    "RandomNormalLike",
    "Multinomial",
    "Bernoulli",
}
# These carry the scales that a converter of quantised models looks for.
QUANTISED = {"QuantizeLinear", "DequantizeLinear", "DynamicQuantizeLinear"}


@register
class FoldConstants(GraphPass):
    name = "fold_constants"
    summary = "computes nodes whose inputs are constants or known shapes, also around custom nodes"
    tolerance = Tolerance(largest=1e-6, why="NumPy's functions and the runtime's differ in the last bits")

    def transform(self, model: ir.Model) -> int:
        folded = sum(node.op_type == "Constant" for node in model.graph.all_nodes())
        common.LiftConstantsToInitializersPass(lift_all_constants=True, size_limit=0)(model)
        folded -= sum(node.op_type == "Constant" for node in model.graph.all_nodes())
        infer(model)
        vectors = Vectors()
        for graph in list(model.graphs()):
            for node in graph:
                folded += self._visit(node, graph, model, vectors)
        return folded

    def _visit(self, node: ir.Node, graph: ir.Graph, model: ir.Model, vectors: Vectors) -> int:
        # What was folded above may tell more of this node than inference knew.
        if not all(is_static(value) for value in node.outputs):
            infer_node(node, model)
        vectors.visit(node)
        if any(value.is_graph_output() for value in node.outputs):
            return 0  # an output is made by a node
        arrays = self._values(node, model, vectors)
        if arrays is None:
            return 0
        for value, array in zip(node.outputs, arrays, strict=True):
            if value.uses():
                made = new_initializer(graph, f"{value.name}_folded", array)
                ir.convenience.replace_all_uses_with(value, made)
        graph.remove(node, safe=True)
        return 1

    def _values(self, node: ir.Node, model: ir.Model, vectors: Vectors) -> list[np.ndarray] | None:
        """The outputs as arrays, None where they are not constant or not to be computed."""
        if node.domain != "" or (len(node.outputs) == 1 and not node.outputs[0].uses()):
            return None
        if len(node.outputs) == 1 and (array := vectors.numbers(node.outputs[0])) is not None:
            dtype = node.outputs[0].dtype or ir.DataType.INT64
            return [array.astype(dtype.numpy())]
        if node.op_type in RANDOM | QUANTISED or not node.inputs:
            return None
        tensors = [constant_tensor(value) for value in node.inputs if value is not None]
        if any(tensor is None or tensor.dtype == ir.DataType.STRING for tensor in tensors):
            return None
        gone = sum(
            tensor.nbytes
            for value, tensor in zip((v for v in node.inputs if v is not None), tensors, strict=True)
            if len(value.uses()) == 1
        )
        if _known_bytes(node) > gone + GROWTH_BYTES:
            return None
        arrays = _evaluate(node, opset(model))
        if arrays is None or sum(array.nbytes for array in arrays) > gone + GROWTH_BYTES:
            return None
        return arrays


def _known_bytes(node: ir.Node) -> int:
    known = [value for value in node.outputs if is_static(value) and value.dtype is not None]
    return sum(int(np.prod(value.shape.numpy(), dtype=np.int64)) * value.dtype.itemsize for value in known)


@functools.cache
def _operator(op_type: str, version: int):
    try:
        return load_op("", op_type, version)
    except Exception:  # the reference evaluator has no such operator
        return None


def _evaluate(node: ir.Node, version: int) -> list[np.ndarray] | None:
    operator = _operator(node.op_type, version)
    kinds = {attribute.type for attribute in node.attributes.values()}
    if operator is None or kinds & {ir.AttributeType.GRAPH, ir.AttributeType.GRAPHS}:
        return None
    attributes = {
        name: ir.serde.serialize_tensor(item.value) if item.type == ir.AttributeType.TENSOR else item.value
        for name, item in node.attributes.items()
    }
    try:
        with np.errstate(all="ignore"):
            found = operator.eval(
                *(constant(value) for value in node.inputs), n_outputs=len(node.outputs), **attributes
            )
    except Exception:  # a case that the reference implementation lacks
        return None
    arrays = list(found) if isinstance(found, tuple) else [found]
    if len(arrays) != len(node.outputs) or not all(isinstance(array, np.ndarray) for array in arrays):
        return None
    for value, array in zip(node.outputs, arrays, strict=True):
        if value.dtype is not None and value.dtype.numpy() != array.dtype:
            return None
    return arrays
