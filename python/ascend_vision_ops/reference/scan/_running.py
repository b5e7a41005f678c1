# SPDX-License-Identifier: Apache-2.0
"""Running extremes with their indices, and the sum that their gradients have in common."""

import numpy as np


def running_best(input, dim, not_worse):
    """Values and indices of the best element so far. An element leads if NaN or not worse than the last leader."""
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


def scatter_add(grad, indices, dim):
    """Sums gradients at ``indices`` along ``dim``, in float64, and rounds the sums to the dtype of ``grad``."""
    if grad.ndim == 0:
        return grad.copy()
    sums = np.zeros(grad.shape, np.float64)
    places = list(np.indices(grad.shape, sparse=True))
    places[dim] = indices
    with np.errstate(invalid="ignore"):
        np.add.at(sums, tuple(places), grad.astype(np.float64))
    return sums.astype(grad.dtype)
