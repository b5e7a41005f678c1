# SPDX-License-Identifier: Apache-2.0
from ascend_vision_ops.testing import Case, cases_module

OF, PADDED = cases_module("_rotated"), cases_module("nms_rotated_padded")
turned, upright, strange, few = PADDED.turned, PADDED.upright, PADDED.strange, PADDED.few
oracle, call = OF.kept_by_clipping, PADDED.call


def cases():
    for count in (0, 1, 9, 60):
        yield Case(f"{count} boxes", call(2, 2, count))
    for boxes in (upright, strange):
        yield Case(boxes.__name__, call(2, 3, 50, boxes, few, iou=0.5))
    yield Case("no score is enough", call(1, 2, 10, least=3.0))
    yield Case("strided", call(1, 2, 20, layout="strided"))
