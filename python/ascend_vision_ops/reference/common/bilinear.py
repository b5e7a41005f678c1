# SPDX-License-Identifier: Apache-2.0
"""Bilinear samples of an image (C, H, W), shared by the operators that read between pixels.

A rule takes positions along one axis. It returns the lower neighbour of each position, the weight of the upper
neighbour, and whether the position counts. Operators have their own rules: `zero_padded` is that of grid_sampler,
`clamped` that of RoIAlign.
"""

from typing import NamedTuple

import numpy as np


class Corner(NamedTuple):
    """One of the four neighbours of every sample."""

    inside: np.ndarray  # whether it lies in the image
    row: np.ndarray  # 0 where it does not lie in the image
    column: np.ndarray  # 0 where it does not lie in the image
    weight: np.ndarray
    by_y: np.ndarray  # derivative of the weight with respect to the sample's row
    by_x: np.ndarray  # derivative of the weight with respect to the sample's column

    def values(self, image):
        """Return the neighbour's values: (C, *samples), 0 beyond the image."""
        return np.where(self.inside, image[:, self.row, self.column], 0.0)

    def add(self, image, values):
        """Add values (C, *samples) to the neighbours in `image`. A neighbour beyond the image takes nothing."""
        np.add.at(image, (slice(None), self.row, self.column), np.where(self.inside, values, 0.0))


def zero_padded(position, size):
    """Rule: zeros lie beyond the image. A position that is not finite has weights of NaN."""
    low = np.floor(position)
    return low, position - low, np.isfinite(position)


def clamped(position, size):
    """Rule: a position up to one pixel beyond the image reads its border. A position further out does not count."""
    inside = (position >= -1) & (position <= size)
    position = np.where(inside, np.clip(position, 0, size - 1), 0.0)
    # The last pixel has weight 1 and no upper neighbour.
    low = np.floor(position)
    return low, position - low, inside


def corners(image_size, y, x, rule):
    """Yield the four `Corner`s of samples at positions y and x: (low, low), (low, high), (high, low), (high, high)."""
    height, width = image_size
    with np.errstate(invalid="ignore"):
        (y_low, y_high_weight, y_counts), (x_low, x_high_weight, x_counts) = rule(y, height), rule(x, width)
    counts = y_counts & x_counts
    for i in (0, 1):
        for j in (0, 1):
            row, y_weight = y_low + i, y_high_weight if i else 1 - y_high_weight
            column, x_weight = x_low + j, x_high_weight if j else 1 - x_high_weight
            with np.errstate(invalid="ignore"):
                inside = counts & (row >= 0) & (row < height) & (column >= 0) & (column < width)
            yield Corner(
                inside,
                np.where(inside, row, 0).astype(np.int64),
                np.where(inside, column, 0).astype(np.int64),
                y_weight * x_weight,
                (1 if i else -1) * x_weight,
                (1 if j else -1) * y_weight,
            )


def interpolate(image, y, x, rule):
    """Return the samples of image (C, H, W) at positions y and x: (C, *y.shape)."""
    return sum(corner.weight * corner.values(image) for corner in corners(image.shape[1:], y, x, rule))
