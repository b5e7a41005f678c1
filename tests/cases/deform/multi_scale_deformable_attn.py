# SPDX-License-Identifier: Apache-2.0
import numpy as np
from hypothesis import strategies as st

from ascend_vision_ops.testing import Array, Case, cases_module

OF = cases_module("_levels")
one, four, odd, empty = OF.one, OF.four, OF.odd, OF.empty
starts_of_one, starts_of_four, starts_of_odd = OF.starts_of_one, OF.starts_of_four, OF.starts_of_odd
apart, at_the_end, LEVELS = OF.apart, OF.at_the_end, OF.LEVELS


def around(rng, shape):
    """Locations in the map, and some beyond its edges."""
    return rng.uniform(-0.2, 1.2, shape)


def strange(rng, shape):
    """Locations on the edges, far beyond them, and not finite."""
    return rng.choice([0, 1, 0.5, 0.25, 0.3, 0.7, -1e30, 1e30, 7, np.nan, np.inf, -np.inf], shape)


def call(images, queries, heads, channels, points, levels="four", locations=around, layout="dense"):
    shapes, starts = LEVELS[levels]
    count = len(starts(None, 3))
    total = {"apart": 160, "empty": 11}.get(levels) or sum(h * w for h, w in OF.PYRAMIDS[levels])
    places = (images, queries, heads, count, points)
    return {
        "value": Array(images, total, heads, channels, layout=layout),
        "value_spatial_shapes": Array(count, 2, values=shapes),
        "value_level_start_index": Array(count, values=starts),
        "sampling_locations": Array(*places, 2, values=locations, layout=layout),
        "attention_weights": Array(*places, values="uniform", layout=layout),
    }


def cases():
    for levels in LEVELS:
        yield Case(levels, call(2, 7, 3, 8, 4, levels))
    # Channels: around vectors, and more than fit a block of them.
    for channels in (1, 3, 4, 7, 8, 9, 15, 16, 17, 31, 32, 33, 64, 65, 130):
        yield Case(f"{channels} channels", call(1, 3, 2, channels, 2, "one"))
    yield Case("strange locations", call(2, 11, 2, 6, 5, "four", strange))
    for layout in ("strided", "transposed", "offset", "broadcast"):
        out = {"strided": "strided", "offset": "transposed"}.get(layout, "")
        yield Case(layout, call(2, 5, 2, 18, 3, layout=layout), out=out)
    yield Case("many queries", call(1, 300, 8, 32, 4))
    for name, sizes in {
        "images": (0, 3, 2, 4, 2),
        "queries": (1, 0, 2, 4, 2),
        "points": (1, 3, 2, 4, 0),
    }.items():
        yield Case(f"no {name}", call(*sizes))


def oracle(value, value_spatial_shapes, value_level_start_index, sampling_locations, attention_weights):
    """mmcv's version in PyTorch, which has no starts and no locations that are not finite."""
    from ascend_vision_ops.testing.peers import mmcv_function

    sizes = value_spatial_shapes.prod(1)
    in_turn = (value_level_start_index == sizes.cumsum(0) - sizes).all() and sizes.sum() == value.shape[1]
    if (
        not in_turn
        or not sizes.all()
        or not sampling_locations.isfinite().all()
        or not sampling_locations.numel()
    ):
        return None
    attention = mmcv_function("multi_scale_deform_attn", "multi_scale_deformable_attn_pytorch")
    return attention(value, value_spatial_shapes.tolist(), sampling_locations, attention_weights)


@st.composite
def strategy(draw):
    size = lambda low, high: draw(st.integers(low, high))  # noqa: E731
    levels = draw(st.sampled_from(sorted(LEVELS)))
    return call(size(0, 2), size(0, 9), size(1, 4), size(1, 40), size(0, 5), levels)
