# SPDX-License-Identifier: Apache-2.0
"""Samples of images at the positions of a grid, as torch.nn.functional.grid_sample defines them."""

import numpy as np

from ._grid import corners


def grid_sampler(input, grid, interpolation_mode=0, padding_mode=0, align_corners=False):
    """Samples (N, C, oH, oW) of images (N, C, H, W) at the coordinates (x, y) of ``grid`` (N, oH, oW, 2).

    ``interpolation_mode``: 0 bilinear, 1 nearest, 2 bicubic. ``padding_mode``: 0 zeros, 1 border, 2 reflection.
    Coordinates -1 and 1 are the outer edges of the image, or with ``align_corners`` the centres of its outer pixels.
    It computes in float64 and rounds once, to the dtype of ``input``.
    """
    result = np.zeros((*input.shape[:2], *grid.shape[1:3]))
    how = (interpolation_mode, padding_mode, align_corners)
    for image, coordinates, out in zip(input, grid, result, strict=True):
        image, coordinates = image.astype(np.float64), coordinates.astype(np.float64)
        with np.errstate(invalid="ignore"):
            out[...] = sum(c.weight * c.values(image) for c in corners(image.shape[1:], coordinates, *how))
    with np.errstate(over="ignore"):
        return result.astype(input.dtype)
