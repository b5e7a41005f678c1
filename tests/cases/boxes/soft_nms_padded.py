# SPDX-License-Identifier: Apache-2.0
import numpy as np
from hypothesis import strategies as st

from ascend_vision_ops.testing import Case, cases_module

SOFT_NMS = cases_module("soft_nms")
crowd, pixels, call = SOFT_NMS.crowd, SOFT_NMS.pixels, SOFT_NMS.call


def strange(rng, shape):
    """Scores between 0 and 1, but for about eight that are NaN, infinite, 0 or negative."""
    odd = rng.choice([np.nan, np.inf, -np.inf, 0, -1], shape)
    return np.where(rng.random(shape) < 8 / shape[0], odd, rng.random(shape))


def pile(rng, shape):
    """Boxes in heaps of about 300, with whole corners."""
    return np.round(crowd(rng, shape, heap=300))


def cases():
    yield Case("no boxes", call(count=0))
    for method in range(3):
        for count in (1, 2, 7, 63, 64, 65, 130):
            yield Case(f"{count} {method}", call(count=count, method=method))
        for offset in (0, 1):
            yield Case(
                f"pools {method} {offset}", call(count=300, method=method, offset=offset), ("float32",)
            )
            yield Case(f"ties {method} {offset}", call(pixels, "integers", 70, method=method, offset=offset))
        yield Case(f"equal scores {method}", call(pixels, "constant", 70, method=method))
        yield Case(f"equal boxes {method}", call("constant", "integers", 70, method=method))
        for low in (0.2, 5.0):
            yield Case(f"drops below {low} {method}", call(count=150, method=method, min_score=low))
        yield Case(f"scores {method}", call(scores=strange, count=80, method=method))
        yield Case(f"corners {method}", call("special", count=60, method=method))
    yield Case("keeps scores below 0", call(scores=strange, count=75, min_score=-2.0))
    for threshold in (-1.0, 0.0, 1.0):
        yield Case(f"threshold {threshold}", call(pixels, "integers", 40, iou_threshold=threshold))
    for layout in ("strided", "transposed", "offset"):
        yield Case(layout, call(layout=layout), out=layout)
    # The most boxes that one core holds in its Unified Buffer, and more.
    for n in (3648, 3649):
        yield Case(f"{n}", call(pile, count=n, method=0, iou_threshold=0.2, min_score=0.5), ("float32",))
    yield Case("streamed", call(pile, "integers", 3800, iou_threshold=0.2, min_score=3.5), ("float16",))
    yield Case("streamed NaN", call(pile, strange, 3800, method=2, min_score=0.7), ("bfloat16",))


def oracle(boxes, scores, **attributes):
    import torch

    if len(boxes) > 200:
        return None
    dets, indices = SOFT_NMS.oracle(boxes, scores, **attributes)
    rest = len(boxes) - len(indices)
    dets, padding = torch.cat([dets, dets.new_zeros(rest, 5)]), torch.full((rest,), -1)
    return dets, torch.cat([indices, padding]), torch.tensor([len(indices)])


def strategy():
    # Method 2 is left out: the last bit of an exponential may decide between scores that are equal but for rounding.
    kinds = st.sampled_from([crowd, pixels]), st.sampled_from(["uniform", "integers", "constant"])
    return st.builds(call, *kinds, st.integers(0, 70), method=st.integers(0, 1), min_score=st.floats(0, 1))
