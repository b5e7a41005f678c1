# SPDX-License-Identifier: Apache-2.0
"""Feature maps that backbones pool while they are trained."""

import torch
import torch.nn.functional as F

from benchmarks.workloads.pooling.max_pool2d import DEVICE, SHAPES, window_contestants, windows


def workloads():
    shapes = [(*shape, 0) for *shape, _ in SHAPES]
    yield from windows(shapes, F.max_pool2d_with_indices, "", 0)


# ONNX counts the indices of its MaxPool through all planes, so torch is the only peer.
def contestants(**call):
    return window_contestants(F.max_pool2d_with_indices, "", 0, call)


def device():
    """Say here which unit or path bounds the kernel, and what would make it faster."""
    for shape, kernel, stride, padding in DEVICE[:2]:
        window = {"kernel_size": list(kernel), "stride": list(stride), "padding": [padding] * 2}
        yield {"input": torch.randn(shape), **window}, ""
