# SPDX-License-Identifier: Apache-2.0
"""Gradients of the feature maps of max_pool2d_with_indices."""

import torch
import torch.nn.functional as F

from benchmarks.workload import Workload, size
from benchmarks.workloads.pooling.max_pool2d import DEVICE, SHAPES

# Axes of arguments that become longer together in drawn workloads.
GROWS = [[("grad_output", axis), ("input", axis), ("indices", axis)] for axis in (0, 1)]


def workloads():
    for shape, kernel, stride, padding, _ in SHAPES[:2]:
        call = arguments(shape, kernel, stride, list(padding))
        last = {
            name: value.contiguous(memory_format=torch.channels_last)
            if isinstance(value, torch.Tensor)
            else value
            for name, value in call.items()
        }
        peers = {**contestants(**call), "torch channels-last": contestants(**last)["torch"]}
        yield Workload(f"{size(kernel)} stride {stride[0]},{stride[1]} of {size(shape)}", call, peers)


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
    """Say here which unit or path bounds the kernel, and what would make it faster."""
    for shape, kernel, stride, padding in DEVICE[:2]:
        yield arguments(shape, kernel, stride, [padding] * 2), ""
