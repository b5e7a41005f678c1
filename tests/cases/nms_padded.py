# SPDX-License-Identifier: Apache-2.0
from hypothesis import strategies as st

from ascend_vision_ops.testing import Array, Case
from ascend_vision_ops.testing.boxes import (
    apart,
    chain,
    classes,
    clustered,
    degenerate,
    descending,
    few,
    of_all_sizes,
)
from ascend_vision_ops.testing.boxes import kept_by_others as oracle

__all__ = ["oracle"]

# Around 64 lanes and rows, and the places where blocks, bands and sorted runs end.
COUNTS = (1, 2, 7, 8, 31, 33, 63, 64, 65, 127, 129, 200)


def call(count, boxes, scores="uniform", **attributes):
    args = {"boxes": Array(count, 4, values=boxes), "scores": Array(count, values=scores)}
    return {**args, "iou_threshold": 0.5, **attributes}


def cases():
    for count in COUNTS:
        yield Case(f"{count} boxes", call(count, clustered))
    for boxes, count in ((clustered, 1500), (apart, 1100), (chain, 1030)):
        scores = descending if boxes is chain else "uniform"
        yield Case(f"{boxes.__name__} {count}", call(count, boxes, scores), ("float32",))
    for threshold in (0.0, 0.1, 0.5, 0.9, 1.0):
        yield Case(f"all sizes {threshold}", call(700, of_all_sizes, iou_threshold=threshold), ("float32",))
    for scores in ("special", few, "constant"):
        yield Case(f"scores {getattr(scores, '__name__', scores)}", call(150, clustered, scores))
    yield Case("degenerate", call(300, degenerate, few, iou_threshold=0.0))
    yield Case("offset", call(100, degenerate, few, iou_threshold=0.3, offset=1))
    yield Case("score threshold", call(150, clustered, "special", score_threshold=0.5))
    yield Case("no score is enough", call(70, clustered, score_threshold=2.0))
    for most in (0, 1, 9, 100):
        yield Case(f"max output {most}", call(80, clustered, max_output=most, max_num=20))
    yield Case("classes", call(260, clustered, few, idxs=Array(260, values=classes)))
    yield Case("strided", call(90, clustered, iou_threshold=0.25), out="strided")
    yield Case("none", call(0, clustered))
    yield Case("none, padded", call(0, clustered, max_output=5))


@st.composite
def strategy(draw):
    count = draw(st.integers(0, 150))
    boxes = draw(st.sampled_from([clustered, apart, degenerate]))
    args = call(count, boxes, draw(st.sampled_from(["special", few, "uniform"])))
    args |= {"iou_threshold": draw(st.sampled_from([0.0, 0.3, 0.7])), "offset": draw(st.integers(0, 1))}
    args |= {"max_output": draw(st.integers(-1, 60)), "max_num": draw(st.integers(-1, 40))}
    if draw(st.booleans()):
        args["idxs"] = Array(count, values=classes)
    return args
