# SPDX-License-Identifier: Apache-2.0
"""Gradients of feature maps under a smooth warp and under a random one."""

import torch
import torch.nn.functional as F

from benchmarks.peers import autograd
from benchmarks.workload import Workload
from benchmarks.workloads.grid import grid_sampler


def workloads():
    for work in grid_sampler.workloads():
        # Away from centres of pixels, where the gradient of the grid jumps and the last bit decides.
        images, grid = work.arguments["input"], work.arguments["grid"] + 0.0013
        gradient = torch.randn(images.shape)
        peers = {
            "torch": autograd.backward(
                lambda images, grid: F.grid_sample(images, grid, align_corners=False), gradient, images, grid
            )
        }
        yield Workload(work.name, {"grad_output": gradient, "input": images, "grid": grid}, peers)


def device():
    """Cores own bands of pixels and look at every sample of an image for each, so that sums are in one order and no
    core waits for another. V bounds: one instruction for each neighbour of a sample, and some forty short ones to
    locate each 256 samples, for every band again. Under a random warp each band also reads all gradients; a
    channels-last copy of them would let it read those of its own samples alone.
    """
    for work in grid_sampler.workloads():
        images = work.arguments["input"]
        if images.shape[0] == 4:
            yield {"grad_output": torch.randn(images.shape), **work.arguments}, "", work.name.split()[1]
