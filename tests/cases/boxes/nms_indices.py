# SPDX-License-Identifier: Apache-2.0
from ascend_vision_ops.testing import Array, Case
from ascend_vision_ops.testing.boxes import clustered, degenerate, few, kept_by_others


def cases():
    for count, boxes, scores in ((0, clustered, few), (64, clustered, "special"), (130, degenerate, few)):
        arrays = {"boxes": Array(count, 4, values=boxes), "scores": Array(count, values=scores)}
        yield Case(f"{count} boxes", {**arrays, "iou_threshold": 0.6})


def oracle(boxes, scores, iou_threshold):
    padded = kept_by_others(boxes, scores, iou_threshold)
    return None if padded is None else padded[0][: padded[1].item()]
