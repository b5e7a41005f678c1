# SPDX-License-Identifier: Apache-2.0
"""Rotated boxes of a detector around the objects of an aerial image."""

import torch

from benchmarks.peers import Peer, opencv
from benchmarks.workload import Workload

THRESHOLD, SCORE = 0.3, 0.05


def detections(count, generator):
    """About eight proposals for each object. All scores differ, and coordinates are multiples of 1 / 64."""
    objects = count // 8
    which = torch.randint(objects, (count,), generator=generator)
    middle = 1000 * torch.rand(objects, 2, generator=generator)[which] + 4 * torch.randn(
        count, 2, generator=generator
    )
    sides = 15 + 60 * torch.rand(objects, 2, generator=generator)[which]
    sides = sides * torch.exp(0.1 * torch.randn(count, 2, generator=generator))
    angle = 3 * torch.rand(objects, 1, generator=generator)[which] + 0.1 * torch.randn(
        count, 1, generator=generator
    )
    boxes = torch.cat([(64 * torch.cat([middle, sides], 1)).round() / 64, angle], 1)
    return boxes[None], ((torch.randperm(count, generator=generator) + 0.5) / count)[None, None]


def workloads():
    generator = torch.Generator().manual_seed(0)
    for count in (200, 2000):
        boxes, scores = detections(count, generator)
        arguments = {"boxes": boxes, "scores": scores, "iou_threshold": THRESHOLD, "score_threshold": SCORE}
        yield Workload(f"{count} about objects", arguments, peers_of(**arguments), 2, limit="")


def peers_of(boxes, scores, iou_threshold, score_threshold):
    if boxes.shape[1] > 200:  # of many pairs of boxes, OpenCV computes other overlaps for a few
        return {}

    def by_opencv():
        suppress = opencv.module().dnn.NMSBoxesRotated
        rows = boxes[0].double().clone()
        rows[:, 4] = rows[:, 4].rad2deg()
        rectangles = [((x, y), (width, height), angle) for x, y, width, height, angle in rows.tolist()]
        return lambda: suppress(rectangles, scores[0, 0].tolist(), score_threshold, iou_threshold)

    def read(kept):
        kept = torch.as_tensor(kept).flatten().long()[:, None]
        return torch.cat([torch.zeros(len(kept), 2, dtype=torch.int64), kept], 1)

    return {"opencv": Peer(by_opencv, read)}
