# SPDX-License-Identifier: Apache-2.0
"""Sizes around those of the vectors of CPUs: columns at each stride, channels, whole images, no images."""

from itertools import product

import numpy as np

from ascend_vision_ops.testing import Array, Case

WIDTHS = [(1, 1), (2, 31), (3, 32), (3, 33), (5, 67)]  # columns of kernel_size and of the image
LAYOUTS = ["dense", "strided", "transposed", "channels_last"]


def vector_cases():
    for stride, (kernel, width) in product((1, 2, 3, 4, 5), WIDTHS):
        args = {"kernel_size": [2, kernel], "stride": [2, stride], "padding": [1, kernel // 2]}
        args |= {"input": Array(1, 2, 5, width), "ceil_mode": width == 33}
        yield Case(f"vectors {width} {args}", args)
    args = {"kernel_size": [3, 2], "stride": [1, 2], "padding": [1, 1]}
    for channels, out in product((1, 3, 16, 17, 35), ("", "channels_last")):
        for image in (Array(2, channels, 6, 7, layout="channels_last"), Array(2, channels, 6, 7)):
            yield Case(f"{channels} channels {out}", {"input": image, **args}, out=out)
    # More channels than a line of windows takes at once, so that the last line has fewer; then whole images.
    for channels, kernel in ((130, [2, 2]), (90, [3, 3])):
        args = {"input": Array(1, channels, 3, 200, layout="channels_last"), "kernel_size": kernel}
        yield Case(f"blocks of {channels}", args | {"stride": [1, 1], "padding": [1, 1]}, out="channels_last")
    for layout, out in product(LAYOUTS, ("", "channels_last")):
        image = Array(3, 20, 7, 9, layout=layout)
        yield Case(f"whole {layout} {out}", {"input": image, "kernel_size": [7, 9]}, out=out)
    for channels, height, width in ((16, 4, 4), (33, 1, 17), (32, 16, 16), (16, 1, 257), (9, 1, 3)):
        image = Array(2, channels, height, width, values="special")
        yield Case(f"whole {channels} of {height, width}", {"input": image, "kernel_size": [height, width]})
    # Narrow planes of more rows than are transposed together, fewer planes than lanes, and rows that no window reads.
    for shape, kernel, stride in (((2, 9, 300, 7), [3, 6], [1, 2]), ((1, 20, 200, 9), [2, 3], [7, 3])):
        args = {"input": Array(*shape), "kernel_size": kernel, "stride": stride, "padding": [1, 1]}
        yield Case(f"narrow {shape}", args)
    # Channels-last windows that do not overlap: with pixels between them, of many taps, and in the padding.
    for shape, kernel, stride in (
        ((2, 70, 9, 21), [2, 2], [3, 3]), ((1, 100, 1, 450), [1, 150], [1, 150]), ((3, 5, 4, 90), [2, 3], [2, 20]),
    ):  # fmt: skip
        args = {"input": Array(*shape, layout="channels_last"), "kernel_size": kernel, "stride": stride}
        args |= {"padding": [extent // 2 for extent in kernel], "ceil_mode": True}
        yield Case(f"apart {shape}", args, out="channels_last")
    # A gradient that goes around the caches of a CPU.
    args = {"input": Array(1, 130, 64, 65, layout="channels_last"), "kernel_size": [2, 2]}
    yield Case("beyond caches", args, ("float64",), out="channels_last")
    yield Case("no images", {"input": Array(0, 3, 8, 8), "kernel_size": [2, 2]})


def lowest(rng, shape):
    """Mostly minus infinity, which is also what lies outside of an image."""
    return rng.choice([-np.inf, np.nan, np.inf, 0, 1], shape, p=[0.9, 0.02, 0.02, 0.03, 0.03])


def column_cases(call):
    """Vectors of columns: equal elements, NaN and infinities in some rows, and windows that reach into the padding."""
    windows = [
        ((3, 3), (2, 2), 1),
        ((2, 2), (1, 1), 1),
        ((4, 3), (3, 2), 2),
        ((3, 3), (1, 1), 2),
        ((2, 3), (5, 2), 1),
    ]
    for (kernel, stride, dilation), values in product(windows, (lowest, "special", "integers")):
        for width in (33, 64, 131) if stride == (2, 2) else (70,):
            array = Array(2, 1, 45, width, values=values)
            args = {
                "kernel_size": list(kernel),
                "stride": list(stride),
                "padding": [1, 1],
                "dilation": [dilation] * 2,
            }
            args |= {"input": array, "ceil_mode": width == 64}
            yield Case(f"columns {array.text('float32')} {kernel} {stride}", call(args))
