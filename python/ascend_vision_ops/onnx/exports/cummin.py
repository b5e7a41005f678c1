# SPDX-License-Identifier: Apache-2.0
"""torch.cummin: ONNX has no node for it, so that ours takes its place."""

import torch

from ascend_vision_ops.onnx.translate import translation

TRANSLATIONS = {torch.ops.aten.cummin.default: translation("cummin")}
