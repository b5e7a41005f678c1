# SPDX-License-Identifier: Apache-2.0
"""Sample positions of linear resampling, shared by the forward operator and its gradient."""

import numpy as np


def positions(length, out_length, align_corners, scales):
    """Return the left and right sample of each output, int64 (out_length,), and the weight of the right one, float64.

    Positions that follow from the two lengths are ratios of integers, and are computed as such. So an output that lies
    exactly on a sample is found there.
    """
    index = np.arange(out_length, dtype=np.int64)
    if align_corners or scales is None or scales <= 0:
        if align_corners:
            numerator, denominator = index * (length - 1), max(out_length - 1, 1)
        else:
            numerator, denominator = (2 * index + 1) * length - out_length, 2 * out_length
        numerator = np.maximum(numerator, 0)
        left, weight = numerator // denominator, numerator % denominator / denominator
    else:
        position = np.maximum(0.0, (index + 0.5) * (1 / scales) - 0.5)
        left = position.astype(np.int64)
        weight = position - left
    weight = np.where(left < length, weight, 1.0)
    left = np.minimum(left, length - 1)
    return left, np.minimum(left + 1, length - 1), weight
