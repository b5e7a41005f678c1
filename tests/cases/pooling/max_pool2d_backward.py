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
    yield from cases_module("_pool_blocks").block_cases(backward_call)
    yield from cases_module("_pool_blocks").whole_cases(backward_call)
    yield from cases_module("_pool_blocks").pixel_cases(backward_call)


def tile_cases():
    """Planes that CPU kernels compute in one tile and in several, with many windows and with few, of many taps too."""
    shapes = (70, 40), (9, 11), (5, 7), (12, 13), (12, 13)
    kernels = (3, 3), (3, 3), (3, 2), (4, 5), (6, 6)
    dense, last = "dense", "channels_last"
    layouts = (dense, dense), (last, last), (last, dense)  # of images, of gradients
    for (shape, kernel), (layout, of_grads) in product(zip(shapes, kernels, strict=True), layouts):
        image = Array(2, 19, *shape, values=some_rows, layout=layout)
        args = {"input": image, "kernel_size": list(kernel), "stride": [2, 3], "padding": [1, 1]}
        args["grad_output"] = Array(*backward_call(args)["grad_output"].shape, layout=of_grads)
        yield Case(f"tiles {kernel} of {shape} {layout} {of_grads}", args, out=layout.removeprefix(dense))
    # CPU kernels compute large planes of long rows in bands of rows.
    for stride, kernel in product(([1, 1], [2, 2]), ([3, 3], [2, 3])):
        args = {"input": Array(1, 2, 53, 170, values=some_rows), "kernel_size": kernel, "stride": stride}
        yield Case(f"bands {kernel} {stride}", backward_call(args))


def oracle(grad_output, input, **window):
    forward = cases_module("max_pool2d")
    if forward.oracle(input.new_zeros(input.shape), **window).isneginf().any():
        return None  # a window without an element: torch gives its gradient to a pixel that it does not reach
    return backward_oracle(forward, grad_output, input, **window)


def strategy():
    return cases_module("_pool_pairs").calls(backward_call)
