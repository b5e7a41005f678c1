# SPDX-License-Identifier: Apache-2.0
"""Who suppresses whom, as mmcv.ops.nms_match and mmdeploy's node NMSMatch define it, with results of a fixed shape."""

import numpy as np

from ._boxes import by_score, iou, padded


def nms_match_padded(boxes, scores, iou_threshold, score_threshold):
    """Rows (image, class, kept box, suppressed box), then rows of -1: (N C L, 4); and how many are no padding (1).

    ``boxes`` is (N, L, 4), ``scores`` is (N, C, L); the thresholds are arrays of one number. In each class, kept boxes
    and those that one of them suppresses are in the order of descending scores.
    """
    least_iou, least_score = (np.float32(array.item()) for array in (iou_threshold, score_threshold))
    rows = []
    for image, each in np.ndindex(scores.shape[:2]):
        own, order = boxes[image], by_score(scores[image, each])
        while len(order):
            best, order = order[0], order[1:]
            hit = iou(own[best], own[order]) >= least_iou
            if np.float32(scores[image, each, best]) > least_score:
                rows += [(image, each, best, other) for other in order[hit]]
            order = order[~hit]
    return padded(rows, scores.size, 4)
