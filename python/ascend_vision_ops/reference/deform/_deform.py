# SPDX-License-Identifier: Apache-2.0
"""Where deformable convolution samples its input; shared with its gradient."""

import numpy as np

from ..common.pair import pair


def sampled(position, size):
    """Rule for `bilinear.corners`: a sample counts where -1 < position < size along both axes."""
    inside = (position > -1) & (position < size)
    position = np.where(inside, position, 0.0)
    low = np.floor(position)
    return low, position - low, inside


def positions(offset, kernel, stride, padding, dilation, deform_groups):
    """Return the rows and columns at which taps are read, two arrays float64 (N, deform_groups, kH kW, oH, oW)."""
    moves = offset.astype(np.float64)
    moves = moves.reshape(len(offset), deform_groups, kernel[0] * kernel[1], 2, *offset.shape[2:])
    axes = zip(kernel, offset.shape[2:], pair(stride), pair(padding), pair(dilation), strict=True)
    rows, columns = (
        np.arange(k)[:, None] * gap + np.arange(count) * step - pad for k, count, step, pad, gap in axes
    )
    rows, columns = np.repeat(rows, kernel[1], 0), np.tile(columns, (kernel[0], 1))
    return rows[:, :, None] + moves[:, :, :, 0], columns[:, None, :] + moves[:, :, :, 1]


def modulation(mask, like):
    """Return the mask in the shape of the positions `like`; ones without a mask."""
    return np.ones(like.shape) if mask is None else mask.astype(np.float64).reshape(like.shape)
