# SPDX-License-Identifier: Apache-2.0
"""Soft non-maximum suppression as mmcv.ops.soft_nms defines it."""

from .soft_nms_padded import soft_nms_padded


def soft_nms(boxes, scores, iou_threshold=0.3, sigma=0.5, min_score=1e-3, method=1, offset=0):
    """Rows (M, 5) of x1, y1, x2, y2 and decayed score of the picked boxes, and their int64 indices (M)."""
    dets, indices, (count,) = soft_nms_padded(boxes, scores, iou_threshold, sigma, min_score, method, offset)
    return dets[:count], indices[:count]
