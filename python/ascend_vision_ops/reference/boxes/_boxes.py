# SPDX-License-Identifier: Apache-2.0
"""Areas, overlaps and orders of boxes, which are rows x1, y1, x2, y2.

Unlike other references, these compute in float32: a threshold on the overlap decides which boxes are kept, so the order
of operations and their roundings are part of the definition.
"""

import numpy as np


def areas(boxes, offset=0):
    """(x2 - x1 + offset) * (y2 - y1 + offset) of each row of (N, 4) boxes."""
    x1, y1, x2, y2 = np.asarray(boxes, np.float32).T
    with np.errstate(all="ignore"):
        return (x2 - x1 + np.float32(offset)) * (y2 - y1 + np.float32(offset))


def iou(box, boxes, offset=0):
    """Intersection over union of one box (4) with each row of (N, 4) boxes; NaN where it is 0/0."""
    x1, y1, x2, y2 = np.asarray(box, np.float32)
    left, top, right, bottom = np.asarray(boxes, np.float32).T
    zero, offset = np.float32(0), np.float32(offset)
    with np.errstate(all="ignore"):
        width = np.maximum(zero, np.minimum(x2, right) - np.maximum(x1, left) + offset)
        height = np.maximum(zero, np.minimum(y2, bottom) - np.maximum(y1, top) + offset)
        inter = width * height
        return inter / (areas([box], offset)[0] + areas(boxes, offset) - inter)


def by_score(scores):
    """Indices of scores in descending order. NaN comes first; of equal scores the lowest index comes first."""
    scores = np.asarray(scores, np.float32)
    return np.lexsort((-np.where(np.isnan(scores), 0, scores), ~np.isnan(scores)))


def padded(rows, length, columns):
    """The rows as an int64 array (length, columns), filled up with -1; and their number, of shape (1)."""
    array = np.full((length, columns), -1, np.int64)
    array[: len(rows)] = np.reshape(rows, (-1, columns))
    return array, np.array([len(rows)])
