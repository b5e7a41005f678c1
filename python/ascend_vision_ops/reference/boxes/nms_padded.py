# SPDX-License-Identifier: Apache-2.0
"""Non-maximum suppression as torchvision and mmcv 2.x define it, with exact classes and results of a fixed shape."""

import numpy as np

from ._boxes import by_score, iou


def nms_padded(
    boxes,
    scores,
    iou_threshold,
    max_output=-1,
    *,
    offset=0,
    score_threshold=0.0,
    max_num=-1,
    idxs=None,
):
    """int64 indices of the kept boxes by descending score, then -1; and the number of kept boxes, of shape (1).

    ``boxes`` is (N, 4) and ``scores`` is (N). ``idxs`` is (N), or None where all boxes have the same class. The indices
    have shape (max_output), or (N) where max_output is negative.
    """
    length = max_output if max_output >= 0 else len(boxes)
    most = min(length, max_num) if max_num > 0 else length
    order = by_score(scores)
    if score_threshold > 0:
        order = order[np.asarray(scores, np.float32)[order] > np.float32(score_threshold)]
    classes = np.zeros(len(boxes), np.int64) if idxs is None else idxs
    kept = []
    while len(order) and len(kept) < most:
        best, order = order[0], order[1:]
        kept.append(best)
        above = iou(boxes[best], boxes[order], offset) > np.float32(iou_threshold)
        order = order[~(above & (classes[order] == classes[best]))]
    indices = np.full(length, -1, np.int64)
    indices[: len(kept)] = kept
    return indices, np.array([len(kept)])
