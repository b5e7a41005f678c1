# SPDX-License-Identifier: Apache-2.0
import numpy as np

from ascend_vision_ops.testing import Array, Case


def crowd(rng, shape, heap=12):
    """Boxes in heaps of about twelve. Some have whole corners, so that overlaps are equal too."""
    heaps = -(-shape[0] // heap)
    corner = rng.uniform(0, 400, (heaps, 2))[rng.integers(0, heaps, shape[0])]
    corner += rng.uniform(-12, 12, corner.shape)
    boxes = np.concatenate([corner, corner + rng.uniform(8, 60, corner.shape)], axis=1)
    return np.where(rng.random((shape[0], 1)) < 0.3, np.round(boxes), boxes)


def pixels(rng, shape):
    """Small boxes with whole corners: many overlaps are equal."""
    return np.round(crowd(rng, shape) / 6)


def call(boxes=crowd, scores="uniform", count=20, layout="dense", **attributes):
    boxes, scores = Array(count, 4, values=boxes, layout=layout), Array(count, values=scores)
    return {"boxes": boxes, "scores": scores, **attributes}


def cases():
    for method in range(3):
        yield Case(f"boxes {method}", call(count=40, method=method))
        yield Case(f"ties {method}", call(pixels, "integers", 40, method=method, offset=1))
        yield Case(f"drops {method}", call(count=90, method=method, min_score=0.4))


def oracle(boxes, scores, iou_threshold=0.3, sigma=0.5, min_score=1e-3, method=1, offset=0):
    """The loop of mmcv's CPU operator, with overlaps that torch computes."""
    import torch

    x1, y1, x2, y2 = boxes.float()[:, :, None].unbind(1)
    area = (x2 - x1 + offset) * (y2 - y1 + offset)
    width = (torch.minimum(x2, x2.T) - torch.maximum(x1, x1.T) + offset).clamp(min=0)
    height = (torch.minimum(y2, y2.T) - torch.maximum(y1, y1.T) + offset).clamp(min=0)
    iou = width * height / (area + area.T - width * height)
    weights = (-(iou * iou) / np.float32(sigma)).double().exp().float()
    if method < 2:
        below = 1 - iou if method else torch.zeros_like(iou)
        weights = torch.where(iou >= np.float32(iou_threshold), below, torch.ones_like(iou))
    order, score, n, i = list(range(len(boxes))), list(scores.float().numpy()), len(boxes), 0
    while i < n:
        best = i
        for j in range(i + 1, n):
            best = j if score[best] < score[j] else best
        for values in (order, score):
            values[i], values[best] = values[best], values[i]
        j = i = i + 1
        while j < n:
            score[j] = score[j] * weights[order[i - 1], order[j]].numpy()
            if score[j] < np.float32(min_score):
                order[j], score[j], n, j = order[n - 1], score[n - 1], n - 1, j - 1
            j += 1
    order = torch.tensor(order[:n], dtype=torch.int64)
    return torch.cat([boxes[order], torch.tensor(np.array(score[:n], np.float64))[:, None]], dim=1), order
