# SPDX-License-Identifier: Apache-2.0
import numpy as np
from hypothesis import strategies as st

from ascend_vision_ops.testing import Array, Case

# Rows and columns of the map of each level.
PYRAMIDS = {"one": [(7, 9)], "four": [(12, 10), (6, 5), (3, 3), (2, 1)], "odd": [(1, 1), (1, 30), (25, 1)]}


def one(rng, shape):
    return np.array(PYRAMIDS["one"])


def four(rng, shape):
    return np.array(PYRAMIDS["four"])


def odd(rng, shape):
    return np.array(PYRAMIDS["odd"])


def in_turn(name):
    """Where maps start that lie one behind the other."""
    sizes = [height * width for height, width in PYRAMIDS[name]]
    return np.cumsum([0, *sizes])[:-1]


def starts_of_one(rng, shape):
    return in_turn("one")


def starts_of_four(rng, shape):
    return in_turn("four")


def starts_of_odd(rng, shape):
    return in_turn("odd")


def reversed_starts(rng, shape):
    """The maps of `four` from the last to the first, with gaps, and the two largest ones overlap."""
    return np.array([0, 60, 130, 150])


def empty(rng, shape):
    """Maps without rows, columns or both, at the end of value."""
    return np.array([(0, 4), (3, 0), (0, 0)])


def at_the_end(rng, shape):
    return np.full(shape, 11)


def around(rng, shape):
    """Locations in the map, and some beyond its edges."""
    return rng.uniform(-0.2, 1.2, shape)


def strange(rng, shape):
    """Locations on the edges, far beyond them, and not finite."""
    return rng.choice([0, 1, 0.5, 0.25, 0.3, 0.7, -1e30, 1e30, 7, np.nan, np.inf, -np.inf], shape)


LEVELS = {
    "one": (one, starts_of_one), "four": (four, starts_of_four), "odd": (odd, starts_of_odd),
    "apart": (four, reversed_starts), "empty": (empty, at_the_end),
}  # fmt: skip


def call(images, queries, heads, channels, points, levels="four", locations=around, layout="dense"):
    shapes, starts = LEVELS[levels]
    count = len(starts(None, 3))
    total = {"apart": 160, "empty": 11}.get(levels) or sum(h * w for h, w in PYRAMIDS[levels])
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
    for name, sizes in {"images": (0, 3, 2, 4, 2), "queries": (1, 0, 2, 4, 2), "points": (1, 3, 2, 4, 0)}.items():
        yield Case(f"no {name}", call(*sizes))


def oracle(value, value_spatial_shapes, value_level_start_index, sampling_locations, attention_weights):
    """mmcv's version in PyTorch, which has no starts and no locations that are not finite."""
    from ascend_vision_ops.testing.peers import mmcv_function

    sizes = value_spatial_shapes.prod(1)
    in_turn = (value_level_start_index == sizes.cumsum(0) - sizes).all() and sizes.sum() == value.shape[1]
    if not in_turn or not sizes.all() or not sampling_locations.isfinite().all() or not sampling_locations.numel():
        return None
    attention = mmcv_function("multi_scale_deform_attn", "multi_scale_deformable_attn_pytorch")
    return attention(value, value_spatial_shapes.tolist(), sampling_locations, attention_weights)


@st.composite
def strategy(draw):
    size = lambda low, high: draw(st.integers(low, high))  # noqa: E731
    levels = draw(st.sampled_from(sorted(LEVELS)))
    return call(size(0, 2), size(0, 9), size(1, 4), size(1, 40), size(0, 5), levels)
