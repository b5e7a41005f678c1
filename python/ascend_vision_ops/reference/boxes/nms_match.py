# SPDX-License-Identifier: Apache-2.0
"""Who suppresses whom, with the result of mmdeploy's node NMSMatch."""

from .nms_match_padded import nms_match_padded


def nms_match(boxes, scores, iou_threshold, score_threshold):
    """Rows (M, 4) of image, class, kept box and suppressed box."""
    matches, (count,) = nms_match_padded(boxes, scores, iou_threshold, score_threshold)
    return matches[:count]
