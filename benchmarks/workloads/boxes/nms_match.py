# SPDX-License-Identifier: Apache-2.0
"""Boxes of a detector around its objects, of which each suppressed box is matched with a kept one."""

import numpy as np
import torch

from benchmarks.workload import Workload
from benchmarks.workloads.boxes.nms_padded import detections


def workloads():
    for count in (1000, 5000):
        boxes, scores = detections(count)
        thresholds = {"iou_threshold": torch.tensor([0.5]), "score_threshold": torch.tensor([0.05])}
        arguments = {"boxes": boxes[None], "scores": scores[None, None], **thresholds}
        peers = {"torch": lambda arguments=arguments: by_all_overlaps(**arguments)}
        yield Workload(f"{count} about objects", arguments, peers, 2, limit="")


def by_all_overlaps(boxes, scores, iou_threshold, score_threshold):
    """Computes all overlaps with torch, and then visits the boxes with NumPy."""
    order = scores[0, 0].argsort(descending=True)
    own, score = boxes[0, order], scores[0, 0, order]
    low, high = torch.maximum(own[:, None, :2], own[:, :2]), torch.minimum(own[:, None, 2:], own[:, 2:])
    inter, area = (high - low).clamp(min=0).prod(-1), (own[:, 2:] - own[:, :2]).prod(-1)
    enough = (inter / (area[:, None] + area - inter) >= iou_threshold).numpy()
    alive, rows = np.ones(len(own), bool), []
    for kept in range(len(own)):
        if alive[kept]:
            hits = kept + 1 + np.flatnonzero(enough[kept, kept + 1 :] & alive[kept + 1 :])
            alive[hits] = False
            rows += [(0, 0, kept, hit) for hit in hits] if score[kept] > score_threshold else []
    places = torch.tensor(rows, dtype=torch.int64).reshape(-1, 4)
    return torch.cat([places[:, :2], order[places[:, 2:]]], 1)
