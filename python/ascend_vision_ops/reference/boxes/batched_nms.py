# SPDX-License-Identifier: Apache-2.0
"""Non-maximum suppression within classes. torchvision.ops.batched_nms means the same: each class by itself."""

import numpy as np

from ._boxes import by_score
from .nms_padded import nms_padded


def batched_nms(boxes, scores, idxs, iou_threshold):
    """Indices (M) of the boxes that are kept in their class; boxes of all classes are sorted by descending score."""
    kept = np.zeros(len(boxes), bool)
    for each in np.unique(idxs):
        own = np.flatnonzero(idxs == each)
        indices, count = nms_padded(boxes[own], scores[own], iou_threshold)
        kept[own[indices[: count[0]]]] = True
    order = by_score(scores)
    return order[kept[order]]
