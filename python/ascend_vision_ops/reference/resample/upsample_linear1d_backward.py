# SPDX-License-Identifier: Apache-2.0
"""Gradient of linear interpolation, as CANN's aclnnUpsampleLinear1dBackward defines it."""

import numpy as np

from ._linear import positions


def upsample_linear1d_backward(grad_output, output_size, input_size, align_corners=False, scales=None):
    """Gradient (N, C, L) of the input of ``upsample_linear1d`` from that of its result, (N, C, output_size[0]).

    The gradient of each output is added to those of the two samples that it was read from, times their weights. All is
    float64 inside and is rounded once to the dtype of ``grad_output``.
    """
    length, out_length = input_size[2], output_size[0]
    if out_length == length:
        return grad_output.copy()
    left, right, weight = positions(length, out_length, align_corners, scales)
    grads = grad_output.astype(np.float64)
    result = np.zeros(tuple(input_size), np.float64)
    np.add.at(result, (..., left), (1 - weight) * grads)
    np.add.at(result, (..., right), weight * grads)
    return result.astype(grad_output.dtype)
