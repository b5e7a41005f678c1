# SPDX-License-Identifier: Apache-2.0
"""Non-maximum suppression with the results of mmcv.ops.nms."""

import numpy as np

from .nms_padded import nms_padded


def nms(boxes, scores, iou_threshold, *, offset=0, score_threshold=0.0, max_num=-1):
    """Rows (M, 5) of the kept boxes and their scores, by descending score, and the indices (M) of these boxes."""
    indices, count = nms_padded(
        boxes, scores, iou_threshold, offset=offset, score_threshold=score_threshold, max_num=max_num
    )
    kept = indices[: count[0]]
    return np.column_stack([boxes[kept], scores[kept]]), kept
