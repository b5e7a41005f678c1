# SPDX-License-Identifier: Apache-2.0
"""Counting of indices that are out of range."""

import numpy as np


def count_outside(indices, size):
    """The number of ``indices`` (K,) that are not in [0, size), as int32 of shape (1,). NaN is not in the range."""
    values = indices.astype(np.float64)
    return np.array([np.count_nonzero(~((values >= 0) & (values < size)))], np.int32)
