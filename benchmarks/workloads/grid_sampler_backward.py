# SPDX-License-Identifier: Apache-2.0
"""Gradients of feature maps under a smooth warp and under a random one."""

import torch

from benchmarks.workloads import grid_sampler


def device():
    """Cores own bands of pixels and look at every sample of a band, so that sums are in one order and no core
    waits for another. The vector unit weighs each gradient four times, in float32.
    """
    for name, arguments, _ in grid_sampler.workloads():
        if arguments["input"].shape[0] == 4:
            yield {"grad_output": torch.randn(arguments["input"].shape), **arguments}, "", name.split()[1]
