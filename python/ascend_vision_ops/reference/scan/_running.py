# SPDX-License-Identifier: Apache-2.0
"""Running extremes with their indices, and the sum that their gradients have in common."""

import numpy as np


def running_best(input, dim, better, not_worse):
    """Values and indices of the best element so far. An element leads if NaN or not worse than the last leader.

    better: a ufunc that gives the better one of two elements, and NaN where one is NaN.
    not_worse: a ufunc that says whether the first element is not worse than the second one.
    """
    if input.ndim == 0:
        return input.copy(), np.zeros((), np.int64)
    lines = np.moveaxis(input, dim, 0)
    with np.errstate(invalid="ignore"):
        best = better.accumulate(lines, axis=0)
        leads = (lines != lines) | not_worse(lines, np.concatenate([lines[:1], best[:-1]]))
    places = np.arange(len(lines)).reshape(-1, *[1] * (lines.ndim - 1))
    indices = np.maximum.accumulate(np.where(leads, places, 0), axis=0)
    values = np.take_along_axis(lines, indices, axis=0)
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
