# SPDX-License-Identifier: Apache-2.0
import torch

from ascend_vision_ops.testing import Array, Case
from ascend_vision_ops.testing.boxes import clustered, degenerate, few, kept_by_others


def call(count, boxes=clustered, scores="uniform", layout="dense", **attributes):
    boxes = Array(count, 4, values=boxes, layout=layout)
    return {"boxes": boxes, "scores": Array(count, values=scores), "iou_threshold": 0.4} | attributes


def cases():
    for count in (0, 1, 65, 200):
        yield Case(f"{count} boxes", call(count))
    yield Case("most", call(90, max_num=7))
    yield Case("all below the score", call(20, score_threshold=3.0))
    yield Case("some below the score", call(90, scores="special", score_threshold=0.25))
    yield Case("ties and an offset", call(120, degenerate, few, offset=1))
    for layout in ("strided", "transposed", "offset"):
        yield Case(layout, call(50, layout=layout))


def oracle(boxes, scores, iou_threshold, **attributes):
    padded = kept_by_others(boxes, scores, iou_threshold, **attributes)
    if padded is None:
        return None
    kept = padded[0][: padded[1].item()]
    return torch.cat([boxes[kept], scores[kept][:, None]], 1), kept
