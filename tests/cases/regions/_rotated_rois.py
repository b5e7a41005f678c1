# SPDX-License-Identifier: Apache-2.0
"""RoIAlign of rotated regions, by another way than ours."""

import numpy as np


def by_grid_sample(
    input,
    rois,
    output_height,
    output_width,
    spatial_scale=1.0,
    sampling_ratio=0,
    aligned=True,
    clockwise=False,
):
    """Sample by torch.nn.functional.grid_sample at positions that complex numbers turn.

    Returns None where a sample lies where the map ends for samples, as the last bit decides there.
    """
    import torch
    import torch.nn.functional as F

    bins, size = (output_height, output_width), input.shape[2:]
    results = input.new_zeros(len(rois), input.shape[1], *bins)
    for result, (index, x, y, width, height, angle) in zip(results, rois.tolist(), strict=True):
        sides = [side * spatial_scale for side in (height, width)]
        numbers = np.array([x, y, *sides, angle])
        if not np.isfinite(numbers).all() or (aligned and min(sides) < 0):
            continue
        sides = sides if aligned else [max(side, 1.0) for side in sides]
        grids = [
            sampling_ratio or int(np.ceil(side / count)) for side, count in zip(sides, bins, strict=True)
        ]
        if min(grids) == 0:
            continue
        v, u = (
            ((torch.arange(count * grid, dtype=torch.float64) + 0.5) / (count * grid) - 0.5) * side
            for side, count, grid in zip(sides, bins, grids, strict=True)
        )
        turn = np.exp(1j * (angle if clockwise else -angle))
        places = torch.complex(*torch.broadcast_tensors(u, v[:, None])) * complex(turn)
        places = torch.view_as_real(places + complex(x, y) * spatial_scale - (0.5 + 0.5j if aligned else 0))
        ends = torch.tensor(size[::-1], dtype=torch.float64)
        if ((places + 1).abs() < 1e-9).any() or ((places - ends).abs() < 1e-9).any():
            return None
        inside = ((places >= -1) & (places <= ends)).all(-1)
        grid = 2 * places / (ends - 1).clamp(min=1) - 1
        samples = F.grid_sample(
            input[int(index)][None], grid[None], padding_mode="border", align_corners=True
        )[0]
        means = F.avg_pool2d((samples * inside)[None], grids)[0]
        result.copy_(means)
    return results
