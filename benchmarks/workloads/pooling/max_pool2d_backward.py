# SPDX-License-Identifier: Apache-2.0
"""Gradients of the feature maps of max_pool2d."""

from functools import partial

import torch
import torch.nn.functional as F

from benchmarks.peers import autograd
from benchmarks.workload import Workload, beside_channels_last, size
from benchmarks.workloads.pooling.max_pool2d import DEVICE, SHAPES

# Axes of arguments that become longer together in drawn workloads.
GROWS = [[("grad_output", axis), ("input", axis)] for axis in (0, 1)]


def workloads():
    yield from gradients(SHAPES[:2], F.max_pool2d, both=True)


def gradients(shapes, pool, both=False, **options):
    """Yields the workloads of a gradient of pooling. both: as window_contestants() has it."""
    for shape, kernel, stride, padding, _ in shapes:
        maps = torch.randn(shape)
        window = {"kernel_size": list(kernel), "stride": list(stride), "padding": list(padding)}
        call = {"grad_output": torch.randn(pool(maps, **window).shape), "input": maps, **window}
        peers = beside_channels_last(partial(window_contestants, pool, both=both, **options), call)
        yield Workload(f"{size(kernel)} stride {stride[0]},{stride[1]} of {size(shape)}", call, peers)


def window_contestants(pool, grad_output, input, both=False, **window):
    """Gives torch's gradient of pooling. both: whether its forward pass is part of it, as it finds what a caller with
    images and gradients alone does not have.
    """
    gradient = autograd.backward(partial(pool, **window), grad_output, input, both=both)
    return {"torch both passes" if both else "torch": gradient}


# torch's gradient reads the indices of its forward pass. With indices given, it is measured beside the operator that
# takes them, max_pool2d_with_indices_backward.
def contestants(**call):
    return window_contestants(F.max_pool2d, both=True, **call)


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
