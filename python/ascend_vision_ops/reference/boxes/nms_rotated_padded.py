# SPDX-License-Identifier: Apache-2.0
"""Non-maximum suppression of rotated boxes, as mmdeploy's node NMSRotated defines it, with results of a fixed shape."""

import numpy as np

from ._boxes import by_score, padded
from ._rotated import rotated_iou


def nms_rotated_padded(boxes, scores, iou_threshold, score_threshold):
    """Rows (image, class, box) of the kept boxes, then rows of -1: (N C L, 3); and how many boxes are kept (1).

    ``boxes`` is (N, L, 5), ``scores`` is (N, C, L). In each class, boxes are in the order of descending scores.
    """
    rows = []
    for image, each in np.ndindex(scores.shape[:2]):
        own, order = boxes[image], by_score(scores[image, each])
        order = order[np.asarray(scores[image, each], np.float32)[order] > np.float32(score_threshold)]
        while len(order):
            best, order = order[0], order[1:]
            rows.append((image, each, best))
            order = order[~(rotated_iou(own[best], own[order]) > iou_threshold)]
    return padded(rows, scores.size, 3)
