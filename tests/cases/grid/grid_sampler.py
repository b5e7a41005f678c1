# SPDX-License-Identifier: Apache-2.0
from itertools import product

import numpy as np
from hypothesis import strategies as st

from ascend_vision_ops.testing import Array, Case

# Only the gradient of `input` is compared with finite differences. That of the grid jumps wherever a sample lies on a
# pixel; the oracle judges it.
SMOOTH = ("input",)
MODES = list(product(range(3), range(3), (False, True)))


def lattice(rng, shape):
    """Coordinates that every dtype holds exactly, as those of `smooth`; positions in float32 are exact, too."""
    return rng.integers(-112, 113, shape) / 64


def smooth(rng, shape):
    rows, columns = np.linspace(-1, 1, shape[1])[:, None, None], np.linspace(-1, 1, shape[2])[:, None]
    return np.broadcast_to(np.round(64 * (rows * [0.2, 0.85] + columns * [0.9, -0.15])) / 64, shape)


def far(rng, shape):
    """As `lattice`, but each row of samples goes farther from the image: the last ones are 100 images away."""
    return lattice(rng, shape) * (1 + (np.arange(shape[1]) ** 2 // 8)[:, None, None])


# Sizes (C, H, W) of images and (oH, oW) of grids: single pixels, more channels than lanes, samples around a tile,
# several tiles in a row, images larger than UB, several rows of tiles.
SIZES = [((1, 1, 1), (3, 3)), ((17, 5, 1), (1, 64)), ((2, 1, 40), (13, 5)), ((33, 16, 16), (9, 16)),
         *(((2, 8, 8), (1, n)) for n in (1023, 1024, 1025)), ((1, 30, 40), (9, 160)), ((2, 260, 300), (4, 50)),
         ((1, 2, 60000), (2, 70)), ((48, 9, 11), (7, 13)), ((9, 40, 41), (2, 3)), ((7, 24, 40), (13, 37))]  # fmt: skip
LAYOUTS = [("strided", ""), ("transposed", "strided"), ("offset", "transposed"), ("broadcast", "")]


def call(image, grid, mode, where="normal", **array):
    where = (
        lattice if mode[0] == 1 and where != "special" else where
    )  # else the last bit may decide which pixel is the nearest
    args = {"input": Array(*image, **array), "grid": Array(image[0], *grid, 2, values=where)}
    return args | dict(zip(("interpolation_mode", "padding_mode", "align_corners"), mode, strict=True))


def cases():
    for values, mode in product(("normal", lattice, "special"), MODES):
        yield Case(f"modes {mode} {values}", call((2, 3, 8, 16), (5, 7), mode, values))
    for i, (image, grid) in enumerate(SIZES):
        where = lattice if max(image) > 200 else ("normal", smooth)[i % 2]
        for mode, layout in product((MODES[5 * i % 18], MODES[i % 6]), ("dense", "channels_last")):
            args = call((1, *image), grid, mode, where, layout=layout)
            yield Case(f"size {i} {mode} {layout}", args, out=layout.replace("dense", "") * (i % 2))
    # Few samples of large images, whose neighbours are read where they lie, of more channels than in other cases.
    for mode, layout in product(MODES[::3], ("dense", "channels_last")):
        yield Case(f"few samples {mode} {layout}", call((2, 7, 50, 41), (3, 7), mode, lattice, layout=layout))
    # Nearest samples of many channels: from a copy, and by gathers where they are fewer than pixels.
    for mode, grid in product(MODES[6:12], ((20, 22), (9, 13))):
        yield Case(f"nearest {mode} {grid}", call((2, 15, 20, 21), grid, mode))
    # Two, three, five and nine channels of a pixel side by side: interleaved, by squares, and read where they lie. And
    # coordinates of neighbours that lie apart, with the images or the rows innermost.
    for i, channels in enumerate((2, 3, 5, 9)):
        for mode in (MODES[i], MODES[6 + i], MODES[12 + i]):
            args = call((5, channels, 6, 9), (11, 13), mode, smooth, layout="channels_last")
            yield Case(f"channels {channels} {mode}", args, out="channels_last")
            args["grid"] = Array(5, 11, 13, 2, values=lattice, layout="channels_last")
            yield Case(f"channels {channels} {mode} coordinates apart", args)
    # Small images of few channels with many samples, whose neighbours are read from a copy with a margin; and samples
    # for which the margin would be too wide.
    for mode, where in product(MODES[12:], (lattice, far)):
        args = call((2, 3, 5, 9), (30, 41), mode, where, layout=("dense", "channels_last")[mode[2]])
        yield Case(f"margin {mode} {where.__name__}", args)
    for mode, (layout, out) in zip(MODES[::5], LAYOUTS, strict=True):
        yield Case(f"{layout} {out}", call((3, 3, 6, 7), (4, 5), mode, layout=layout), out=out)
        yield Case("image", call((1, 7, 24, 40), (13, 37), mode, smooth, values="special"))
    for *image, rows in ((0, 2, 3), (2, 0, 3), (2, 2, 0)):
        yield Case(f"empty {image} {rows}", call((*image, 4, 4), (rows, 3), MODES[0]))


def oracle(**arguments):
    import torch

    return torch.grid_sampler(*arguments.values())


@st.composite
def strategy(draw):
    image, grid = ([draw(st.integers(1, n)) for n in most] for most in ((2, 20, 20, 20), (30, 30)))
    return call(image, grid, draw(st.sampled_from(MODES)), draw(st.sampled_from(["normal", smooth, lattice])))
