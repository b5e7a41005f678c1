# SPDX-License-Identifier: Apache-2.0
"""Makes one Gemm of a product of matrices and a sum behind it; a transposition before it becomes an attribute."""

from __future__ import annotations

import numpy as np
import onnx_ir as ir

from ascend_vision_ops.onnx.passes._base import ROUNDED, NodePass, Refused, register
from ascend_vision_ops.onnx.passes._convs import only_user
from ascend_vision_ops.onnx.passes._values import constant, is_onnx, opset, supersede


@register
class FuseGemm(NodePass):
    name = "fuse_gemm"
    summary = "MatMul of two matrices and Add of a constant become Gemm; Transpose before Gemm becomes its attribute"
    tolerance = ROUNDED
    op_types = frozenset({"Add", "Gemm"})

    def applies(self, node: ir.Node, model: ir.Model) -> bool:
        if opset(model) < 11:  # before, the third input of Gemm is not optional
            return False
        return bool(_transposed(node)) if node.op_type == "Gemm" else _product(node) is not None

    def transform(self, node: ir.Node, model: ir.Model) -> None:
        if node.op_type == "Add":
            product, added = _product(node)
            product.op_type = "Gemm"
            product.resize_inputs(3)
            product.replace_input_with(2, added)
            supersede(node, product.outputs[0], rename=True)
            return
        for index in _transposed(node):
            inner, name = node.inputs[index].producer(), ("transA", "transB")[index]
            node.attributes[name] = ir.AttrInt64(name, 1 - node.attributes.get_int(name, 0))
            node.replace_input_with(index, inner.inputs[0])
            if not inner.outputs[0].uses() and not inner.outputs[0].is_graph_output():
                inner.graph.remove(inner, safe=True)


def _transposed(node: ir.Node) -> list[int]:
    """The factors of a Gemm that a Transpose makes."""
    makers = [value.producer() for value in node.inputs[:2]]
    return [index for index, maker in enumerate(makers) if is_onnx(maker, "Transpose")]


def _product(node: ir.Node) -> tuple[ir.Node, ir.Value] | None:
    """The MatMul before an Add, and the constant that the Add adds; None where there is no such product."""
    for place in (0, 1):
        product, added = node.inputs[place].producer(), node.inputs[1 - place]
        array = constant(added)
        if not is_onnx(product, "MatMul") or array is None or product.graph is not node.graph:
            continue
        only_user(product.outputs[0])
        shapes = [value.shape for value in product.inputs]
        if any(shape is None or len(shape) != 2 for shape in shapes):
            raise Refused("Gemm takes matrices; a factor has another number of dimensions, or an unknown one")
        if array.dtype not in (np.float16, np.float32, np.float64):
            raise Refused(f"its type is {array.dtype}, expected a floating one")
        dims = (1,) * (2 - array.ndim) + array.shape
        if len(dims) != 2 or dims[0] != 1 or dims[1] not in (1, shapes[1][1]):
            raise Refused(f"the constant of shape {list(array.shape)} is not one row of the product")
        return product, added
    return None
