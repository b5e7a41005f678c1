# SPDX-License-Identifier: Apache-2.0
"""Gradient of running extremes, as torch's autograd defines it."""

from ._running import scatter_add


def cummaxmin_backward(grad_values, indices, dim):
    """Gradient of the input of ``cummax`` or ``cummin``, of the shape and dtype of ``grad_values``.

    Each gradient is added, in float64, to the element whose index along ``dim`` is in ``indices``.
    """
    return scatter_add(grad_values, indices, dim)
