# SPDX-License-Identifier: Apache-2.0
"""Maximum over windows, as torch.nn.functional.max_pool2d defines it."""

from functools import reduce

import numpy as np

from ..common.pair import pair
from ._windows import window_elements


def max_pool2d(input, kernel_size, stride=(), padding=0, dilation=1, ceil_mode=False):
    """Gives the maximum (N, C, oH, oW) of each window of images (N, C, H, W), in the dtype of ``input``.

    An empty ``stride`` is ``kernel_size``. Padding is minus infinity. The maximum of a window with NaN is NaN.
    """
    kernel, padding, dilation = pair(kernel_size), pair(padding), pair(dilation)
    stride = pair(stride) or kernel
    elements = window_elements(input, kernel, stride, padding, dilation, ceil_mode, -np.inf)
    return reduce(np.maximum, elements).astype(input.dtype)
