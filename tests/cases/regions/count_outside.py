# SPDX-License-Identifier: Apache-2.0
import numpy as np
from hypothesis import strategies as st

from ascend_vision_ops.testing import Array, Case


def inside(rng, shape):
    return rng.integers(0, 3, shape)


def edges(rng, shape):
    """Around both ends of the range, and numbers that the narrowest dtypes round."""
    return rng.choice([-1, -(2**31), 0, 1, 2, 3, 4, 200, 60000], shape)


def fractions(rng, shape):
    return rng.choice([-0.0, -0.25, 0.5, 2.75, 3.0, np.nan, np.inf, -np.inf], shape)


FLOATING = ("float32", "float16", "bfloat16")


def cases():
    # Counts around a repeat, a tile of 8192, and two tiles.
    for count in (0, 1, 63, 64, 65, 1000, 8191, 8192, 8193, 16385):
        yield Case(f"inside {count}", {"indices": Array(count, values=inside), "size": 3})
        yield Case(f"edges {count}", {"indices": Array(count, values=edges), "size": 3})
    yield Case("fractions", {"indices": Array(100, values=fractions), "size": 3}, dtypes=FLOATING)
    for size in (0, 1, 2**24):
        yield Case(f"size {size}", {"indices": Array(300, values=edges), "size": size})
    for layout in ("strided", "offset", "broadcast"):
        yield Case(layout, {"indices": Array(300, values=edges, layout=layout), "size": 3}, out="offset")


def oracle(indices, size):
    import torch

    return torch.logical_not((indices >= 0) & (indices < size)).sum(dtype=torch.int32)[None]


@st.composite
def strategy(draw):
    return {
        "indices": Array(draw(st.integers(0, 500)), values=edges),
        "size": draw(st.integers(0, 5)),
    }
