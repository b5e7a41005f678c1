# SPDX-License-Identifier: Apache-2.0
"""Gradients of feature maps under a smooth warp and under a random one."""

import torch
import torch.nn.functional as F

from benchmarks.peers import autograd
from benchmarks.workload import Workload
from benchmarks.workloads.grid import grid_sampler


def workloads():
    for work in grid_sampler.workloads():
        # Moved away from centres of pixels: there the gradient of the grid jumps, and the last bit decides.
        images, grid = work.arguments["input"], work.arguments["grid"] + 0.0013
        gradient = torch.randn(images.shape)
        peers = {
            "torch": autograd.backward(
                lambda images, grid: F.grid_sample(images, grid, align_corners=False), gradient, images, grid
            )
        }
        yield Workload(work.name, {"grad_output": gradient, "input": images, "grid": grid}, peers)


def device():
    """A core owns bands of pixels and goes through all samples of an image for each band, so that every sum has a fixed
    order and no core waits for another. V bounds: one instruction for each neighbour of a sample, and some forty short
    ones to locate 256 samples, anew for each band. With a random grid each band also reads all gradients; with a
    channels-last copy of them it could read only those of its own samples.
    """
    for work in grid_sampler.workloads():
        images = work.arguments["input"]
        if images.shape[0] == 4:
            yield {"grad_output": torch.randn(images.shape), **work.arguments}, "", work.name.split()[1]
