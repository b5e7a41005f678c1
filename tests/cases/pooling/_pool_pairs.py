# SPDX-License-Identifier: Apache-2.0
"""3 x 3 and 2 x 2 windows at strides of 2. They are the commonest, and CPU kernels have code of their own for them."""

from itertools import product

from hypothesis import strategies as st

from ascend_vision_ops.testing import Array, Case, cases_module

lowest = cases_module("_pool_vectors").lowest
WINDOWS = [{"kernel_size": [3, 3], "padding": [1, 1]}, {"kernel_size": [2, 2]}]
# Channels and columns: a vector of either, one more and one less; odd and even columns; columns behind the last
# window.
SIZES = [(16, 31), (17, 32), (32, 33), (33, 64), (34, 65), (35, 97), (64, 66), (130, 5), (16, 2), (18, 3)]
VALUES = ["normal", lowest, "special", "integers"]


def some_rows(rng, shape):
    """Small integers, of which many are equal, and NaN and infinities in every sixth row, so that both take turns."""
    images = rng.integers(-3, 4, shape).astype(float)
    images[..., ::6, :] = lowest(rng, images[..., ::6, :].shape)
    return images


def pair_cases(call):
    for window, (channels, width), ceil_mode in product(WINDOWS, SIZES, (False, True)):
        for height, layout in ((7, ""), (8, "channels_last")):
            values = VALUES[(channels + height) % len(VALUES)]
            image = Array(2, channels, height, width, values=values, layout=layout or "dense")
            args = {"input": image, "stride": [2, 2], "ceil_mode": ceil_mode, **window}
            yield Case(f"pairs {window} {channels, height, width} {ceil_mode}", call(args), out=layout)
    layouts = product(("dense", "channels_last"), ("", "channels_last", "strided"))
    for window, (layout, out) in product(WINDOWS, layouts):
        args = {"input": Array(1, 19, 24, 40, values=some_rows, layout=layout), "stride": [2, 2], **window}
        yield Case(f"rows {window} {layout} {out}", call(args), out=out)


@st.composite
def calls(draw, call):
    """Draws calls; half of them have such windows."""
    args = draw(cases_module("max_pool2d").strategy())
    n, channels, height, width = args["input"].shape
    if draw(st.booleans()):
        args = {"stride": [2, 2], "ceil_mode": args["ceil_mode"], **draw(st.sampled_from(WINDOWS))}
        height, width = height + 1, 2 * width
    return call({**args, "input": Array(n, channels, height, width, values="integers")})
