# SPDX-License-Identifier: Apache-2.0
"""Blocks of planes, whose gradients CPU kernels scatter together: 16 of them, or 8 of float64."""

from itertools import product

from ascend_vision_ops.testing import Array, Case, cases_module

lowest = cases_module("_pool_vectors").lowest
some_rows = cases_module("_pool_pairs").some_rows
# Shapes of planes, and windows over them.
WINDOWS = [
    ((23, 20), {"kernel_size": [1, 5], "stride": [4, 1], "padding": [0, 2], "dilation": [1, 2]}),
    ((17, 5), {"kernel_size": [4, 5], "stride": [3, 2], "padding": [2, 0], "dilation": [3, 1]}),
    ((12, 69), {"kernel_size": [3, 2], "stride": [3, 3], "dilation": [3, 2]}),
    ((14, 19), {"kernel_size": [3, 4], "stride": [1, 4], "padding": [0, 1], "dilation": [3, 2]}),
    ((170, 30), {"kernel_size": [3, 3], "stride": [1, 2], "padding": [1, 1]}),
    ((16, 16), {"kernel_size": [2, 2], "ceil_mode": True}),
    ((9, 8), {"kernel_size": [7, 6], "stride": [1, 1], "padding": [3, 3]}),
    ((5, 1), {"kernel_size": [3, 2], "padding": [1, 1], "dilation": [1, 2]}),
    ((1, 3), {"kernel_size": [1, 1], "stride": [1, 2]}),
]


def block_cases(call):
    """Rows of the image that no window reads, windows that share rows or do not, more rows than are computed at once,
    windows without an element, few windows of a half type, and each number of taps.
    """
    for (shape, window), channels, values in product(WINDOWS, (16, 21), (some_rows, "integers")):
        args = {"input": Array(2, channels, *shape, values=values), **window}
        yield Case(f"blocks of {channels} {shape} {window}", call(args))
    for out in ("channels_last", "strided"):
        args = {"input": Array(2, 19, 10, 18, values=some_rows, layout="transposed"), "kernel_size": [3, 2]}
        yield Case(f"blocks to {out}", call(args), out=out)


def whole_cases(call):
    """One window over each plane, of fewer elements than a vector has, and of more than 64."""
    for (height, width), channels, values in product(
        ((3, 3), (4, 4), (7, 9), (9, 15)), (16, 21), (lowest, "integers")
    ):
        args = {"input": Array(3, channels, height, width, values=values), "kernel_size": [height, width]}
        yield Case(f"whole {height, width} of {channels}", call(args))
    args = {"input": Array(2, 17, 7, 9), "kernel_size": [9, 11], "padding": [1, 1]}
    yield Case("whole with padding", call(args))


def pixel_cases(call):
    """Images whose channels are neighbours in memory: less than a vector of them, some and a rest, and more than are
    computed together, in several bands of rows.
    """
    for (shape, window), channels in product(WINDOWS, (8, 21)):
        args = {"input": Array(2, channels, *shape, values=some_rows, layout="channels_last"), **window}
        yield Case(f"pixels of {channels} {shape} {window}", call(args), out="channels_last")
    args = {"input": Array(1, 66, 13, 700, layout="channels_last"), "kernel_size": [3, 2], "stride": [2, 3]}
    yield Case("pixels in blocks", call(args), out="channels_last")
    args = {"input": Array(3, 9, 11, 13, values="special", layout="channels_last"), "kernel_size": [3, 3]}
    for stride in ([1, 1], [3, 3]):
        yield Case(f"special pixels {stride}", call({**args, "stride": stride}), out="channels_last")
