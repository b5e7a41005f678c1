# SPDX-License-Identifier: Apache-2.0
from ascend_vision_ops.testing import Array, Case, cases_module

OF = cases_module("_boxes")
classes, clustered, degenerate, few = OF.classes, OF.clustered, OF.degenerate, OF.few


def cases():
    for count, boxes, scores in ((0, clustered, few), (150, clustered, "special"), (130, degenerate, few)):
        arrays = {"boxes": Array(count, 4, values=boxes), "scores": Array(count, values=scores)}
        for values in (classes, "ramp", "constant"):
            idxs = Array(count, values=values)
            yield Case(f"{count} boxes, {idxs.values}", {**arrays, "idxs": idxs, "iou_threshold": 0.5})


def oracle(boxes, scores, idxs, iou_threshold):
    return cases_module("_suppression").valid_by_others(boxes, scores, iou_threshold, idxs=idxs)
