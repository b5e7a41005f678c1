# SPDX-License-Identifier: Apache-2.0
"""Makes one node of two in a row that multiply with constants, or that add constants."""

from __future__ import annotations

import numpy as np
import onnx_ir as ir

from ascend_vision_ops.onnx.passes._base import ROUNDED, NodePass, Refused, register
from ascend_vision_ops.onnx.passes._convs import only_user
from ascend_vision_ops.onnx.passes._values import constant, is_onnx, new_initializer

PRODUCTS, SUMS = ("Mul", "Div"), ("Add", "Sub")


@register
class MergeConstants(NodePass):
    name = "merge_constants"
    summary = "two Mul or Div by constants in a row become one, so do two Add or Sub of constants"
    tolerance = ROUNDED
    op_types = frozenset({*PRODUCTS, *SUMS})

    def applies(self, node: ir.Node, model: ir.Model) -> bool:
        return _merged(node) is not None

    def transform(self, node: ir.Node, model: ir.Model) -> None:
        inner, x, made = _merged(node)
        node.op_type = "Mul" if node.op_type in PRODUCTS else "Add"
        node.replace_input_with(0, x)
        node.replace_input_with(1, new_initializer(node.graph, f"{node.outputs[0].name}_constant", made))
        node.graph.remove(inner, safe=True)


def _operands(node: ir.Node) -> tuple[ir.Value, np.ndarray] | None:
    """What the node changes and the constant, for x * c, c * x, x / c, x + c, c + x and x - c; None for others."""
    arrays = [constant(value) for value in node.inputs]
    if (arrays[0] is None) == (arrays[1] is None):
        return None
    if arrays[1] is not None:
        return node.inputs[0], arrays[1]
    return (node.inputs[1], arrays[0]) if node.op_type in ("Mul", "Add") else None


def _merged(node: ir.Node) -> tuple[ir.Node, ir.Value, np.ndarray] | None:
    """The node before, what it changes, and the constant for both nodes; None where there is no such node."""
    outer = _operands(node)
    inner = None if outer is None else outer[0].producer()
    if not is_onnx(inner, *(PRODUCTS if node.op_type in PRODUCTS else SUMS)) or inner.graph is not node.graph:
        return None
    first = _operands(inner)
    if first is None:
        return None
    arrays = first[1], outer[1]
    dtype = arrays[0].dtype
    if dtype not in (np.float16, np.float32, np.float64):
        raise Refused(f"its type is {dtype}, expected a floating one")
    only_user(inner.outputs[0])
    shape = np.broadcast_shapes(*(array.shape for array in arrays))
    if np.prod(shape, dtype=np.int64) > max(array.size for array in arrays):
        raise Refused(f"the constant for both would have {np.prod(shape)} elements")
    return inner, first[0], _together((inner, node), arrays, dtype)


def _together(nodes, arrays, dtype) -> np.ndarray:
    wide = [array.astype(np.float64) for array in arrays]
    with np.errstate(all="ignore"):
        if nodes[0].op_type in PRODUCTS:
            exact = np.prod(
                np.broadcast_arrays(
                    *(1 / x if node.op_type == "Div" else x for node, x in zip(nodes, wide, strict=True))
                ),
                axis=0,
            )
        else:
            exact = sum(-x if node.op_type == "Sub" else x for node, x in zip(nodes, wide, strict=True))
        made = np.asarray(exact).astype(dtype)
    # Beyond the range of normal numbers, the factors one after the other would give another result.
    small = (np.abs(made) < np.finfo(dtype).tiny) & (nodes[0].op_type in PRODUCTS)
    if not np.isfinite(made).all() or small.any():
        raise Refused(f"the constant for both is beyond the range of {dtype}")
    return made
