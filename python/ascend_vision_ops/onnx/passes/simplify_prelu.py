# SPDX-License-Identifier: Apache-2.0
"""Makes simpler nodes of PRelu whose slopes are all equal, and gives slopes for channels the shape that they need.

The bits are the same, except that Relu of minus infinity is 0, where a slope of 0 gives NaN.
"""

from __future__ import annotations

import numpy as np
import onnx_ir as ir

from ascend_vision_ops.onnx.passes._base import NodePass, Refused, register
from ascend_vision_ops.onnx.passes._values import (
    can_supersede,
    constant,
    constant_tensor,
    new_initializer,
    opset,
    supersede,
)

LARGEST = 1 << 16  # slopes; more of them are no channels


@register
class SimplifyPRelu(NodePass):
    name = "simplify_prelu"
    summary = (
        "PRelu of slopes 0 becomes Relu, of equal slopes LeakyRelu, of slopes 1 nothing; equal slopes are stored once; "
        "slopes (C,) that do not fit the last axis become (C, 1, …)"
    )
    op_types = frozenset({"PRelu"})

    def applies(self, node: ir.Node, model: ir.Model) -> bool:
        slope = constant_tensor(node.inputs[1])
        if slope is None:
            raise Refused(f"slope {node.inputs[1].name!r} is no constant")
        if opset(model) < 7 or slope.size > LARGEST or not slope.size:
            return False
        array = slope.numpy()
        if _by_channel(node, array):
            return True
        if not np.all(array == array.reshape(-1)[0]):
            return False
        first = array.reshape(-1)[0]
        if first == 1 and not can_supersede(node.outputs[0], node.inputs[0]):
            raise Refused("its input and its output are an input and an output of the graph")
        return array.size > 1 or first == 1 or _op_type(array) != "PRelu"

    def transform(self, node: ir.Node, model: ir.Model) -> None:
        array = constant(node.inputs[1])
        name = f"{node.outputs[0].name}_slope"
        if _by_channel(node, array):
            shape = (-1, *[1] * (len(node.inputs[0].shape) - 2))
            node.replace_input_with(1, new_initializer(node.graph, name, array.reshape(shape)))
            return
        first = array.reshape(-1)[0]
        if first == 1:
            supersede(node, node.inputs[0])
            return
        node.op_type = _op_type(array)
        if node.op_type == "PRelu":
            node.replace_input_with(1, new_initializer(node.graph, name, array.reshape(-1)[:1]))
            return
        node.resize_inputs(1)
        if node.op_type == "LeakyRelu":
            node.attributes["alpha"] = ir.AttrFloat32("alpha", float(first))


def _op_type(array: np.ndarray) -> str:
    """The node for equal slopes. LeakyRelu has a slope in float32, and ONNX Runtime has it for float32 alone."""
    if not array.any() and array.dtype.kind == "f":
        return "Relu"
    return "LeakyRelu" if array.dtype == np.float32 and np.isfinite(array).all() else "PRelu"


def _by_channel(node: ir.Node, array: np.ndarray) -> bool:
    """Whether slopes (C,) lie along the channels of an input (N, C, …, D).

    By the standard they lie along the last axis, so that no runtime takes them where D is neither C nor 1.
    """
    shape = node.inputs[0].shape
    if array.ndim != 1 or array.size == 1 or shape is None or len(shape) < 3 or shape[1] != array.size:
        return False
    if not isinstance(shape[-1], int):
        raise Refused(
            f"the {array.size} slopes may lie along the channels or along the last axis, whose size is open"
        )
    return shape[-1] != array.size
