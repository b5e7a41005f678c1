# SPDX-License-Identifier: Apache-2.0
import torch
from torch.nn.functional import grid_sample

from ascend_vision_ops import nn

X, GRID = torch.rand(2, 3, 7, 9), torch.rand(2, 4, 5, 2) * 2.4 - 1.2
CALLS = [(nn.GridSampler(padding_mode="border"), X, GRID)]
SAME = [
    (nn.GridSampler(*modes), lambda x, grid, modes=modes: grid_sample(x, grid, *modes), X, GRID)
    for modes in [("bilinear", "zeros", False), ("bicubic", "reflection", True), ("nearest", "border", False)]
]
BAD = [
    (
        lambda: nn.GridSampler("cubic"),
        "GridSampler: mode: expected bilinear, nearest or bicubic, got 'cubic'",
    ),
    (
        lambda: nn.GridSampler("nearest", "wrap"),
        "GridSampler: padding_mode: expected zeros, border or reflection",
    ),
]
