# SPDX-License-Identifier: Apache-2.0
"""Feature maps that backbones pool while they are trained."""

import torch
import torch.nn.functional as F

from benchmarks.workload import Workload, beside_channels_last, size
from benchmarks.workloads.pooling.max_pool2d import DEVICE, SHAPES, window_contestants


def workloads():
    for shape, kernel, stride, padding, _ in SHAPES[:2]:
        window = {"kernel_size": list(kernel), "stride": list(stride), "padding": list(padding)}
        call = {"input": torch.randn(shape), **window}
        name = f"{size(kernel)} stride {stride[0]},{stride[1]} of {size(shape)}"
        yield Workload(name, call, beside_channels_last(contestants, call))


# ONNX counts the indices of its MaxPool through all planes, so torch is the only peer.
def contestants(**call):
    return window_contestants(F.max_pool2d_with_indices, "", 0, call)


def device():
    """The vector unit bounds these calls: it finds the maxima first, and then which tap is equal to each, one tap of
    all windows at a time. That is six instructions a tap, three of which go over all windows and three over a repeat
    or two. A tile has two rows of windows, as the Unified Buffer also holds copies of sixteen planes and int64 indices,
    so that starting instructions takes half of the time. Maxima of 3 x 3 windows along rows first would be four
    steps and not nine; an instruction that keeps the place of a maximum would spare the search for it.
    """
    for shape, kernel, stride, padding in DEVICE[:2]:
        window = {"kernel_size": list(kernel), "stride": list(stride), "padding": [padding] * 2}
        yield {"input": torch.randn(shape), **window}, ""
