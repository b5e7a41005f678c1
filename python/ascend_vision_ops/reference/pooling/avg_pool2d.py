# SPDX-License-Identifier: Apache-2.0
"""Mean over windows, as torch.nn.functional.avg_pool2d defines it."""

import numpy as np

from ..common.pair import pair
from ._windows import divisors, window_elements


def avg_pool2d(
    input, kernel_size, stride=(), padding=0, ceil_mode=False, count_include_pad=False, divisor_override=None
):
    """Gives the mean (N, C, oH, oW) of each window of images (N, C, H, W), in the dtype of ``input``.

    An empty ``stride`` is ``kernel_size``. Each float64 sum is divided by ``divisor_override``. If that is None or 0,
    it is divided by the number of elements inside the image; with ``count_include_pad`` by the number inside the image
    or its padding.
    """
    kernel, padding = pair(kernel_size), pair(padding)
    window = (kernel, pair(stride) or kernel, padding, (1, 1), ceil_mode, 0.0)
    with np.errstate(invalid="ignore"):
        total = sum(window_elements(input, *window))
    count = divisors(input.shape[2:], total.shape[2:], *window[:3], count_include_pad)
    with np.errstate(over="ignore"):
        return (total / (divisor_override or count)).astype(input.dtype)
