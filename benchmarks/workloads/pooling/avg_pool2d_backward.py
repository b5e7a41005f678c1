# SPDX-License-Identifier: Apache-2.0
"""Gradients of the feature maps of avg_pool2d."""

import torch
import torch.nn.functional as F

from benchmarks.workloads.pooling.avg_pool2d import DEVICE, SHAPES
from benchmarks.workloads.pooling.max_pool2d_backward import gradients, window_contestants

# Axes of arguments that become longer together in drawn workloads.
GROWS = [[("grad_output", axis), ("input", axis)] for axis in (0, 1)]


def workloads():
    yield from gradients(SHAPES[:2], F.avg_pool2d, count_include_pad=False)


def contestants(divisor_override=None, **call):
    call = {"count_include_pad": False, **call, "divisor_override": divisor_override or None}
    return window_contestants(F.avg_pool2d, **call)


def device():
    """The vector unit bounds these calls: it adds the term of each window to all of its elements, one tap of
    all windows at a time, and transposes rows to lanes and back for that. The images themselves are not read.
    """
    for shape, kernel, stride, padding in DEVICE[:2]:
        maps = torch.randn(shape)
        pooled = F.avg_pool2d(maps, kernel, stride, padding)
        window = {"kernel_size": list(kernel), "stride": list(stride), "padding": [padding] * 2}
        yield {"grad_output": torch.randn(pooled.shape), "input": maps, **window}, ""
