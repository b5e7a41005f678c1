# SPDX-License-Identifier: Apache-2.0
"""Gradient of the maximum over windows, whose places the forward call has kept."""

import numpy as np


def max_pool2d_with_indices_backward(
    grad_output, input, indices, kernel_size, stride=(), padding=0, dilation=1, ceil_mode=False
):
    """Gives the gradient (N, C, H, W) of the input of ``max_pool2d_with_indices``, in the dtype of ``grad_output``.

    The gradient of a window goes to the element of its plane that its index names; a negative index drops it. Sums are
    float64. The windows decide only which indices a forward call can give.
    """
    planes = np.zeros((input.shape[0] * input.shape[1], input.shape[2] * input.shape[3]))
    named = indices.reshape(len(planes), -1) if indices.size else np.zeros((len(planes), 0), np.int64)
    plane, window = np.nonzero(named >= 0)
    with np.errstate(invalid="ignore"):
        np.add.at(planes, (plane, named[plane, window]), grad_output.reshape(named.shape)[plane, window])
    return planes.reshape(input.shape).astype(grad_output.dtype)
