# SPDX-License-Identifier: Apache-2.0
from ascend_vision_ops.testing import Array, Case, cases_module

OF = cases_module("_boxes")
clustered, degenerate, few = OF.clustered, OF.degenerate, OF.few
oracle = cases_module("_suppression").valid_by_others


def cases():
    for count, boxes, scores in ((0, clustered, few), (64, clustered, "special"), (130, degenerate, few)):
        arrays = {"boxes": Array(count, 4, values=boxes), "scores": Array(count, values=scores)}
        yield Case(f"{count} boxes", {**arrays, "iou_threshold": 0.6})
