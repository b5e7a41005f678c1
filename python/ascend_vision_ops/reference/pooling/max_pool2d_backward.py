# SPDX-License-Identifier: Apache-2.0
"""Gradient of the maximum over windows, as torch's CPU kernel defines it."""

import numpy as np

from ..common.pair import pair
from ._windows import add_to_windows, window_maxima


def max_pool2d_backward(grad_output, input, kernel_size, stride=(), padding=0, dilation=1, ceil_mode=False):
    """Gives the gradient (N, C, H, W) of the input of ``max_pool2d``, in the dtype of ``grad_output``.

    The gradient of a window goes to the first of its largest elements in row-major order, or to its last NaN if it has
    one. Sums are float64.
    """
    kernel, padding, dilation = pair(kernel_size), pair(padding), pair(dilation)
    stride = pair(stride) or kernel
    windows = (kernel, stride, padding, dilation, ceil_mode)
    _, maximum = window_maxima(input, *windows)
    grads = grad_output.astype(np.float64)
    terms = (np.where(maximum == tap, grads, 0.0) for tap in range(kernel[0] * kernel[1]))
    return add_to_windows(terms, input.shape, *windows[:4]).astype(grad_output.dtype)
