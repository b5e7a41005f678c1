# SPDX-License-Identifier: Apache-2.0
"""torchvision's nms."""

import numpy as np
from torch import ops

from . import _torchvision as torchvision


@torchvision.operator("nms(Tensor dets, Tensor scores, float iou_threshold) -> Tensor")
def nms(dets, scores, iou_threshold):
    return ops.ascend_vision_ops.nms_indices(dets, scores, below(iou_threshold))


def below(threshold: float) -> float:
    """The largest float32 that is not above a threshold.

    torchvision compares an IoU in float32 with the threshold as it is; ours with the nearest float32, which may be
    above it. Nothing in float32 lies between this one and the threshold, so that results are torchvision's.
    """
    rounded = np.float32(threshold)
    # As float64: NumPy would compare in float32.
    return float(rounded if float(rounded) <= threshold else np.nextafter(rounded, np.float32(-np.inf)))
