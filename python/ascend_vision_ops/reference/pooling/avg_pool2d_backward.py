# SPDX-License-Identifier: Apache-2.0
"""Gradient of the mean over windows, as torch.nn.functional.avg_pool2d under autograd defines it."""

import numpy as np

from ..common.pair import pair
from ._windows import add_to_windows, divisors


def avg_pool2d_backward(
    grad_output,
    input,
    kernel_size,
    stride=(),
    padding=0,
    ceil_mode=False,
    count_include_pad=False,
    divisor_override=None,
):
    """Gives the gradient (N, C, H, W) of the input of ``avg_pool2d``, in the dtype of ``grad_output``.

    Each element of a window receives the gradient of the window, divided by its divisor. Sums are float64.
    """
    kernel, padding = pair(kernel_size), pair(padding)
    stride = pair(stride) or kernel
    counts = divisors(input.shape[2:], grad_output.shape[2:], kernel, stride, padding, count_include_pad)
    terms = grad_output.astype(np.float64) / (divisor_override or counts)
    return add_to_windows(
        [terms] * (kernel[0] * kernel[1]), input.shape, kernel, stride, padding, [1, 1]
    ).astype(grad_output.dtype)
