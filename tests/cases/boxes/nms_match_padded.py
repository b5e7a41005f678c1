# SPDX-License-Identifier: Apache-2.0
import numpy as np
from hypothesis import strategies as st

from ascend_vision_ops.testing import Array, Case, cases_module

OF, MATCHES, CLASSES = (cases_module(name) for name in ("_boxes", "_matches", "_classes"))
few = OF.few


def of_each(name):
    """A generator of boxes (N, L, 4): those of `_boxes` for each image."""

    def generator(rng, shape):
        return np.reshape([getattr(OF, name)(rng, shape[1:]) for _ in range(shape[0])], shape)

    generator.__name__ = name
    return generator


clustered, degenerate, at_octaves, chain = (
    of_each(n) for n in ("clustered", "degenerate", "at_octaves", "chain")
)


def half(rng, shape):
    return np.full(shape, 0.5)


def quarter(rng, shape):
    return np.full(shape, 0.25)


def below_all(rng, shape):
    return np.full(shape, -1.0)


def nothing(rng, shape):
    return np.full(shape, np.nan)


def call(images, classes, count, boxes=clustered, scores="uniform", layout="dense", iou=half, least=quarter):
    return {
        "boxes": Array(images, count, 4, values=boxes, layout=layout),
        "scores": Array(images, classes, count, values=scores, layout=layout),
        "iou_threshold": Array(1, values=iou),
        "score_threshold": Array(1, values=least),
    }


def cases():
    # Around as many boxes as are compared at once, and as are sorted by comparisons.
    for count in (0, 1, 2, 15, 16, 17, 33, 205):
        yield Case(f"{count} boxes", call(1, 2, count))
    for boxes in (clustered, degenerate, at_octaves, chain):
        yield Case(boxes.__name__, call(2, 3, 60, boxes, few, least=below_all))
    for iou in (quarter, below_all, nothing):
        yield Case(f"threshold {iou.__name__}", call(1, 2, 30, at_octaves, iou=iou))
    yield Case("strange scores", call(1, 3, 40, scores="special"))
    yield Case("no score is enough", call(1, 2, 20, least=nothing))
    yield from CLASSES.layouts(call)
    yield Case("no images", call(0, 2, 5))


def oracle(boxes, scores, iou_threshold, score_threshold):
    return CLASSES.padded(MATCHES.matched(boxes, scores, iou_threshold, score_threshold), scores)


@st.composite
def strategy(draw):
    boxes, scores = (
        draw(st.sampled_from([clustered, degenerate, at_octaves])),
        draw(st.sampled_from(["special", few])),
    )
    size = [draw(st.integers(0, most)) for most in (2, 3, 50)]
    return call(
        *size,
        boxes,
        scores,
        iou=draw(st.sampled_from([half, quarter])),
        least=draw(st.sampled_from([quarter, below_all])),
    )
