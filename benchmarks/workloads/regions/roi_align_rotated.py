# SPDX-License-Identifier: Apache-2.0
"""Rotated regions of a detector on aerial images, pooled to 7 x 7 bins from levels of 256 channels."""

import torch
import torch.nn.functional as F

from benchmarks.workload import Workload, size

BINS, RATIO = 7, 2


def workloads():
    generator = torch.Generator().manual_seed(0)
    for count, extent, scale in ((512, 128, 1 / 8), (64, 256, 1 / 4)):
        image = extent / scale
        middle = image * torch.rand(count, 2, generator=generator)
        sides = 16 + 112 * torch.rand(count, 2, generator=generator) ** 2
        angles = 3.14 * torch.rand(count, 1, generator=generator)
        arguments = {
            "input": torch.randn(1, 256, extent, extent, generator=generator),
            "rois": torch.cat([torch.zeros(count, 1), middle, sides, angles], 1),
            "output_height": BINS, "output_width": BINS, "spatial_scale": scale, "sampling_ratio": RATIO,
        }  # fmt: skip
        name = f"{count} regions of {size(arguments['input'].shape)}"
        yield Workload(
            name, arguments, {"torch": lambda arguments=arguments: by_grid_sample(**arguments)}, 2, limit=""
        )


def by_grid_sample(input, rois, output_height, output_width, spatial_scale, sampling_ratio):
    """The samples of all regions by one call of grid_sample, and their means by avg_pool2d."""
    counts, grid = (output_height, output_width), sampling_ratio
    v, u = ((torch.arange(count * grid) + 0.5) / (count * grid) - 0.5 for count in counts)
    middle, sides, angle = rois[:, 1:3] * spatial_scale - 0.5, rois[:, 3:5] * spatial_scale, rois[:, 5]
    u, v = sides[:, 0, None, None] * u, sides[:, 1, None, None] * v[:, None]
    cos, sin = (function(angle)[:, None, None] for function in (torch.cos, torch.sin))
    places = torch.stack(
        [v * sin + u * cos + middle[:, 0, None, None], v * cos - u * sin + middle[:, 1, None, None]], -1
    )
    ends = torch.tensor(input.shape[:1:-1])
    inside = ((places >= -1) & (places <= ends)).all(-1)
    flat = (2 * places / (ends - 1) - 1).flatten(0, 1)[None]
    samples = F.grid_sample(input, flat, padding_mode="border", align_corners=True)
    samples = samples.unflatten(2, (len(rois), -1))[0].transpose(0, 1) * inside[:, None]
    return F.avg_pool2d(samples, grid)
