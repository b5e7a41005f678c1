# SPDX-License-Identifier: Apache-2.0
from itertools import product

from hypothesis import strategies as st

from ascend_vision_ops.testing import Array, Case, cases_module

FORWARD = cases_module("grid_sampler")
lattice, smooth, MODES = FORWARD.lattice, FORWARD.smooth, FORWARD.MODES
# Sizes (C, H, W) of images and (oH, oW) of grids: single pixels, channels around lanes and groups of them, images of
# many bands, several tiles in a row.
SIZES = [((1, 1, 1), (3, 3)), ((17, 5, 1), (1, 64)), ((2, 1, 40), (13, 5)), ((33, 16, 16), (9, 16)),
         ((65, 40, 21), (30, 17)), ((2, 8, 8), (1, 1025)), ((1, 260, 300), (4, 50)),
         ((1, 2, 60000), (2, 70))]  # fmt: skip

# Bilinear samples of many channels, which the kernel reads in windows: around chunks of channels, batches and tiles of
# samples, one row of pixels, groups of channels.
WINDOWS = [((32, 9, 7), (11, 13)), ((47, 1, 30), (3, 3)), ((64, 30, 20), (1, 600)), ((130, 12, 12), (20, 31)),
           ((96, 5, 1), (8, 8)), ((40, 33, 35), (33, 35))]  # fmt: skip


def call(image, grid, mode, values="normal", grads="dense", **layout):
    forward = FORWARD.call(image, grid, mode, values, **layout)
    return {"grad_output": Array(*image[:2], *grid, layout=grads), **forward}


def cases():
    for values, mode in product(("normal", lattice), MODES):
        yield Case(f"modes {mode} {values}", call((2, 3, 8, 16), (5, 7), mode, values))
    for mode in MODES:
        yield Case(f"not finite {mode}", call((1, 2, 4, 8), (4, 10), mode, "special"))
    for i, (image, grid) in enumerate(SIZES):
        values = lattice if max(image) > 200 else ("normal", smooth)[i % 2]
        for mode in (MODES[5 * i % 18], MODES[(7 * i + 4) % 18]):
            yield Case(f"size {image} {grid} {mode}", call((1, *image), grid, mode, values))
    # Few samples of large images, one channel after the other; and more samples than pixels, channels as lanes.
    for mode, layout in product(MODES[::3], ("dense", "channels_last")):
        how = {"values": lattice, "grads": layout, "layout": layout}
        yield Case(f"few samples {mode} {layout}", call((2, 7, 50, 41), (3, 7), mode, **how))
        yield Case(f"many samples {mode} {layout}", call((2, 7, 5, 6), (9, 16), mode, **how))
    # So many planes that the gradients of the coordinates are found by themselves; planes whose gradients lie otherwise
    # than they do.
    for mode in MODES[::3]:
        yield Case(f"many planes {mode}", call((2, 70, 30, 31), (3, 5), mode, lattice))
        args = call((2, 2, 9, 11), (7, 6), mode, lattice, layout="transposed")
        yield Case(f"transposed planes {mode}", args, out="strided")
    # Channels that fill a quarter of 64 bytes, half of them, and several groups; few samples of planes whose gradients
    # are rounded as a whole, or only where samples are; coordinates of neighbours that lie apart.
    for mode in MODES[::4]:
        for channels, where in product((1, 3, 6, 70), ("normal", lattice)):
            yield Case(f"lanes {channels} {mode} {where}", call((2, channels, 4, 5), (7, 9), mode, where))
        for rows in (2, 40):
            yield Case(f"planes {rows} {mode}", call((2, 5, 90, 41), (rows, 2), mode, lattice))
        args = call((3, 4, 6, 9), (11, 13), mode)
        args["grid"] = Array(3, 11, 13, 2, values=lattice, layout="channels_last")
        yield Case(f"coordinates apart {mode}", args)
    # All neighbours of a sample are one pixel: the derivatives of their weights cancel.
    for mode in MODES[14:16]:
        yield Case(f"one pixel {mode}", call((2, 20, 1, 1), (3, 3), mode))
    for i, (image, grid) in enumerate(WINDOWS):
        for values, mode in (
            ("normal", MODES[i]),
            (smooth, MODES[(i + 3) % 6]),
            (lattice, MODES[(i + 1) % 6]),
        ):
            yield Case(f"windows {image} {grid} {mode} {values}", call((2, *image), grid, mode, values))
        yield Case(f"windows not finite {image} {MODES[i]}", call((1, *image), grid, MODES[i], "special"))
    for mode, (layout, out) in zip(MODES[::5], FORWARD.LAYOUTS, strict=True):
        yield Case(f"{layout} {out}", call((3, 3, 6, 7), (4, 5), mode, layout=layout), out=out)
    for image, grid in (((0, 2, 4, 4), (3, 3)), ((2, 2, 4, 4), (0, 3)), ((1, 0, 4, 4), (2, 3))):
        yield Case(f"empty {image} {grid}", call(image, grid, MODES[0]))


def oracle(grad_output, input, grid, **modes):
    import torch

    if not grid.isfinite().all():
        return None  # torch's CPU kernel reads outside of the image there
    leaves = [input.clone().requires_grad_(), grid.clone().requires_grad_()]
    return torch.autograd.grad(torch.grid_sampler(*leaves, *modes.values()), leaves, grad_output)


@st.composite
def strategy(draw):
    image, grid = ([draw(st.integers(1, n)) for n in most] for most in ((2, 20, 20, 20), (30, 30)))
    return call(image, grid, draw(st.sampled_from(MODES)), draw(st.sampled_from(["normal", smooth, lattice])))
