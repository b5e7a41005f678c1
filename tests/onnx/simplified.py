# SPDX-License-Identifier: Apache-2.0
"""Runs passes over a model for tests that look at the model that comes out."""

from __future__ import annotations

import onnx
import onnx_ir as ir

from ascend_vision_ops.onnx import passes


def simplified(proto: onnx.ModelProto, text: str = "default") -> tuple[onnx.ModelProto, passes.Report]:
    """Returns what the passes make of a model, which must be a valid model, and their report."""
    model = ir.from_proto(proto)
    report = passes.simplify(model, text)
    made = ir.to_proto(model)
    onnx.checker.check_model(made, full_check=True)
    return made, report
