# SPDX-License-Identifier: Apache-2.0
"""Feature maps under a smooth warp and under a random one."""

import torch
import torch.nn.functional as F

from benchmarks.peers import runtimes
from benchmarks.workload import Workload, size

TARGETS = {"smooth": 3, "random": 2}
PADDING = ("zeros", "border", "reflection")

# Axes of arguments that become longer together in drawn workloads.
GROWS = [
    [("input", 0), ("grid", 0)], [("input", 1)], [("input", 2)], [("input", 3)], [("grid", 1)], [("grid", 2)],
]  # fmt: skip


def workloads():
    for shape in ((4, 64, 128, 128), (1, 256, 100, 152)):
        images = torch.randn(shape)
        turn = torch.tensor([[0.9, 0.2, 0.05], [-0.15, 0.85, 0.0]]).expand(shape[0], 2, 3)
        smooth = F.affine_grid(turn, shape, align_corners=False)
        for name, grid in (("smooth", smooth), ("random", torch.rand(smooth.shape) * 2 - 1)):
            feeds = {"input": images, "grid": grid}
            yield Workload(f"{size(shape)} {name}", feeds, contestants(**feeds), TARGETS[name])


def contestants(input, grid, interpolation_mode=0, padding_mode=0, align_corners=False):
    way, beside = ("bilinear", "nearest", "bicubic")[interpolation_mode], PADDING[padding_mode]
    ours = (interpolation_mode, padding_mode, align_corners)
    modes = {"mode": way, "padding_mode": beside, "align_corners": int(align_corners)}
    torchs = {"torch": lambda: torch.grid_sampler(input, grid, *ours)} if torch_reads_inside(input) else {}
    return {
        **torchs,
        **runtimes.node("GridSample", {"input": input, "grid": grid}, opset=16, **modes),
    }


def torch_reads_inside(images) -> bool:
    """Whether torch 2.13 reads nothing but the image. Its offsets have as many bits as an element. They are too short
    for an image of a half type with more than 32768 elements: it reads other memory, which can end the process."""
    (_, _, rows, columns), (_, _, row, column) = images.shape, images.stride()
    return images.element_size() > 2 or (rows - 1) * row + (columns - 1) * column < 1 << 15


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
