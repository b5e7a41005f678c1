# SPDX-License-Identifier: Apache-2.0
"""Makes YOLO's Focus and the convolution behind it one convolution with twice the kernel size and stride."""

from __future__ import annotations

import numpy as np
import onnx_ir as ir

from ascend_vision_ops.onnx.passes._base import ROUNDED, Refused, register
from ascend_vision_ops.onnx.passes._convs import explicit_pads, set_pads
from ascend_vision_ops.onnx.passes._focus import FocusPass, find_focus


@register
class FocusToConv(FocusPass):
    name = "focus_to_conv"
    summary = (
        "Focus (four strided slices, Concat) and Conv become one Conv of twice the kernel, stride and padding"
    )
    tolerance = ROUNDED

    def applies(self, node: ir.Node, model: ir.Model) -> bool:
        focus = find_focus(node)
        if focus is None:
            return False
        explicit_pads(focus.conv, 2)
        if any(dilation != 1 for dilation in focus.conv.attributes.get_ints("dilations", ())):
            raise Refused(
                "its convolution is dilated: every other pixel of a phase is no even step in the image"
            )
        return True

    def transform(self, node: ir.Node, model: ir.Model) -> None:
        focus = find_focus(node)
        conv = focus.conv
        # Element (u, v) of the kernel for phase (row, column) reads pixel (2u + row, 2v + column) of the image.
        weight = focus.weight()
        outputs, _, _, channels, height, width = weight.shape
        taps = weight.transpose(0, 3, 4, 1, 5, 2).reshape(outputs, channels, 2 * height, 2 * width)
        conv.replace_input_with(1, focus.replace_weight(np.ascontiguousarray(taps)))
        conv.replace_input_with(0, focus.image)
        set_pads(conv, [2 * pad for pad in explicit_pads(conv, 2)])
        strides = [2 * stride for stride in conv.attributes.get_ints("strides", (1, 1))]
        conv.attributes["strides"] = ir.AttrInt64s("strides", strides)
        conv.attributes["kernel_shape"] = ir.AttrInt64s("kernel_shape", [2 * height, 2 * width])
        node.graph.remove(node, safe=True)
