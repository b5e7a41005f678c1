# SPDX-License-Identifier: Apache-2.0
"""torch.cummax: ONNX has no node for it, so that ours takes its place."""

import torch

from ascend_vision_ops.onnx.translate import translation

TRANSLATIONS = {torch.ops.aten.cummax.default: translation("cummax")}
