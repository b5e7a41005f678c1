# SPDX-License-Identifier: Apache-2.0
"""Gradient of corner pooling, as torch's autograd gives it for mmcv's CornerPool, which is made of torch.cummax."""

import numpy as np

from ._running import running_best, scatter_add


def corner_pool_backward(grad_output, input, output, mode):
    """Gradient of the input of ``corner_pool``, (N, C, H, W), of the dtype of ``grad_output``.

    Each gradient is added, in float64, to the element that is the running maximum at its place. Of equal elements this
    is the one that the scan met last.
    """
    axis = 2 if mode < 2 else 3
    oriented = (lambda a: np.flip(a, axis)) if mode % 2 == 0 else (lambda a: a)
    _, indices = running_best(oriented(input), axis, np.maximum, np.greater_equal)
    return np.ascontiguousarray(oriented(scatter_add(oriented(grad_output), indices, axis)))
