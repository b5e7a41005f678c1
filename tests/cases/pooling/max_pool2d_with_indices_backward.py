# SPDX-License-Identifier: Apache-2.0
import numpy as np

from ascend_vision_ops.reference.common.pair import pair
from ascend_vision_ops.testing import Array, Case, cases_module

BACKWARD = cases_module("max_pool2d_backward")
# Cases name the generators of their images.
lowest = cases_module("_pool_vectors").lowest
some_rows = cases_module("_pool_pairs").some_rows


def taps(rng, shape, args):
    """The place of some element of each window, or -1 where a window has none: what a forward call could give."""
    kernel, padding = pair(args["kernel_size"]), pair(args.get("padding", 0))
    stride, dilation = pair(args.get("stride", ())) or kernel, pair(args.get("dilation", 1))
    size = args["input"].shape[2:]
    places, inside = [], True
    for i, (length, count) in enumerate(zip(size, shape[2:], strict=True)):
        start = np.arange(count).reshape((-1, 1)[: 2 - i]) * stride[i] - padding[i]
        first = np.maximum(0, -(start // dilation[i]))
        end = np.minimum(kernel[i], -((start - length) // dilation[i]))
        inside = inside & (first < end)
        places.append(start + rng.integers(first, np.maximum(end, first + 1), shape) * dilation[i])
    return np.where(inside, places[0] * size[1] + places[1], -1)


def call(args, values="normal"):
    """Gives the arguments of the backward call that belongs to a forward call with `args`."""
    made = BACKWARD.backward_call(args, values)
    grads = made["grad_output"]
    return {
        "grad_output": grads,
        "input": made.pop("input"),
        "indices": Array(*grads.shape, values=taps, layout=grads.layout),
        **{name: value for name, value in made.items() if name != "grad_output"},
    }


def cases():
    for case in cases_module("max_pool2d_with_indices").cases():
        yield Case(case.id, call(case.args), case.dtypes, out=case.out)
    args = {"input": Array(2, 9, 11, 13), "kernel_size": [3, 3], "stride": [2, 1], "padding": [1, 1]}
    yield Case("special gradients", call(args, "special"))
    yield Case("large window", call({**args, "input": Array(1, 1, 52, 54), "kernel_size": [52, 53]}))
    for case in BACKWARD.tile_cases():
        yield Case(case.id, call(case.args), out=case.out)


def oracle(
    grad_output, input, indices, kernel_size, stride=(), padding=(0, 0), dilation=(1, 1), ceil_mode=False
):
    import torch

    # torch gives the gradient of a window without an element to a pixel that it does not reach.
    if (indices < 0).any():
        return None
    return torch.ops.aten.max_pool2d_with_indices_backward(
        grad_output, input, kernel_size, stride, padding, dilation, ceil_mode, indices.long()
    )


def strategy():
    return cases_module("_pool_pairs").calls(call)
