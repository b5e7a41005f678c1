# SPDX-License-Identifier: Apache-2.0
"""Calls of deformable convolution, for the operator and for its gradient."""

import numpy as np
from hypothesis import strategies as st

from ascend_vision_ops.testing import Array


def between(rng, shape):
    """Offsets that lead between pixels, where finite differences of the result are near its derivatives."""
    return rng.integers(-3, 3, shape) + rng.uniform(0.02, 0.98, shape)


def far(rng, shape):
    """Offsets that lead beyond the image, to its edge and onto pixels, and offsets that are not finite."""
    strange = [float("nan"), float("inf"), -float("inf"), 1e30, -1e30, -1.0, 0.0, 1.0, 40.0]
    return rng.choice([*strange, *rng.normal(0, 4, 20)], shape)


def infinite(rng, shape):
    """Values of which a few are infinite, and some have only a few significant bits."""
    values = rng.choice([0, 0.5, 1, -2, *rng.normal(size=20)], shape)
    return np.where(rng.random(shape) < 0.003, rng.choice([-np.inf, np.inf], shape), values)


def call(
    shape, filters, kernel, stride=(1, 1), padding=(1, 1), dilation=(1, 1), groups=1, deform=1, **options
):
    """Arguments of a call. `options` go to all arrays; `moves`: values of offset; `without`: the absent tensors."""
    without, moves = options.pop("without", ()), options.pop("moves", between)
    axes = zip(shape[2:], kernel, stride, padding, dilation, strict=True)
    places = [(size + 2 * pad - gap * (k - 1) - 1) // step + 1 for size, k, step, pad, gap in axes]
    taps = deform * kernel[0] * kernel[1]
    tensors = {
        "input": Array(*shape, **options),
        "offset": Array(shape[0], 2 * taps, *places, **{**options, "values": moves}),
        "mask": Array(shape[0], taps, *places, **{"values": "uniform", **options}),
        "weight": Array(filters, shape[1] // groups, *kernel, **options),
        "bias": Array(filters, **options),
    }
    pairs = {"stride": list(stride), "padding": list(padding), "dilation": list(dilation)}
    return {**tensors, **dict.fromkeys(without), **pairs, "groups": groups, "deform_groups": deform}


@st.composite
def calls(draw):
    pair = lambda low, high: [draw(st.integers(low, high)) for _ in range(2)]  # noqa: E731
    kernel, dilation, groups, deform = (
        pair(1, 3),
        pair(1, 2),
        draw(st.integers(1, 3)),
        draw(st.integers(1, 3)),
    )
    size = [k * d + draw(st.integers(0, 9)) for k, d in zip(kernel, dilation, strict=True)]
    shape = (draw(st.integers(0, 2)), groups * deform * draw(st.integers(1, 5)), *size)
    filters = groups * draw(st.integers(1, 9))
    return call(shape, filters, kernel, pair(1, 3), pair(0, 2), dilation, groups, deform)
