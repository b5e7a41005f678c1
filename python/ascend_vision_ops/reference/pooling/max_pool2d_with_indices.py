# SPDX-License-Identifier: Apache-2.0
"""Maximum over windows and its place, as torch.nn.functional.max_pool2d_with_indices defines it."""

import numpy as np

from ..common.pair import pair
from ._windows import window_maxima


def max_pool2d_with_indices(input, kernel_size, stride=(), padding=0, dilation=1, ceil_mode=False):
    """Gives the maximum (N, C, oH, oW) of each window of images (N, C, H, W), and its place in the plane.

    The maximum has the dtype of ``input``, the place is ``row * W + column`` in int64. Of equal elements the first one
    in row-major order is the maximum, and the last NaN of a window that has NaN. An empty ``stride`` is
    ``kernel_size``. A window without an element has minus infinity and -1.
    """
    kernel, padding, dilation = pair(kernel_size), pair(padding), pair(dilation)
    stride = pair(stride) or kernel
    largest, tap = window_maxima(input, kernel, stride, padding, dilation, ceil_mode)
    windows = np.indices(tap.shape[2:])
    taps = tap // kernel[1], tap % kernel[1]
    row, column = (windows[i] * stride[i] - padding[i] + taps[i] * dilation[i] for i in range(2))
    return largest.astype(input.dtype), np.where(tap < 0, -1, row * input.shape[3] + column)
