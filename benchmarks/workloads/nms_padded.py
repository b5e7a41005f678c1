# SPDX-License-Identifier: Apache-2.0
"""Boxes of a detector in heaps, and as many as an image pyramid has anchors."""

import numpy as np
import torch


def clustered(count, seed=0):
    """Boxes around as many objects as there are hundreds of boxes, and their scores."""
    rng = np.random.default_rng(seed)
    objects = rng.uniform(0, 1000, (max(count // 100, 1), 2))
    corner = objects[rng.integers(0, len(objects), count)] + rng.normal(0, 8, (count, 2))
    boxes = np.concatenate([corner, corner + rng.uniform(20, 60, (count, 2))], axis=1)
    return torch.from_numpy(boxes).float(), torch.from_numpy(rng.random(count)).float()


def device():
    """SENTENCE"""
    for count, mark in ((1000, ""), (10_000, "2000 us")):
        boxes, scores = clustered(count)
        yield {"boxes": boxes, "scores": scores, "iou_threshold": 0.5}, mark
    boxes, scores = clustered(10_000)
    yield {"boxes": boxes.half(), "scores": scores.half(), "iou_threshold": 0.5}, "2000 us"
