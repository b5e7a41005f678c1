# SPDX-License-Identifier: Apache-2.0
"""Non-maximum suppression with the result of torchvision.ops.nms."""

from .nms_padded import nms_padded


def nms_indices(boxes, scores, iou_threshold):
    """Indices (M) of the kept boxes by descending score."""
    indices, count = nms_padded(boxes, scores, iou_threshold)
    return indices[: count[0]]
