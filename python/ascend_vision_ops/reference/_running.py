# SPDX-License-Identifier: Apache-2.0
"""Running extremes with their indices, shared by cummax and cummin."""

import numpy as np


def running_best(input, dim, not_worse):
    """Values and indices of the best element so far; an element leads where it is NaN or not worse than the best."""
    if input.ndim == 0:
        return input.copy(), np.zeros((), np.int64)
    lines = np.moveaxis(input, dim, 0)
    values, indices = lines.copy(), np.zeros(lines.shape, np.int64)
    for i in range(1, len(lines)):
        with np.errstate(invalid="ignore"):
            leads = (lines[i] != lines[i]) | not_worse(lines[i], values[i - 1])
        values[i] = np.where(leads, lines[i], values[i - 1])
        indices[i] = np.where(leads, i, indices[i - 1])
    return np.moveaxis(values, 0, dim), np.moveaxis(indices, 0, dim)
