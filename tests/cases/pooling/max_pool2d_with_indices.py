# SPDX-License-Identifier: Apache-2.0
import math
from itertools import product

from ascend_vision_ops.testing import Array, Case, cases_module

FORWARD = cases_module("max_pool2d")
LARGEST = cases_module("max_pool2d_backward").LARGEST
lowest = cases_module("_pool_vectors").lowest
some_rows = cases_module("_pool_pairs").some_rows


def cases():
    for case in FORWARD.cases():
        if math.prod(case.args["kernel_size"]) <= LARGEST:
            yield case
    yield from cases_module("_pool_vectors").column_cases(dict)
    yield from cases_module("_pool_pairs").pair_cases(dict)
    for kind in ("block_cases", "whole_cases", "pixel_cases"):
        yield from getattr(cases_module("_pool_blocks"), kind)(dict)
    # Results in another layout than the image, for windows that vectors of columns, of planes and of channels find.
    for shape, (layout, out) in product(
        ((2, 19, 7, 9), (2, 3, 9, 70)),
        (("dense", "channels_last"), ("channels_last", "strided"), ("transposed", "offset")),
    ):
        args = {"input": Array(*shape, values=some_rows, layout=layout), "kernel_size": [3, 2]}
        yield Case(f"{shape} {layout} to {out}", {**args, "padding": [1, 1]}, out=out)


def oracle(input, kernel_size, stride=(), padding=(0, 0), dilation=(1, 1), ceil_mode=False):
    import torch.nn.functional as F

    window = (kernel_size, stride or None, padding, dilation, ceil_mode)
    if F.max_pool2d(input.new_zeros(input.shape), *window).isneginf().any():
        return None  # a window without an element: torch gives it the index of a pixel that it does not reach
    return F.max_pool2d_with_indices(input, *window)


def strategy():
    return cases_module("_pool_pairs").calls(dict)
