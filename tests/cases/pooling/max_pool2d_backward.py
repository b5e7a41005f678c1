# SPDX-License-Identifier: Apache-2.0
import math

from ascend_vision_ops.reference.common.pair import pair
from ascend_vision_ops.reference.pooling._windows import output_length
from ascend_vision_ops.testing import Array, Case, cases_module

lowest = cases_module("_pool_vectors").lowest
some_rows = cases_module("_pool_pairs").some_rows
# Tap by tap, and again for every tile: larger windows are for the CPU's patience.
LARGEST = 3000


def backward_call(args, values="normal"):
    """The arguments of the backward call that belongs to those of a forward call."""
    image = args["input"]
    kernel, padding = pair(args["kernel_size"]), pair(args.get("padding", 0))
    stride, dilation = pair(args.get("stride", ())) or kernel, pair(args.get("dilation", 1))
    axes = zip(image.shape[2:], kernel, stride, padding, dilation, strict=True)
    counts = [output_length(*axis, args.get("ceil_mode", False)) for axis in axes]
    grads = Array(*image.shape[:2], *counts, values=values, layout=image.layout)
    return {"grad_output": grads, **args}


def backward_cases(forward):
    """Those of the forward operator, and what is the gradient's own."""
    for case in forward.cases():
        if math.prod(case.args["kernel_size"]) <= LARGEST:
            yield Case(case.id, backward_call(case.args), out=case.out)
    args = {"input": Array(2, 9, 11, 13), "kernel_size": [3, 3], "stride": [2, 1], "padding": [1, 1]}
    yield Case("special gradients", backward_call(args, "special"))
    # Planes around a tile's 16, many rows, many columns, windows beyond the Unified Buffer, far apart.
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


def oracle(**args):
    return backward_oracle(cases_module("max_pool2d"), **args)


def strategy():
    return cases_module("_pool_pairs").calls(backward_call)
