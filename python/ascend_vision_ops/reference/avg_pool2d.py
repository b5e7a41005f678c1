# SPDX-License-Identifier: Apache-2.0
"""Mean over windows, as torch.nn.functional.avg_pool2d defines it."""

import numpy as np

from ._windows import pair, window_elements


def avg_pool2d(
    input, kernel_size, stride=(), padding=0, ceil_mode=False, count_include_pad=False, divisor_override=None
):
    """Mean of each window of images (N, C, H, W): (N, C, oH, oW); float64 inside, rounded to the dtype of ``input``.

    An empty ``stride`` is ``kernel_size``. Sums are divided by ``divisor_override``, or by the number of elements
    inside the image, with ``count_include_pad`` inside the image or its padding.
    """
    kernel, padding = pair(kernel_size), pair(padding)
    window = (kernel, pair(stride) or kernel, padding, (1, 1), ceil_mode, 0.0)
    with np.errstate(invalid="ignore"):
        total = sum(window_elements(input, *window))
    if divisor_override:
        return (total / divisor_override).astype(input.dtype)
    inside = np.ones((1, 1, *input.shape[2:]))
    if count_include_pad:
        inside = np.pad(inside, [(0, 0), (0, 0), *((size, size) for size in padding)], constant_values=1.0)
        window = (*window[:2], (0, 0), (1, 1), False, 0.0)
        inside = np.pad(inside, [(0, 0), (0, 0), *((0, size) for size in kernel)])
        count = sum(window_elements(inside, *window))[:, :, : total.shape[2], : total.shape[3]]
    else:
        count = sum(window_elements(inside, *window))
    with np.errstate(over="ignore"):
        return (total / count).astype(input.dtype)
