# SPDX-License-Identifier: Apache-2.0
"""Gradients of the feature maps of max_pool2d."""

from functools import partial

import torch
import torch.nn.functional as F

from benchmarks.peers import autograd
from benchmarks.workload import Workload, size
from benchmarks.workloads.pooling.max_pool2d import DEVICE, SHAPES

# Axes of arguments that become longer together in drawn workloads.
GROWS = [[("grad_output", axis), ("input", axis)] for axis in (0, 1)]


# torch keeps the indices of the forward pass, and reads these instead of the images. A caller without indices, as ours
# is, needs both passes of torch.
HANDED = "indices of the maxima"


def workloads():
    for work in gradients(SHAPES[:2], F.max_pool2d, handed=HANDED):
        window = {name: work.arguments[name] for name in ("kernel_size", "stride", "padding")}
        tensors = (work.arguments[name] for name in ("grad_output", "input"))
        yield work._replace(peers={**work.peers, **both_passes(*tensors, **window)})


def both_passes(grad_output, input, **window):
    passes = autograd.backward(partial(F.max_pool2d, **window), grad_output, input, both=True)
    return {"torch both passes": passes}


def gradients(shapes, pool, handed="", **options):
    for shape, kernel, stride, padding, _ in shapes:
        maps = torch.randn(shape)
        window = {"kernel_size": kernel, "stride": stride, "padding": padding}
        gradient = torch.randn(pool(maps, **window).shape)

        def forward(images, window=window):
            return pool(images, **window, **options)

        last = [tensor.contiguous(memory_format=torch.channels_last) for tensor in (gradient, maps)]
        peers = {
            "torch": autograd.backward(forward, gradient, maps, handed=handed),
            "torch channels-last": autograd.backward(forward, *last, handed=handed),
        }
        name = f"{size(kernel)} stride {stride[0]},{stride[1]} of {size(shape)}"
        arguments = {key: list(value) for key, value in window.items()}
        yield Workload(name, {"grad_output": gradient, "input": maps, **arguments}, peers)


def window_contestants(pool, grad_output, input, handed="", **window):
    gradient = autograd.backward(partial(pool, **window), grad_output, input, handed=handed)
    return {"torch": gradient}


def contestants(**call):
    return {**window_contestants(F.max_pool2d, handed=HANDED, **call), **both_passes(**call)}


def device():
    """The vector unit bounds these calls: it finds the maximum of each window again, one tap of all windows at
    a time, adds as many times, and transposes rows to lanes and back for that. Columns are dealt out by the stride, so
    that each instruction computes four windows of 16 planes in a cycle or two. A tile owns few rows, and the windows
    that reach into two tiles are searched twice. Indices of the forward pass would spare the search, but would have
    to be written and read.
    """
    for shape, kernel, stride, padding in DEVICE[:2]:
        maps = torch.randn(shape)
        pooled = F.max_pool2d(maps, kernel, stride, padding)
        window = {"kernel_size": list(kernel), "stride": list(stride), "padding": [padding] * 2}
        yield {"grad_output": torch.randn(pooled.shape), "input": maps, **window}, ""
