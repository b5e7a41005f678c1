# SPDX-License-Identifier: Apache-2.0
"""Feature maps under a smooth warp and under a random one."""

import torch
import torch.nn.functional as F

from benchmarks.peers import runtimes
from benchmarks.workload import Workload, size

TARGETS = {"smooth": 3, "random": 2}


def workloads():
    for shape in ((4, 64, 128, 128), (1, 256, 100, 152)):
        images = torch.randn(shape)
        turn = torch.tensor([[0.9, 0.2, 0.05], [-0.15, 0.85, 0.0]]).expand(shape[0], 2, 3)
        smooth = F.affine_grid(turn, shape, align_corners=False)
        for name, grid in (("smooth", smooth), ("random", torch.rand(smooth.shape) * 2 - 1)):
            feeds = {"input": images, "grid": grid}
            peers = {
                "torch": lambda i=images, g=grid: F.grid_sample(i, g, align_corners=False),
                **runtimes.node("GridSample", feeds, opset=16, mode="bilinear", padding_mode="zeros"),
            }
            yield Workload(f"{size(shape)} {name}", feeds, peers, TARGETS[name])


def device():
    """With a smooth grid the vector unit bounds: it multiplies the four neighbours of each sample with weights in
    float32, for half types, too. Fewer passes would help, not fewer bytes. With a random grid every neighbour is a read
    of its own, and L2 bounds: each sample reads four pixels from there. Sorting samples by place would help, but smooth
    grids would pay for it, too.
    """
    for work in workloads():
        yield work.arguments, "1000 us" if work.arguments["input"].shape[0] == 4 else "", work.name.split()[1]
    for dtype in (torch.float16, torch.bfloat16):
        arguments = next(workloads()).arguments
        yield {name: tensor.to(dtype) for name, tensor in arguments.items()}, "1000 us", "smooth"
