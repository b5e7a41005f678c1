# SPDX-License-Identifier: Apache-2.0
"""Gradient of corner pooling, as torch's autograd gives it for mmcv's CornerPool, which is built on torch.cummax."""

import numpy as np

from ._running import running_best, scatter_add


def corner_pool_backward(grad_output, input, output, mode):
    """Gradient of the input of ``corner_pool``, (N, C, H, W), of the dtype of ``grad_output``.

    Each gradient is added, in float64, to the running maximum of its place: of equal elements the one met last.
    """
    axis = 2 if mode < 2 else 3
    towards = (lambda a: np.flip(a, axis)) if mode % 2 == 0 else (lambda a: a)
    _, indices = running_best(towards(input), axis, lambda element, best: element >= best)
    return np.ascontiguousarray(towards(scatter_add(towards(grad_output), indices, axis)))
