# SPDX-License-Identifier: Apache-2.0
"""Boxes of a detector in heaps, as many as mmdetection keeps before suppression, and five times as many."""

import numpy as np
import torch

METHODS = {1: "linear", 2: "gaussian"}
THRESHOLD = 0.3001  # no ratio of small integers: an IoU that equals it OpenCV does not decay


def workloads():
    generator = np.random.default_rng(0)
    for count in (1000, 5000):
        # Whole corners, since OpenCV's boxes have no others.
        corner = generator.integers(0, 1000, (count // 20, 2))[generator.integers(0, count // 20, count)]
        corner += generator.integers(-12, 13, corner.shape)
        boxes = np.concatenate([corner, corner + generator.integers(20, 60, corner.shape)], axis=1)
        boxes, scores = torch.from_numpy(boxes).float(), torch.from_numpy(generator.random(count)).float()
        for method, name in METHODS.items():
            call = (boxes, scores, method)
            peers = {"opencv": lambda call=call: opencv(*call)}
            yield (
                f"{count} {name}",
                {"boxes": boxes, "scores": scores, "iou_threshold": THRESHOLD, "method": method},
                peers,
            )


def opencv(boxes, scores, method):
    import cv2

    corners = boxes.int().numpy()
    rows = np.concatenate([corners[:, :2], corners[:, 2:] - corners[:, :2]], axis=1)
    decayed, indices = cv2.dnn.softNMSBoxes(rows, scores.numpy(), 1e-3, THRESHOLD, 0, 0.5, method)
    indices = torch.from_numpy(indices.reshape(-1).astype(np.int64))
    return torch.cat([boxes[indices], torch.from_numpy(np.asarray(decayed))[:, None]], dim=1), indices
