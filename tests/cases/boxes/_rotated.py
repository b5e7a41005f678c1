# SPDX-License-Identifier: Apache-2.0
"""Rotated boxes for the cases of this family, and their overlaps by another way than ours: by clipping polygons."""

import numpy as np


def turned(rng, shape):
    """Boxes x, y, width, height, angle in clusters of about eight that overlap each other."""
    images, count, _ = shape
    centres = rng.uniform(0, 200, (images, max(1, count // 8), 2))
    middles = np.take_along_axis(centres, rng.integers(0, centres.shape[1], (images, count, 1)), 1)
    sides, angles = rng.uniform(8, 30, (images, count, 2)), rng.uniform(-7, 7, (images, count, 1))
    return np.concatenate([middles + rng.normal(0, 2, middles.shape), sides, angles], 2)


def upright(rng, shape):
    """Boxes on a grid, without an angle or by a quarter turn: many overlaps are equal to a threshold."""
    boxes = rng.integers(1, 7, shape).astype(float)
    boxes[..., 4] = rng.choice([0, 0, np.pi / 2, -np.pi], shape[:2])
    return boxes


def strange(rng, shape):
    """Empty, reversed, equal, huge, infinite and NaN boxes among others."""
    boxes = turned(rng, shape)
    boxes[:, ::3] = boxes[:, :1]
    odd = rng.random(shape) < 0.05
    return np.where(odd, rng.choice([0, -3, np.nan, np.inf, -np.inf, 6e4, 1e-8], shape), boxes)


def corners(box):
    """The corners of a rotated box, in the order of its sides."""
    x, y, width, height, angle = box
    turn = np.array([[np.cos(angle), -np.sin(angle)], [np.sin(angle), np.cos(angle)]])
    signs = np.array([(1, 1), (-1, 1), (-1, -1), (1, -1)])
    return signs * (width, height) / 2 @ turn.T + (x, y)


def area(polygon):
    """By the shoelace formula."""
    x, y = np.reshape(polygon, (-1, 2)).T
    return (x @ np.roll(y, -1) - y @ np.roll(x, -1)) / 2


def clipped(polygon, start, end):
    """The part of a polygon to the left of the line from start to end (Sutherland and Hodgman, 1974)."""
    sides = [
        (end[0] - start[0]) * (p[1] - start[1]) - (end[1] - start[1]) * (p[0] - start[0]) for p in polygon
    ]
    kept = []
    for p, q, at_p, at_q in zip(
        polygon, [*polygon[1:], polygon[0]], sides, [*sides[1:], sides[0]], strict=True
    ):
        if at_p >= 0:
            kept.append(p)
        if at_p * at_q < 0:
            kept.append(p + (q - p) * (at_p / (at_p - at_q)))
    return kept


def overlap(a, b):
    """Intersection over union of two rotated boxes that have an area."""
    shared, around = list(corners(a)), corners(b)
    for start, end in zip(around, np.roll(around, -1, 0), strict=True):
        shared = clipped(shared, start, end) if shared else []
    inter = area(shared)
    return inter / (a[2] * a[3] + b[2] * b[3] - inter)


def kept_by_clipping(boxes, scores, iou_threshold, score_threshold):
    """Rows (image, class, box) of torch boxes; None where a box is odd, or where rounding decides about an overlap."""
    import torch

    boxes, odd = boxes.numpy(), not boxes.isfinite().all() or (boxes[..., 2:4] < 1e-3).any()
    rows = []
    for image, each in np.ndindex(scores.shape[:2]) if not odd else ():
        order = scores[image, each].sort(descending=True, stable=True).indices.tolist()
        kept = []
        for i in (i for i in order if scores[image, each, i] > np.float32(score_threshold)):
            found = [overlap(boxes[image, k], boxes[image, i]) for k in kept]
            if any(abs(value - iou_threshold) < 1e-9 for value in found):
                return None
            if not any(value > iou_threshold for value in found):
                kept.append(i)
        rows += [(image, each, i) for i in kept]
    return None if odd else torch.tensor(rows, dtype=torch.int64).reshape(-1, 3)
