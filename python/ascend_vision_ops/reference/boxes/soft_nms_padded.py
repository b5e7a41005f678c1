# SPDX-License-Identifier: Apache-2.0
"""Soft non-maximum suppression as mmcv.ops.soft_nms defines it, with results of a fixed shape."""

import numpy as np

from ._boxes import iou


def soft_nms_padded(boxes, scores, iou_threshold=0.3, sigma=0.5, min_score=1e-3, method=1, offset=0):
    """Rows (N, 5) of x1, y1, x2, y2 and decayed score, int64 indices (N), and how many boxes are picked (1).

    boxes (N, 4), scores (N). Rows without a picked box are zeros, and their indices are -1. Unlike other references,
    this one computes in float32: comparisons decide which box is picked next.
    """
    boxes, scores = np.array(boxes, np.float32), np.array(scores, np.float32)
    indices, n, i = np.arange(len(boxes)), len(boxes), 0
    while i < n:
        # The first of the largest scores from entry i on. A NaN is never the largest, but is picked in its turn.
        ranked = np.where(np.isnan(scores[i:n]), -np.inf, scores[i:n])
        best = i if np.isnan(scores[i]) else i + int(np.argmax(ranked))
        for column in (boxes, scores, indices):
            column[[i, best]] = column[[best, i]]
        with np.errstate(all="ignore"):
            scores[i + 1 : n] *= weight(iou(boxes[i], boxes[i + 1 : n], offset), iou_threshold, sigma, method)
        # Entries below min_score, in ascending order, take the boxes of the last other entries, in descending order.
        low = scores[i + 1 : n] < np.float32(min_score)
        kept = n - int(low.sum())
        low_entries, others = i + 1 + np.flatnonzero(low), i + 1 + np.flatnonzero(~low)
        to, moved = low_entries[low_entries < kept], others[others >= kept][::-1]
        for column in (boxes, scores, indices):
            column[to] = column[moved]
        n, i = kept, i + 1
    dets = np.concatenate([boxes, scores[:, None]], axis=1).astype(np.float64)
    dets[n:], indices[n:] = 0, -1
    return dets, indices, np.array([n])


def weight(iou, iou_threshold, sigma, method):
    """The factor by which an overlap of ``iou`` with the picked box decays a score."""
    if method == 2:
        return np.exp((-(iou * iou) / np.float32(sigma)).astype(np.float64)).astype(np.float32)
    return np.where(
        iou >= np.float32(iou_threshold), 1 - iou if method == 1 else np.float32(0), np.float32(1)
    )
