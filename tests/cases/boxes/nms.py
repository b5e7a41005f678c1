# SPDX-License-Identifier: Apache-2.0
from ascend_vision_ops.testing import Array, Case, cases_module

OF = cases_module("_boxes")
clustered, degenerate, few = OF.clustered, OF.degenerate, OF.few


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
    import torch

    kept = cases_module("_suppression").valid_by_others(boxes, scores, iou_threshold, **attributes)
    return None if kept is None else (torch.cat([boxes[kept], scores[kept][:, None]], 1), kept)
