# SPDX-License-Identifier: Apache-2.0
"""Cumulative minimum, as torch.cummin defines it."""

import numpy as np

from ._running import running_best


def cummin(input, dim):
    """Values and int64 indices of the smallest element so far along ``dim``, each of the shape of ``input``.

    Equal elements give the last index. NaN propagates, and its index moves on to the next NaN.
    """
    return running_best(input, dim, np.minimum, np.less_equal)
