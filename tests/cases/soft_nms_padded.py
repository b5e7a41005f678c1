# SPDX-License-Identifier: Apache-2.0
import numpy as np

from ascend_vision_ops.testing import Array, Case


def crowd(rng, shape):
    """Boxes in a few heaps; a third of a heap's corners are whole numbers, so that overlaps tie too."""
    centres = rng.uniform(0, 400, (max(1, shape[0] // 12), 2))[rng.integers(0, max(1, shape[0] // 12), shape[0])]
    corner = centres + rng.uniform(-12, 12, centres.shape)
    boxes = np.concatenate([corner, corner + rng.uniform(8, 60, centres.shape)], axis=1)
    return np.where(rng.random((shape[0], 1)) < 0.3, np.round(boxes), boxes)


def pixels(rng, shape):
    return np.round(crowd(rng, shape) / 6)


def coarse(rng, shape):
    return rng.integers(0, 4, shape) / 4


def strange(rng, shape):
    return np.where(rng.random(shape) < 0.1, rng.choice([np.nan, np.inf, -np.inf, 0, -1], shape), rng.random(shape))


def call(boxes=crowd, scores="uniform", count=20, layout="dense", **attributes):
    return {"boxes": Array(count, 4, values=boxes, layout=layout), "scores": Array(count, values=scores), **attributes}


def cases():
    yield Case("no boxes", call(count=0))
    for method in range(3):
        for count in (1, 2, 7, 9, 63, 64, 65, 130):
            yield Case(f"{count} {method}", call(count=count, method=method))
        for boxes, scores in ((pixels, coarse), (pixels, "constant"), ("constant", "constant")):
            for offset in (0, 1):
                yield Case(f"ties {method} {scores} {offset}", call(boxes, scores, 70, method=method, offset=offset))
        for low in (0.2, 0.6, 5.0):
            yield Case(f"drops below {low} {method}", call(count=150, method=method, min_score=low))
        yield Case(f"scores {method}", call(scores=strange, count=80, method=method))
        for boxes in ("special", strange):
            yield Case(f"corners {method} {boxes}", call(boxes, count=60, method=method))
    for low in (0.0, -2.0):
        yield Case(f"keeps above {low}", call(scores=strange, count=75, min_score=low))
    for threshold in (-1.0, 0.0, 1.0):
        yield Case(f"threshold {threshold}", call(pixels, coarse, 40, iou_threshold=threshold))
    for layout, out in (("strided", ""), ("transposed", "offset"), ("offset", "strided"), ("dense", "transposed")):
        yield Case(f"{layout} {out}", call(layout=layout), out=out)
    # More than one Unified Buffer holds.
    yield Case("streamed", call(count=4000, method=0, iou_threshold=0.01, min_score=0.3), ("float32",))
    yield Case("streamed ties", call(pixels, coarse, 3900, min_score=0.45), ("float16",))


def oracle(boxes, scores, iou_threshold=0.3, sigma=0.5, min_score=1e-3, method=1, offset=0):
    """The loop of mmcv's CPU operator, over the overlaps that torchvision computes."""
    import torch
    from torchvision.ops import box_iou

    n, i, whole = len(boxes), 0, boxes == boxes.round()
    if n > 200 or (offset and not whole.all()):
        return None
    padded = (boxes + torch.tensor([0, 0, offset, offset])).float()
    iou, order, score = box_iou(padded, padded), list(range(n)), [np.float32(s) for s in scores]
    weights = (-(iou * iou) / np.float32(sigma)).double().exp().float()
    if method < 2:
        weights = torch.where(iou >= np.float32(iou_threshold), 1 - iou if method else torch.zeros(()), torch.ones(()))
    weights = weights.numpy()
    while i < n:
        best = i
        for j in range(i + 1, n):
            best = j if score[best] < score[j] else best
        order[i], order[best], score[i], score[best] = order[best], order[i], score[best], score[i]
        j = i + 1
        while j < n:
            score[j] = score[j] * weights[order[i], order[j]]
            if score[j] < np.float32(min_score):
                order[j], score[j], n, j = order[n - 1], score[n - 1], n - 1, j - 1
            j += 1
        i += 1
    dets, indices = torch.zeros(len(boxes), 5, dtype=torch.float64), torch.full((len(boxes),), -1)
    dets[:n] = torch.cat([boxes[order[:n]], torch.tensor(score[:n]).double()[:, None]], dim=1)
    indices[:n] = torch.tensor(order[:n])
    return dets, indices, torch.tensor([n])
