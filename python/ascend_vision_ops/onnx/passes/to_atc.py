# SPDX-License-Identifier: Apache-2.0
"""Makes a model that Ascend's ATC reads: custom nodes without a domain, one operator set."""

from __future__ import annotations

import onnx_ir as ir

from ascend_vision_ops.onnx.flavours import ATC_OPSET
from ascend_vision_ops.onnx.passes._base import GraphPass, Refused, register
from ascend_vision_ops.onnx.passes._flavour import rename_for_atc, rename_for_ort, renamed
from ascend_vision_ops.onnx.passes._values import opset


@register
class ToAtc(GraphPass):
    name = "to_atc"
    summary = (
        "custom nodes get names without a domain that are no standard operator's; one operator set is left"
    )
    demanded = True

    def transform(self, model: ir.Model) -> int:
        if opset(model) > ATC_OPSET:
            raise Refused(
                f"the operator set is {opset(model)}, ATC reads at most {ATC_OPSET}: convert_opset first"
            )
        return rename_for_atc(model)

    def pairs(self, before, after, make):
        yield from super().pairs(before, renamed(after, rename_for_ort), make)
