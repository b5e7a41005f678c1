# SPDX-License-Identifier: Apache-2.0
"""Corner pooling, as mmcv's CornerPool defines it."""

import numpy as np


def corner_pool(input, mode):
    """Running maximum of feature maps (N, C, H, W). NaN propagates.

    ``mode`` says where the scan goes to: 0 top (from the last row up), 1 bottom (from the first row down), 2 left (from
    the last column), 3 right (from the first column). At each place the result is the largest input between this place
    and the side where the scan starts.
    """
    axis = 2 if mode < 2 else 3
    step = -1 if mode % 2 == 0 else 1
    lines = np.moveaxis(input, axis, -1)[..., ::step].astype(np.float64)
    with np.errstate(invalid="ignore"):
        running = np.maximum.accumulate(lines, axis=-1)[..., ::step]
    return np.moveaxis(running, -1, axis).astype(input.dtype)
