# SPDX-License-Identifier: Apache-2.0
"""Positions and neighbours of grid samples, for grid_sampler and its gradient.

torch.nn.functional.grid_sample defines them. Modes: bilinear, nearest, bicubic. Padding: zeros, border, reflection.
"""

import numpy as np

from ..common.bilinear import Corner, zero_padded
from ..common.bilinear import corners as bilinear_corners

BILINEAR, NEAREST, BICUBIC = range(3)
ZEROS, BORDER, REFLECTION = range(3)


def unnormalize(coordinate, size, align_corners):
    """The positions in pixels of coordinates in [-1, 1], and the derivative of a position by its coordinate."""
    if align_corners:
        return (coordinate + 1) / 2 * (size - 1), (size - 1) / 2
    return ((coordinate + 1) * size - 1) / 2, size / 2


def pad(position, size, padding_mode, align_corners):
    """Positions after padding, and their derivatives by those before it. Except with zeros, NaN becomes 0."""
    slope = np.ones_like(position)
    if padding_mode == ZEROS:
        return position, slope
    if padding_mode == REFLECTION:
        low, span = (0.0, size - 1) if align_corners else (-0.5, size)
        if span == 0:
            return np.zeros_like(position), np.zeros_like(position)
        distance = np.abs(position - low)
        flips = np.floor(distance / span)
        extra = distance - flips * span
        slope = np.where(position < low, -1.0, 1.0) * np.where(flips % 2 == 0, 1.0, -1.0)
        position = np.where(flips % 2 == 0, extra, span - extra) + low
    slope = slope * ((position > 0) & (position < size - 1))
    return np.clip(np.where(np.isnan(position), 0.0, position), 0, size - 1), slope


def cubic(offset):
    """Weights of four neighbours and their derivatives; the position lies `offset` in [0, 1) behind the second one."""
    a = -0.75
    for k in range(4):
        distance = np.abs(offset + 1 - k)
        sign = 1 if k < 2 else -1
        if k in (1, 2):
            weight = ((a + 2) * distance - (a + 3)) * distance**2 + 1
            slope = (3 * (a + 2) * distance - 2 * (a + 3)) * distance
        else:
            weight = ((a * distance - 5 * a) * distance + 8 * a) * distance - 4 * a
            slope = (3 * a * distance - 10 * a) * distance + 8 * a
        yield weight, sign * slope


def corners(image_size, grid, interpolation_mode, padding_mode, align_corners):
    """Yields the neighbours of the samples of one image (C, H, W) at `grid` (oH, oW, 2), each as a `Corner`.

    A corner's derivatives are those of its weight by the coordinates of the grid.
    """
    height, width = image_size
    with np.errstate(invalid="ignore", over="ignore"):
        x, x_factor = unnormalize(grid[..., 0], width, align_corners)
        y, y_factor = unnormalize(grid[..., 1], height, align_corners)
        if interpolation_mode == BICUBIC:
            yield from _bicubic_corners(image_size, y, x, y_factor, x_factor, padding_mode, align_corners)
            return
        x, x_slope = pad(x, width, padding_mode, align_corners)
        y, y_slope = pad(y, height, padding_mode, align_corners)
        if interpolation_mode == NEAREST:
            zero = np.zeros_like(y)
            yield _corner(image_size, np.rint(y), np.rint(x), np.ones_like(y), zero, zero)
            return
        for corner in bilinear_corners(image_size, y, x, zero_padded):
            yield corner._replace(
                by_y=corner.by_y * y_slope * y_factor, by_x=corner.by_x * x_slope * x_factor
            )


def _bicubic_corners(image_size, y, x, y_factor, x_factor, padding_mode, align_corners):
    y_low, x_low = np.floor(y), np.floor(x)
    for i, (y_weight, y_slope) in enumerate(cubic(y - y_low)):
        row, _ = pad(y_low - 1 + i, image_size[0], padding_mode, align_corners)
        for j, (x_weight, x_slope) in enumerate(cubic(x - x_low)):
            column, _ = pad(x_low - 1 + j, image_size[1], padding_mode, align_corners)
            by_y, by_x = y_slope * y_factor * x_weight, x_slope * x_factor * y_weight
            yield _corner(image_size, row, column, y_weight * x_weight, by_y, by_x)


def _corner(image_size, row, column, weight, by_y, by_x):
    inside = (row >= 0) & (row < image_size[0]) & (column >= 0) & (column < image_size[1])
    row, column = (np.where(inside, index, 0).astype(np.int64) for index in (row, column))
    return Corner(inside, row, column, weight, by_y, by_x)
