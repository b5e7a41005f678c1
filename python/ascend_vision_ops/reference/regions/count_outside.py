# SPDX-License-Identifier: Apache-2.0
"""Indices that index nothing."""

import numpy as np


def count_outside(indices, size):
    """How many of ``indices`` (K,) are not in [0, size), NaN included, as int32 of shape (1,)."""
    values = indices.astype(np.float64)
    return np.array([np.count_nonzero(~((values >= 0) & (values < size)))], np.int32)
