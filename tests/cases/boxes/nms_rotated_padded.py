# SPDX-License-Identifier: Apache-2.0
from hypothesis import strategies as st

from ascend_vision_ops.testing import Array, Case, cases_module

OF, BOXES, CLASSES = (cases_module(name) for name in ("_rotated", "_boxes", "_classes"))
turned, upright, strange, few = OF.turned, OF.upright, OF.strange, BOXES.few


def call(images, classes, count, boxes=turned, scores="uniform", layout="dense", iou=0.3, least=0.1):
    return {
        "boxes": Array(images, count, 5, values=boxes, layout=layout),
        "scores": Array(images, classes, count, values=scores, layout=layout),
        "iou_threshold": iou,
        "score_threshold": least,
    }


def cases():
    # Around as many boxes as are compared at once.
    for count in (0, 1, 2, 7, 8, 9, 17, 60):
        yield Case(f"{count} boxes", call(1, 2, count))
    for boxes in (turned, upright, strange):
        for iou in (0.1, 0.5, 0.9):
            yield Case(f"{boxes.__name__} {iou}", call(2, 3, 50, boxes, few, iou=iou, least=-1.0))
    for iou in (-1.0, 0.0, 1.0, 2.0):
        yield Case(f"threshold {iou}", call(1, 1, 30, upright, iou=iou))
    yield Case("strange scores", call(1, 3, 40, scores="special", least=0.25))
    yield Case("no score is enough", call(2, 2, 10, least=3.0))
    yield Case("many", call(1, 2, 400, iou=0.2))
    yield from CLASSES.layouts(call)
    yield Case("no images", call(0, 2, 5))
    yield Case("no classes", call(2, 0, 5))


def oracle(boxes, scores, iou_threshold, score_threshold):
    rows = OF.kept_by_clipping(boxes, scores, iou_threshold, score_threshold)
    return None if rows is None else CLASSES.padded(rows, scores)


@st.composite
def strategy(draw):
    boxes, scores = (
        draw(st.sampled_from([turned, upright, strange])),
        draw(st.sampled_from(["special", few, "uniform"])),
    )
    size = [draw(st.integers(0, most)) for most in (2, 3, 40)]
    return call(
        *size,
        boxes,
        scores,
        iou=draw(st.sampled_from([0.1, 0.5, 0.7])),
        least=draw(st.sampled_from([-1.0, 0.2])),
    )
