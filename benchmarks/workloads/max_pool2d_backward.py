# SPDX-License-Identifier: Apache-2.0
"""Gradients of the feature maps that max_pool2d pools."""

import torch
import torch.nn.functional as F

from benchmarks.workloads.max_pool2d import DEVICE


def device():
    """The vector unit finds each window's maximum again, an element of all windows at a time, and adds as many
    times; rows are turned into lanes and back for it. Keeping the indices of a forward pass would spare the
    search, at the price of writing and reading them.
    """
    for shape, kernel, stride, padding in DEVICE[:2]:
        maps = torch.randn(shape)
        pooled = F.max_pool2d(maps, kernel, stride, padding)
        window = {"kernel_size": list(kernel), "stride": list(stride), "padding": [padding] * 2}
        yield {"grad_output": torch.randn(pooled.shape), "input": maps, **window}, ""
