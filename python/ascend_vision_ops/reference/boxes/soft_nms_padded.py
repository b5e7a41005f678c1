# SPDX-License-Identifier: Apache-2.0
"""Soft non-maximum suppression, as mmcv.ops.soft_nms defines it."""

import numpy as np

from ._boxes import iou


def soft_nms_padded(boxes, scores, iou_threshold=0.3, sigma=0.5, min_score=1e-3, method=1, offset=0):
    """Picked rows (N, 5) of x1, y1, x2, y2 and decayed score, their int64 indices (N), and how many (1).

    boxes (N, 4), scores (N). Rows behind the picked ones are zeros, indices there -1.
    Unlike other specifications in float32: comparisons decide which box is next.
    """
    boxes, scores = np.array(boxes, np.float32), np.array(scores, np.float32)
    indices, n, i = np.arange(len(boxes)), len(boxes), 0
    while i < n:
        # The first of the largest from slot i on; comparisons with NaN are false.
        ranked = np.where(np.isnan(scores[i:n]), -np.inf, scores[i:n])
        best = i if np.isnan(scores[i]) else i + int(np.argmax(ranked))
        for slots in (boxes, scores, indices):
            slots[[i, best]] = slots[[best, i]]
        with np.errstate(all="ignore"):
            scores[i + 1 : n] *= weight(iou(boxes[i], boxes[i + 1 : n], offset), iou_threshold, sigma, method)
        # Slots below min_score, in ascending order, take the others from the end, in descending order.
        below = scores[i + 1 : n] < np.float32(min_score)
        kept = n - int(below.sum())
        holes = i + 1 + np.flatnonzero(below)
        others = i + 1 + np.flatnonzero(~below)
        holes, movers = holes[holes < kept], others[others >= kept][::-1]
        for slots in (boxes, scores, indices):
            slots[holes] = slots[movers]
        n, i = kept, i + 1
    dets = np.concatenate([boxes, scores[:, None]], axis=1).astype(np.float64)
    dets[n:], indices[n:] = 0, -1
    return dets, indices, np.array([n])


def weight(iou, iou_threshold, sigma, method):
    """What the score of a box is multiplied by whose overlap with the picked one is ``iou``."""
    if method == 2:
        return np.exp((-(iou * iou) / np.float32(sigma)).astype(np.float64)).astype(np.float32)
    return np.where(
        iou >= np.float32(iou_threshold), 1 - iou if method == 1 else np.float32(0), np.float32(1)
    )
