# SPDX-License-Identifier: Apache-2.0
"""Makes YOLO's Focus a SpaceToDepth, and permutes the weights of the convolution behind it."""

from __future__ import annotations

import onnx_ir as ir

from ascend_vision_ops.onnx.passes._base import ROUNDED, register
from ascend_vision_ops.onnx.passes._focus import FocusPass, find_focus
from ascend_vision_ops.onnx.passes._values import constant


@register
class FocusToSpaceToDepth(FocusPass):
    name = "focus_to_space_to_depth"
    summary = "Focus (four strided slices, Concat) and Conv become SpaceToDepth and Conv"
    tolerance = ROUNDED

    def transform(self, node: ir.Node, model: ir.Model) -> None:
        focus = find_focus(node)
        blocks = ir.Node(
            "", "SpaceToDepth", [focus.image], [ir.AttrInt64("blocksize", 2)], name=f"{node.name}_blocks"
        )
        blocks.outputs[0].name = f"{node.outputs[0].name}_blocks"
        blocks.outputs[0].type, blocks.outputs[0].shape = node.outputs[0].type, node.outputs[0].shape
        # SpaceToDepth orders the channels as (row, column, C).
        weight = focus.weight().reshape(constant(focus.conv.inputs[1]).shape)
        node.graph.insert_before(focus.conv, blocks)
        focus.conv.replace_input_with(1, focus.replace_weight(weight))
        focus.conv.replace_input_with(0, blocks.outputs[0])
        node.graph.remove(node, safe=True)
