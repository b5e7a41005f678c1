# SPDX-License-Identifier: Apache-2.0
"""Removes nodes that pass every input on unchanged."""

from __future__ import annotations

import onnx_ir as ir

from ascend_vision_ops.onnx.passes._base import NodePass, Refused, register
from ascend_vision_ops.onnx.passes._values import can_supersede, constant, input_of, supersede


@register
class RemoveIdentity(NodePass):
    name = "remove_identity"
    summary = "removes Identity, and Dropout where it does not train"
    op_types = frozenset({"Identity", "Dropout"})

    def applies(self, node: ir.Node, model: ir.Model) -> bool:
        if node.op_type == "Dropout":
            training = input_of(node, 2)
            if (training is not None and (known := constant(training)) is None) or (training and known.any()):
                raise Refused("it may train")
            if any(value.uses() or value.is_graph_output() for value in node.outputs[1:]):
                raise Refused("its mask is used")
        if not can_supersede(node.outputs[0], node.inputs[0]):
            raise Refused("an output must be made by a node of its graph")
        return True

    def transform(self, node: ir.Node, model: ir.Model) -> None:
        node.resize_outputs(1)
        supersede(node, node.inputs[0])
