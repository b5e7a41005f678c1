# SPDX-License-Identifier: Apache-2.0
"""Gradients of feature maps under a smooth warp and under a random one."""

import torch

from benchmarks.peers import autograd
from benchmarks.workload import Workload
from benchmarks.workloads.grid import grid_sampler

# Axes of arguments that become longer together in drawn workloads.
GROWS = [
    [("grad_output", 0), ("input", 0), ("grid", 0)], [("grad_output", 1), ("input", 1)], [("input", 2)],
    [("input", 3)], [("grad_output", 2), ("grid", 1)], [("grad_output", 3), ("grid", 2)],
]  # fmt: skip


def workloads():
    for work in grid_sampler.workloads():
        # Moved away from centres of pixels: there the gradient of the grid jumps, and the last bit decides.
        images, grid = work.arguments["input"], work.arguments["grid"] + 0.0013
        gradient = torch.randn(images.shape)
        arguments = {"grad_output": gradient, "input": images, "grid": grid}
        yield Workload(work.name, arguments, contestants(**arguments))


def contestants(grad_output, input, grid, interpolation_mode=0, padding_mode=0, align_corners=False):
    def forward(images, grid):
        return torch.grid_sampler(images, grid, interpolation_mode, padding_mode, align_corners)

    fits = grid_sampler.torch_reads_inside(input)
    return {"torch": autograd.backward(forward, grad_output, input, grid)} if fits else {}


def device():
    """A core owns bands of pixels and adds to them alone, so that every sum has a fixed order. Neighbours and weights
    of all samples are listed once. Each core searches the list for its bands, and reads the gradients of its own
    samples from a channels-last copy. The gradient of the grid comes from dot products with windows of channels. So a
    random grid takes hardly longer than a smooth one. V bounds: one instruction of 23 cycles adds a gradient to all
    channels of a neighbour. Two neighbours of a row in one instruction would halve these, but their weights differ.
    """
    for work in grid_sampler.workloads():
        images = work.arguments["input"]
        if images.shape[0] == 4:
            yield {"grad_output": torch.randn(images.shape), **work.arguments}, "", work.name.split()[1]
