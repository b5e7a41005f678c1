# SPDX-License-Identifier: Apache-2.0
"""Converts the standard operator set to another version."""

from __future__ import annotations

import logging

import onnx
import onnx_ir as ir

from ascend_vision_ops.onnx.execute import first_line
from ascend_vision_ops.onnx.passes._base import ROUNDED, GraphPass, Refused, register
from ascend_vision_ops.onnx.passes._values import opset


@register
class ConvertOpset(GraphPass):
    name = "convert_opset"
    summary = "converts the standard operator set to another version, by onnxscript's converter or onnx's"
    argument = "VERSION"
    tolerance = ROUNDED
    demanded = True

    def __init__(self, version: str | int = ""):
        newest = onnx.defs.onnx_opset_version()
        if not str(version).isdigit() or not 7 <= int(version) <= newest:
            raise ValueError(f"convert_opset=VERSION: expected 7 to {newest}, got {version!r}")
        self.version = int(version)

    def transform(self, model: ir.Model) -> int:
        if opset(model) == self.version:
            return 0
        from onnxscript.version_converter import ConvertVersionPass  # takes long to import

        reasons = _Reasons()
        logger = logging.getLogger("onnxscript.version_converter")
        propagate, logger.propagate = logger.propagate, False
        logger.addHandler(reasons)
        try:
            converted = ConvertVersionPass(self.version, fallback=True)(model.clone()).model
        except Exception as error:
            raise Refused(f"no way from {opset(model)} to {self.version}: {first_line(error)}") from None
        finally:
            logger.propagate = propagate
            logger.removeHandler(reasons)
        if opset(converted) != self.version:
            raise Refused(f"no way from {opset(model)} to {self.version}: {reasons.last}")
        outputs = [(value.type, value.shape) for value in model.graph.outputs]
        model.graph = converted.graph
        for value, (kind, shape) in zip(model.graph.outputs, outputs, strict=True):
            value.type, value.shape = kind, shape
        model.ir_version = max(model.ir_version, onnx.helper.OP_SET_ID_VERSION_MAP["ai.onnx", self.version])
        return 1


class _Reasons(logging.Handler):
    """Catches the reason why the converter gave up, which it only logs."""

    last = "the converter did nothing"

    def emit(self, record: logging.LogRecord) -> None:
        if record.exc_info and record.exc_info[1]:
            # "…/BaseConverter.h:66: adapter_lookup: Assertion `false` failed: No Adapter From Version $15 for Shape"
            self.last = first_line(record.exc_info[1]).rpartition("failed: ")[2]
