# SPDX-License-Identifier: Apache-2.0
"""Gradient of the maximum over windows, as torch's CPU kernel defines it."""

import numpy as np

from ..common.pair import pair
from ._windows import add_to_windows, window_elements


def max_pool2d_backward(grad_output, input, kernel_size, stride=(), padding=0, dilation=1, ceil_mode=False):
    """Gradient (N, C, H, W) of ``max_pool2d``'s input from that of its result, of the dtype of ``grad_output``.

    A window's gradient is added, in float64, to the first of its largest elements in row-major order; to its last NaN
    where it has one.
    """
    kernel, padding, dilation = pair(kernel_size), pair(padding), pair(dilation)
    stride = pair(stride) or kernel
    windows = (kernel, stride, padding, dilation, ceil_mode)
    inside = window_elements(np.ones(input.shape), *windows, 0.0)
    best, leader = None, None
    for tap, (element, there) in enumerate(
        zip(window_elements(input, *windows, -np.inf), inside, strict=True)
    ):
        if best is None:
            best, leader = np.full(element.shape, -np.inf), np.full(element.shape, -1)
        with np.errstate(invalid="ignore"):
            leads = (there > 0) & ((leader < 0) | (element > best) | (element != element))
        best, leader = np.where(leads, element, best), np.where(leads, tap, leader)
    grads = grad_output.astype(np.float64)
    shares = (np.where(leader == tap, grads, 0.0) for tap in range(kernel[0] * kernel[1]))
    return add_to_windows(shares, input.shape, *windows[:4]).astype(grad_output.dtype)
