# SPDX-License-Identifier: Apache-2.0
"""Merges padding with zeros into the padding of the convolution behind it."""

from __future__ import annotations

import numpy as np
import onnx_ir as ir

from ascend_vision_ops.onnx.passes._base import ROUNDED, NodePass, Refused, register
from ascend_vision_ops.onnx.passes._convs import explicit_pads, need_constants, only_user, set_pads
from ascend_vision_ops.onnx.passes._values import constant, input_of, is_onnx


@register
class FusePadConv(NodePass):
    name = "fuse_pad_conv"
    summary = "Pad with zeros and Conv behind it become one Conv"
    tolerance = ROUNDED
    op_types = frozenset({"Pad"})

    def applies(self, node: ir.Node, model: ir.Model) -> bool:
        users = [user for user, _ in node.outputs[0].uses()]
        if not any(is_onnx(user, "Conv") for user in users):
            return False
        conv = only_user(node.outputs[0])
        if conv.inputs[0] is not node.outputs[0] or conv.graph is not node.graph:
            raise Refused("the padded tensor is no image of the convolution")
        if (mode := node.attributes.get_string("mode", "constant")) != "constant":
            raise Refused(f"mode is {mode}")
        need_constants(node, range(1, 4), "input")
        value = constant(input_of(node, 2))
        if np.any(node.attributes.get_float("value", 0.0) if value is None else value):
            raise Refused("it pads with another number than 0")
        if conv.inputs[1].shape is None:
            raise Refused("the rank of the convolution's weight is unknown")
        pads = _pads(node, len(conv.inputs[1].shape))
        explicit_pads(conv, len(pads[0]) - 2)
        if np.any(pads[:, :2]):
            raise Refused("it pads batch or channels")
        if np.any(pads < 0):
            raise Refused("it cuts off (negative pads)")
        return True

    def transform(self, node: ir.Node, model: ir.Model) -> None:
        conv = only_user(node.outputs[0])
        rank = len(conv.inputs[1].shape)
        own = np.array(explicit_pads(conv, rank - 2))
        set_pads(conv, [int(pad) for pad in own + _pads(node, rank)[:, 2:].reshape(-1)])
        conv.replace_input_with(0, node.inputs[0])
        node.graph.remove(node, safe=True)


def _pads(node: ir.Node, rank: int) -> np.ndarray:
    """The padding (2, rank): before each axis, and after each."""
    given = constant(input_of(node, 1))
    given = node.attributes.get_ints("pads", ()) if given is None else given
    axes = constant(input_of(node, 3))
    axes = range(rank) if axes is None else [int(axis) % rank for axis in axes]
    pads = np.zeros((2, rank), np.int64)
    pads[:, list(axes)] = np.asarray(given, np.int64).reshape(2, -1)
    return pads
