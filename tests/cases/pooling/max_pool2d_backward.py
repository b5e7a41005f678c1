# SPDX-License-Identifier: Apache-2.0
import math
from itertools import product

from ascend_vision_ops.reference.common.pair import pair
from ascend_vision_ops.reference.pooling._windows import output_length
from ascend_vision_ops.testing import Array, Case, cases_module

lowest = cases_module("_pool_vectors").lowest
some_rows = cases_module("_pool_pairs").some_rows
# The most elements of a window: the simulated device takes too long for larger ones, which it computes tap by tap
# for each tile.
LARGEST = 3000


def backward_call(args, values="normal"):
    """Gives the arguments of the backward call that belongs to a forward call with `args`."""
    image = args["input"]
    kernel, padding = pair(args["kernel_size"]), pair(args.get("padding", 0))
    stride, dilation = pair(args.get("stride", ())) or kernel, pair(args.get("dilation", 1))
    axes = zip(image.shape[2:], kernel, stride, padding, dilation, strict=True)
    counts = [output_length(*axis, args.get("ceil_mode", False)) for axis in axes]
    grads = Array(*image.shape[:2], *counts, values=values, layout=image.layout)
    return {"grad_output": grads, **args}


def backward_cases(forward):
    """Yields the cases of the forward operator, and cases for gradients alone."""
    for case in forward.cases():
        if math.prod(case.args["kernel_size"]) <= LARGEST:
            yield Case(case.id, backward_call(case.args), out=case.out)
    args = {"input": Array(2, 9, 11, 13), "kernel_size": [3, 3], "stride": [2, 1], "padding": [1, 1]}
    yield Case("special gradients", backward_call(args, "special"))
    # Planes around the 16 of a tile, many rows, many columns, windows that do not fit the Unified Buffer, windows that
    # are far apart.
    for shape in ((1, 15, 20, 20), (1, 33, 9, 9), (1, 3, 300, 40), (1, 2, 3, 2100)):
        yield Case(f"{shape}", backward_call({"input": Array(*shape), "kernel_size": [2, 2]}))
    args = {"input": Array(1, 1, 52, 54, values="integers"), "kernel_size": [52, 53], "stride": [1, 1]}
    yield Case("large window", backward_call(args))
    args = {"input": Array(1, 2, 3, 700), "kernel_size": [2, 3], "stride": [1, 130]}
    yield Case("far apart", backward_call(args))


def backward_oracle(forward, grad_output, input, **window):
    import torch

    leaf = input.clone().requires_grad_()
    return torch.autograd.grad(forward.oracle(leaf, **window), leaf, grad_output)[0]


def cases():
    yield from backward_cases(cases_module("max_pool2d"))
    yield from cases_module("_pool_vectors").column_cases(backward_call)
    yield from cases_module("_pool_pairs").pair_cases(backward_call)
    yield from tile_cases()
    yield from block_cases()
    yield from whole_cases()


def tile_cases():
    """Planes that CPU kernels compute in one tile and in several, with many windows and with few, of many taps too."""
    windows = [((70, 40), (3, 3)), ((9, 11), (3, 3)), ((5, 7), (3, 2)), ((12, 13), (4, 5))]
    for (shape, kernel), layout in product(windows, ("", "channels_last")):
        image = Array(2, 19, *shape, values=some_rows, layout=layout or "dense")
        args = {"input": image, "kernel_size": list(kernel), "stride": [2, 3], "padding": [1, 1]}
        yield Case(f"tiles {kernel} of {shape} {layout}", backward_call(args), out=layout)


def block_cases():
    """Blocks of planes on CPUs: rows of the image that no window reads, windows that share rows or do not, rows and
    windows that are too many for one step, windows without an element, few windows of a half type, taps of each number.
    """
    windows = [
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
    for (shape, window), channels, values in product(windows, (16, 21), (some_rows, "integers")):
        args = {"input": Array(2, channels, *shape, values=values), **window}
        yield Case(f"blocks of {channels} {shape} {window}", backward_call(args))
    for out in ("channels_last", "strided"):
        args = {"input": Array(2, 19, 10, 18, values=some_rows, layout="transposed"), "kernel_size": [3, 2]}
        yield Case(f"blocks to {out}", backward_call(args), out=out)


def whole_cases():
    """One window over each plane: shorter than a vector and longer, of more than 64 elements, in whole blocks or not."""
    for (height, width), channels, values in product(
        ((3, 3), (4, 4), (7, 9), (9, 15)), (16, 21), (lowest, "integers")
    ):
        args = {"input": Array(3, channels, height, width, values=values), "kernel_size": [height, width]}
        yield Case(f"whole {height, width} of {channels}", backward_call(args))
    args = {"input": Array(2, 17, 7, 9), "kernel_size": [9, 11], "padding": [1, 1]}
    yield Case("whole with padding", backward_call(args))


def oracle(**args):
    return backward_oracle(cases_module("max_pool2d"), **args)


def strategy():
    return cases_module("_pool_pairs").calls(backward_call)
