# SPDX-License-Identifier: Apache-2.0
"""Puts ours in the place of torchvision's nms."""

import numpy as np
from torch import ops

from . import _torchvision as torchvision


@torchvision.operator("nms(Tensor dets, Tensor scores, float iou_threshold) -> Tensor")
def nms(dets, scores, iou_threshold):
    return ops.ascend_vision_ops.nms_indices(dets, scores, below(iou_threshold))


def below(threshold: float) -> float:
    """The largest float32 that is not above a threshold.

    torchvision compares an IoU in float32 with the threshold in float64. Ours rounds the threshold to the nearest
    float32, which may be above it. No float32 lies between the result of this function and the threshold, so a
    comparison with either gives the same.
    """
    rounded = np.float32(threshold)
    # float() widens: NumPy would round the threshold and compare in float32.
    return float(rounded if float(rounded) <= threshold else np.nextafter(rounded, np.float32(-np.inf)))
