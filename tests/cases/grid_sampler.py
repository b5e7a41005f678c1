# SPDX-License-Identifier: Apache-2.0
from itertools import product

import numpy as np
from hypothesis import strategies as st

from ascend_vision_ops.testing import Array, Case

# The grid has kinks wherever a sample meets a pixel, which finite differences step over; the oracle judges it.
SMOOTH = ("input",)
MODES = list(product(range(3), range(3), (False, True)))
NAMES = (("bilinear", "nearest", "bicubic"), ("zeros", "border", "reflection"))


def spread(rng, shape):
    """Coordinates in and around the image."""
    return rng.uniform(-1.6, 1.6, shape)


def lattice(rng, shape):
    """Coordinates that every dtype holds, and whose positions are exact in float32: pixels, and halves between them."""
    return rng.integers(-112, 113, shape) / 64


def strange(rng, shape):
    """Not finite, and far away."""
    return rng.choice([np.nan, np.inf, -np.inf, 1024, -2048, 0.25, -0.5], shape)


def smooth(rng, shape):
    """The image turned and shrunk a little."""
    y, x = np.meshgrid(*(np.linspace(-1, 1, n) for n in shape[1:3]), indexing="ij")
    return np.broadcast_to(np.stack([0.9 * x + 0.2 * y, 0.85 * y - 0.15 * x], -1), shape)


# Channels, image, grid: one channel and many, single rows and pixels, around 64 lanes and 16 lanes of a transposition.
SHAPES = [((3, 8, 9), (5, 7)), ((1, 1, 1), (3, 3)), ((17, 5, 1), (1, 64)), ((2, 1, 40), (13, 5)),
          ((33, 16, 16), (9, 16))]  # fmt: skip
# Around a tile of samples, columns of several tiles, images larger than the Unified Buffer, rows that are.
TILES = [((2, 8, 8), (1, n)) for n in (1023, 1024, 1025)] + [
    ((1, 30, 40), (9, 160)),
    ((2, 260, 300), (4, 50)),
]
TILES += [((1, 2, 60000), (2, 70))]


def _case(name, shape, size, mode, values=spread, images=1, out="", image="normal", **layout):
    interpolation, padding, corners = mode
    values = lattice if interpolation == 1 and values is spread else values
    args = {"input": Array(images, *shape, values=image, **layout), "grid": Array(images, *size, 2, values=values)}
    args |= {"interpolation_mode": interpolation, "padding_mode": padding, "align_corners": corners}
    return Case(f"{name} {shape} {size} {mode}", args, out=out)


def cases():
    for mode in MODES:
        yield _case("modes", (3, 8, 9), (5, 7), mode, images=2)
        if mode[0] != 1:
            yield _case("lattice", (2, 16, 8), (6, 11), mode, lattice)
        yield _case("strange", (2, 4, 8), (4, 10), mode, strange)
    for (shape, size), mode in product(SHAPES[1:], ((0, 0, False), (1, 2, True), (2, 1, False))):
        yield _case("shape", shape, size, mode)
    for i, (shape, size) in enumerate(TILES):
        yield _case("tile", shape, size, MODES[5 * i % 18], smooth if i % 2 else spread)
    for i, (layout, out) in enumerate(
        (("strided", ""), ("transposed", "strided"), ("offset", "transposed"), ("broadcast", "offset"))
    ):
        yield _case(layout, (3, 6, 7), (4, 5), MODES[7 * i % 18], images=3, layout=layout, out=out)
    for mode in MODES[::5]:
        yield _case("special", (2, 8, 9), (6, 7), mode, image="special")
    for images, channels, size in ((0, 2, (3, 3)), (2, 0, (3, 3)), (2, 2, (0, 3))):
        yield _case("empty", (channels, 4, 4), size, (0, 0, False), images=images)


def oracle(input, grid, interpolation_mode=0, padding_mode=0, align_corners=False):
    import torch.nn.functional as F

    modes = (NAMES[0][interpolation_mode], NAMES[1][padding_mode])
    return F.grid_sample(input, grid, *modes, align_corners)


@st.composite
def strategy(draw):
    images, interpolation = draw(st.integers(0, 2)), draw(st.integers(0, 2))
    channels, *sizes = (draw(st.integers(1, n)) for n in (20, 20, 20, 30, 30))
    values = lattice if interpolation == 1 else draw(st.sampled_from([spread, smooth, lattice]))
    return {
        "input": Array(images, channels, *sizes[:2]),
        "grid": Array(images, *sizes[2:], 2, values=values),
        "interpolation_mode": interpolation,
        "padding_mode": draw(st.integers(0, 2)),
        "align_corners": draw(st.booleans()),
    }
