# SPDX-License-Identifier: Apache-2.0
"""Gradients of grid samples, as torch.nn.functional.grid_sample has them under autograd."""

import numpy as np

from ._grid import NEAREST, corners


def grid_sampler_backward(
    grad_output, input, grid, interpolation_mode=0, padding_mode=0, align_corners=False
):
    """Gradients of ``grid_sampler``'s images (N, C, H, W) and grid (N, oH, oW, 2) from that of its result.

    ``grad_output`` is (N, C, oH, oW). The gradient of a coordinate is 0 where padding moved the position to the
    border, and in mode nearest. It computes in float64 and rounds once, to the dtype of ``grad_output``.
    """
    grad_input, grad_grid = np.zeros(input.shape), np.zeros(grid.shape)
    how = (interpolation_mode, padding_mode, align_corners)
    for n, coordinates in enumerate(grid.astype(np.float64)):
        image, grads = input[n].astype(np.float64), grad_output[n].astype(np.float64)
        with np.errstate(invalid="ignore"):
            for corner in corners(image.shape[1:], coordinates, *how):
                corner.add(grad_input[n], corner.weight * grads)
                if interpolation_mode == NEAREST:
                    continue
                along = (grads * corner.values(image)).sum(0)
                grad_grid[n, ..., 0] += along * corner.by_x
                grad_grid[n, ..., 1] += along * corner.by_y
    with np.errstate(over="ignore"):
        return grad_input.astype(grad_output.dtype), grad_grid.astype(grad_output.dtype)
