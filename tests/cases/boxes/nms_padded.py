# SPDX-License-Identifier: Apache-2.0
from hypothesis import strategies as st

from ascend_vision_ops.testing import Array, Case, cases_module

OF = cases_module("_boxes")
all_over, apart, at_octaves, chain, descending = OF.all_over, OF.apart, OF.at_octaves, OF.chain, OF.descending
classes, clustered, degenerate, few, halves = OF.classes, OF.clustered, OF.degenerate, OF.few, OF.halves
infinitesimal, of_all_sizes, scattered = OF.infinitesimal, OF.of_all_sizes, OF.scattered
oracle = cases_module("_suppression").kept_by_others

# Around 8, 32 and 64 boxes, multiples of which instructions take, and around 200, from which the CPU sorts by digits.
COUNTS = (1, 2, 7, 8, 31, 33, 63, 64, 65, 127, 129, 200, 201)

# Thresholds for more boxes than the CPU compares one by one. No overlap is above 1; all overlaps are above -1.
MANY = {of_all_sizes: (0.0, 0.1, 0.9), at_octaves: (0.25, 0.5), all_over: (-1.0, 0.99, 2.0)}
MANY |= {infinitesimal: (0.5,), scattered: (0.0, 0.5)}


def call(count, boxes, scores="uniform", **attributes):
    args = {"boxes": Array(count, 4, values=boxes), "scores": Array(count, values=scores)}
    return {**args, "iou_threshold": 0.5, **attributes}


def cases():
    for count in COUNTS:
        yield Case(f"{count} boxes", call(count, clustered))
    for boxes, count in ((clustered, 1500), (apart, 1100), (chain, 1030)):
        scores = descending if boxes is chain else "uniform"
        yield Case(f"{boxes.__name__} {count}", call(count, boxes, scores), ("float32",))
    for boxes, threshold, offset in ((b, t, o) for b in MANY for t in MANY[b] for o in (0, 1)):
        args = call(1300, boxes, few, iou_threshold=threshold, offset=offset, max_num=900)
        yield Case(f"{boxes.__name__} {threshold} {offset}", args, ("float32",))
    for count, scores in ((count, scores) for count in (150, 250) for scores in ("special", few, "constant")):
        yield Case(f"{count} scores {getattr(scores, '__name__', scores)}", call(count, clustered, scores))
    yield Case("degenerate", call(300, degenerate, few, iou_threshold=0.0))
    yield Case("offset", call(100, degenerate, few, iou_threshold=0.3, offset=1))
    yield Case("score threshold", call(150, clustered, "special", score_threshold=0.5))
    yield Case("no score is enough", call(70, clustered, score_threshold=2.0))
    for most in (0, 1, 9, 100):
        yield Case(f"max output {most}", call(80, clustered, max_output=most, max_num=20))
    yield Case("classes", call(260, clustered, few, idxs=Array(260, values=classes)))
    yield Case("strided", call(90, clustered, iou_threshold=0.25), out="strided")
    args = call(3000, clustered, score_threshold=0.1, idxs=Array(3000, values=halves))
    args["boxes"] = Array(3000, 4, values=clustered, layout="transposed")
    yield Case("many of both", args, ("float32", "float16"))
    yield Case("none", call(0, clustered))
    yield Case("none, padded", call(0, clustered, max_output=5))


@st.composite
def strategy(draw):
    count = draw(st.one_of(st.integers(0, 150), st.integers(200, 500)))
    boxes = draw(st.sampled_from([clustered, apart, degenerate, of_all_sizes, at_octaves, all_over]))
    args = call(count, boxes, draw(st.sampled_from(["special", few, "uniform"])))
    args |= {"iou_threshold": draw(st.sampled_from([0.0, 0.3, 0.7])), "offset": draw(st.integers(0, 1))}
    args |= {"max_output": draw(st.integers(-1, 60)), "max_num": draw(st.integers(-1, 40))}
    if draw(st.booleans()):
        args["idxs"] = Array(count, values=classes)
    return args
