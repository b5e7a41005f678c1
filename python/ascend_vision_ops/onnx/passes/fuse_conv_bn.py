# SPDX-License-Identifier: Apache-2.0
"""Merges batch normalisation into the weights of the convolution before it."""

from __future__ import annotations

import numpy as np
import onnx_ir as ir

from ascend_vision_ops.onnx.passes._base import ROUNDED, NodePass, Refused, register
from ascend_vision_ops.onnx.passes._convs import need_constants, only_user, scale_outputs
from ascend_vision_ops.onnx.passes._values import constant, is_onnx, supersede


@register
class FuseConvBn(NodePass):
    name = "fuse_conv_bn"
    summary = "Conv or ConvTranspose and BatchNormalization behind it become one node, also where several share weights"
    tolerance = ROUNDED
    op_types = frozenset({"BatchNormalization"})

    def applies(self, node: ir.Node, model: ir.Model) -> bool:
        conv = node.inputs[0].producer()
        if not is_onnx(conv, "Conv", "ConvTranspose"):
            return False
        if node.attributes.get_int("training_mode", 0):
            raise Refused("it trains")
        if any(value.uses() or value.is_graph_output() for value in node.outputs[1:]):
            raise Refused("its running statistics are used")
        only_user(conv.outputs[0])
        need_constants(node, range(1, 5), "parameter")
        need_constants(conv, (1, 2), "weight")
        if conv.graph is not node.graph:
            raise Refused("the convolution lies in another graph")
        return True

    def transform(self, node: ir.Node, model: ir.Model) -> None:
        conv = node.inputs[0].producer()
        scale, shift, mean, variance = (constant(value).astype(np.float64) for value in node.inputs[1:5])
        factor = scale / np.sqrt(variance + node.attributes.get_float("epsilon", 1e-5))
        scale_outputs(conv, factor, shift - mean * factor, node.outputs[0].name)
        node.resize_outputs(1)
        supersede(node, conv.outputs[0], rename=True)
