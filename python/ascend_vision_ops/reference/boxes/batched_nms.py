# SPDX-License-Identifier: Apache-2.0
"""Non-maximum suppression within classes, as torchvision.ops.batched_nms means it: class by class."""

import numpy as np

from ._boxes import by_score
from .nms_padded import nms_padded


def batched_nms(boxes, scores, idxs, iou_threshold):
    """Indices (M) of the boxes kept in their class, of all classes by descending score."""
    kept = np.zeros(len(boxes), bool)
    for each in np.unique(idxs):
        own = np.flatnonzero(idxs == each)
        indices, count = nms_padded(boxes[own], scores[own], iou_threshold)
        kept[own[indices[: count[0]]]] = True
    order = by_score(scores)
    return order[kept[order]]
