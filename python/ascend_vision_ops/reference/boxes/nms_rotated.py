# SPDX-License-Identifier: Apache-2.0
"""Non-maximum suppression of rotated boxes with the result of mmdeploy's node NMSRotated."""

from .nms_rotated_padded import nms_rotated_padded


def nms_rotated(boxes, scores, iou_threshold, score_threshold):
    """Rows (M, 3) of image, class and box: the kept boxes, by image, then class, then descending score."""
    selected, (count,) = nms_rotated_padded(boxes, scores, iou_threshold, score_threshold)
    return selected[:count]
