# SPDX-License-Identifier: Apache-2.0
"""Non-maximum suppression, as mmcv.ops.nms returns it."""

import numpy as np

from .nms_padded import nms_padded


def nms(boxes, scores, iou_threshold, *, offset=0, score_threshold=0.0, max_num=-1):
    """Kept boxes with their scores as fifth column (M, 5), by descending score, and their indices (M)."""
    indices, count = nms_padded(
        boxes, scores, iou_threshold, offset=offset, score_threshold=score_threshold, max_num=max_num
    )
    kept = indices[: count[0]]
    return np.column_stack([boxes[kept], scores[kept]]), kept
