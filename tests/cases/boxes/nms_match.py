# SPDX-License-Identifier: Apache-2.0
from ascend_vision_ops.testing import Case, cases_module

PADDED = cases_module("nms_match_padded")
clustered, degenerate, at_octaves, few = PADDED.clustered, PADDED.degenerate, PADDED.at_octaves, PADDED.few
half, quarter, nothing = PADDED.half, PADDED.quarter, PADDED.nothing
oracle, call = cases_module("_matches").matched, PADDED.call


def cases():
    for count in (0, 1, 17, 60):
        yield Case(f"{count} boxes", call(2, 2, count))
    for boxes in (degenerate, at_octaves):
        yield Case(boxes.__name__, call(2, 3, 60, boxes, few))
    yield Case("no score is enough", call(1, 2, 20, least=nothing))
    yield Case("strided", call(1, 2, 20, layout="strided"))
