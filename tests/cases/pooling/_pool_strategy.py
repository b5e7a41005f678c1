# SPDX-License-Identifier: Apache-2.0
"""Draws calls of pooling."""

from typing import NamedTuple

from hypothesis import strategies as st

from ascend_vision_ops.testing import Array


class Kind(NamedTuple):
    """What to draw from. A pair is the least and the most.

    images, channels: of the input.
    rows, columns: of the input, beyond those of one window.
    taps, steps: the most rows or columns of kernel_size, and of stride.
    """

    images: tuple[int, int]
    channels: tuple[int, int]
    rows: tuple[int, int]
    columns: tuple[int, int]
    taps: int
    steps: int


SMALL = Kind((0, 2), (1, 20), (0, 20), (0, 20), 6, 5)
# More channels and columns than a line of windows takes at once. It takes them in blocks, and the last is smaller.
WIDE = Kind((1, 2), (60, 140), (0, 3), (65, 140), 3, 3)
# Results of more than 4 MB, which go around the caches. They are drawn seldom, as one takes as long as fifty others.
LARGE = Kind((1, 1), (120, 140), (90, 100), (110, 140), 3, 1)


@st.composite
def pools(draw, dilations=1):
    """Draws the arguments of a call. dilations: the largest dilation; an operator without dilations has 1."""
    kind = draw(st.sampled_from(40 * [SMALL] + 40 * [WIDE] + [LARGE]))
    pair = lambda high: [draw(st.integers(1, high)) for _ in range(2)]  # noqa: E731
    kernel, dilation = pair(kind.taps), pair(dilations)
    beside = [draw(st.integers(*kind.rows)), draw(st.integers(*kind.columns))]
    sizes = [k * d + more for k, d, more in zip(kernel, dilation, beside, strict=True)]
    args = {
        "input": Array(draw(st.integers(*kind.images)), draw(st.integers(*kind.channels)), *sizes),
        "kernel_size": kernel, "stride": pair(kind.steps), "padding": [draw(st.integers(0, k // 2)) for k in kernel],
        "ceil_mode": draw(st.booleans()),
    }  # fmt: skip
    return args | ({"dilation": dilation} if dilations > 1 else {})
