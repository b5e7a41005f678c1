# SPDX-License-Identifier: Apache-2.0
"""Makes a model for ONNX Runtime from one for ATC: gives custom nodes their domains back."""

from __future__ import annotations

import onnx_ir as ir

from ascend_vision_ops.onnx.flavours import give_domains
from ascend_vision_ops.onnx.passes._base import GraphPass, register


@register
class ToOrt(GraphPass):
    name = "to_ort"
    summary = "undoes to_atc: gives custom nodes their domains back, with a version for each"
    demanded = True

    def transform(self, model: ir.Model) -> int:
        return give_domains(model)
