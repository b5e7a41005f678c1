# SPDX-License-Identifier: Apache-2.0
from itertools import product

import numpy as np
from hypothesis import strategies as st

from ascend_vision_ops.testing import Array, Case, cases_module

oracle = cases_module("_rotated_rois").by_grid_sample


def turned(rng, shape):
    """Regions (index, x, y, width, height, angle) on two maps of 24 x 32, some of which reach beyond."""
    count = (shape[0], 1)
    index, angle = rng.integers(0, 2, count), rng.uniform(-7, 7, count)
    return np.concatenate(
        [index, rng.uniform(-2, 34, (shape[0], 2)), rng.uniform(0.2, 20, (shape[0], 2)), angle], 1
    )


def upright(rng, shape):
    """Regions without an angle, at multiples of half a pixel: many samples lie on a pixel or where the map ends."""
    count = (shape[0], 1)
    centre, size = rng.integers(-4, 68, (shape[0], 2)) / 2, rng.integers(0, 20, (shape[0], 2))
    return np.concatenate([rng.integers(0, 2, count), centre, size, np.zeros(count)], 1)


IRREGULAR = [
    (0, 5, 5, -3, 4, 0.5), (0, 5, 5, 0, 0, 1), (1, np.nan, 5, 3, 3, 0), (1, 5, 5, np.inf, 3, 0),
    (0, 5, 5, 3, 3, np.inf), (1, 1e4, 5, 3, 3, 0.1), (1, 15, 12, 60, 40, 0.7), (0, 0, 0, 1e-6, 1e-6, 3),
    (1, 31.5, 23.5, 1, 1, 1000.0),
]  # fmt: skip


def irregular(rng, shape):
    return np.array(IRREGULAR, dtype=float)


def _case(name, shape, rois=None, bins=(3, 5), out="", **args):
    input = shape if isinstance(shape, Array) else Array(*shape)
    rois = rois or Array(7, 6, values=turned)
    args = {"input": input, "rois": rois, "output_height": bins[0], "output_width": bins[1], **args}
    return Case(f"{name} {input.shape} {bins} {list(args.values())[4:]}", args, out=out)


def cases():
    for ratio, aligned, clockwise in product((0, 1, 2, 3), (True, False), (True, False)):
        args = {"sampling_ratio": ratio, "aligned": aligned, "clockwise": clockwise}
        yield _case("turned", (2, 6, 24, 32), **args)
    for ratio, aligned in product((0, 2), (True, False)):
        args = {"sampling_ratio": ratio, "aligned": aligned}
        yield _case("upright", (2, 5, 24, 32), Array(40, 6, values=upright, layout="strided"), (4, 2), **args)
        yield _case("irregular", (2, 5, 24, 32), Array(len(IRREGULAR), 6, values=irregular), **args)
    # Channels: around vectors and around what a thread pools at a time. The map is copied for 7 regions, not for one.
    for channels, layout in product((1, 4, 8, 15, 17, 63, 65, 130), ("dense", "channels_last")):
        yield _case("channels", Array(2, channels, 9, 10, layout=layout), Array(7, 6, values=turned), (2, 2))
    yield _case("one region", (2, 20, 60, 64), Array(1, 6, values=turned), (7, 7), sampling_ratio=2)
    for layout, out in (
        ("strided", "strided"),
        ("transposed", "transposed"),
        ("offset", ""),
        ("broadcast", "offset"),
    ):
        yield _case(layout, Array(2, 9, 24, 32, layout=layout), spatial_scale=0.5, out=out)
    yield _case("channels last", Array(2, 18, 24, 32, layout="channels_last"), out="channels_last")
    for bins in ((1, 1), (7, 7), (1, 17), (14, 2)):
        yield _case("bins", (2, 5, 24, 32), bins=bins, spatial_scale=1.5)
    yield _case("many samples", (2, 3, 8, 8), Array(2, 6, values=turned), (1, 2), sampling_ratio=40)
    yield _case("no regions", (2, 3, 4, 5), Array(0, 6))


@st.composite
def strategy(draw):
    return {
        "input": Array(2, draw(st.integers(1, 40)), draw(st.integers(1, 30)), draw(st.integers(1, 30))),
        "rois": Array(draw(st.integers(0, 12)), 6, values=draw(st.sampled_from([turned, upright]))),
        "output_height": draw(st.integers(1, 8)), "output_width": draw(st.integers(1, 8)),
        "spatial_scale": draw(st.sampled_from([1.0, 0.25, 1.75])), "sampling_ratio": draw(st.integers(0, 4)),
        "aligned": draw(st.booleans()), "clockwise": draw(st.booleans()),
    }  # fmt: skip
