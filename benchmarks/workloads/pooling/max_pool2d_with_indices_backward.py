# SPDX-License-Identifier: Apache-2.0
"""Gradients of the feature maps of max_pool2d_with_indices."""

import torch
import torch.nn.functional as F

from benchmarks.workload import Workload, beside_channels_last, size
from benchmarks.workloads.pooling.max_pool2d import DEVICE, SHAPES

# Axes of arguments that become longer together in drawn workloads.
GROWS = [[("grad_output", axis), ("input", axis), ("indices", axis)] for axis in (0, 1)]


def workloads():
    for shape, kernel, stride, padding, _ in SHAPES[:2]:
        call = arguments(shape, kernel, stride, list(padding))
        name = f"{size(kernel)} stride {stride[0]},{stride[1]} of {size(shape)}"
        yield Workload(name, call, beside_channels_last(contestants, call))


def arguments(shape, kernel, stride, padding):
    maps = torch.randn(shape)
    window = {"kernel_size": list(kernel), "stride": list(stride), "padding": padding}
    pooled, indices = F.max_pool2d_with_indices(maps, **window)
    return {"grad_output": torch.randn(pooled.shape), "input": maps, "indices": indices, **window}


def contestants(
    grad_output, input, indices, kernel_size, stride=(), padding=(0, 0), dilation=(1, 1), ceil_mode=False
):
    if indices.dtype != torch.int64:
        return {}  # torch takes no other indices
    window = (kernel_size, stride, padding, dilation, ceil_mode)
    gradient = torch.ops.aten.max_pool2d_with_indices_backward
    return {"torch": lambda: gradient(grad_output, input, *window, indices)}


def device():
    """The vector unit bounds these calls. For each tap it compares the places of all maxima with that of the tap, takes
    the gradients of those that are equal, and adds them, a row of windows with an instruction. The image, which the
    roofline counts, is not read. 2 x 2 windows at strides of 2 do not overlap, so that each gradient is loaded once;
    3 x 3 windows that reach into two tiles are loaded and compared twice. Tiles of more rows would spare that, but
    copies of sixteen planes, int64 indices among them, leave no room for more.
    """
    for shape, kernel, stride, padding in DEVICE[:2]:
        yield arguments(shape, kernel, stride, [padding] * 2), ""
