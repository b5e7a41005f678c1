# SPDX-License-Identifier: Apache-2.0
"""The windows of pooling, for all its operators."""

import numpy as np


def output_length(length, kernel, stride, padding, dilation, ceil_mode):
    """Counts the windows along an axis of `length` elements.

    With ``ceil_mode`` the last window may reach beyond the padded input, but not start in the padding behind it.
    """
    reach = length + 2 * padding - dilation * (kernel - 1) - 1
    count = -(-reach // stride) + 1 if ceil_mode else reach // stride + 1
    return count - 1 if ceil_mode and (count - 1) * stride >= length + padding else count


def window_elements(input, kernel_size, stride, padding, dilation, ceil_mode, fill):
    """Yields, for each tap of a window in row-major order, its value in every window: float64 (N, C, oH, oW).

    Beside the image the value is ``fill``.
    """
    axes = list(zip(input.shape[2:], kernel_size, stride, padding, dilation, strict=True))
    counts = [output_length(*axis, ceil_mode) for axis in axes]
    ends = [
        (count - 1) * step + (kernel - 1) * gap + 1
        for count, (_, kernel, step, _, gap) in zip(counts, axes, strict=True)
    ]
    pads = [(pad, max(0, end - pad - length)) for end, (length, _, _, pad, _) in zip(ends, axes, strict=True)]
    padded = np.pad(input.astype(np.float64), [(0, 0), (0, 0), *pads], constant_values=fill)
    starts = [np.arange(count) * step for count, step in zip(counts, stride, strict=True)]
    for i in range(kernel_size[0]):
        rows = padded[:, :, starts[0] + i * dilation[0]]
        for j in range(kernel_size[1]):
            yield rows[..., starts[1] + j * dilation[1]]


def window_maxima(input, *windows):
    """Gives the largest element of each window, and which tap of it that is: float64 and int64 (N, C, oH, oW).

    Of equal elements the first one in row-major order is the largest, and the last NaN of a window that has NaN. A
    window without an element has minus infinity and tap -1.
    """
    inside = window_elements(np.ones(input.shape), *windows, 0.0)
    largest, maximum = None, None
    for tap, (element, there) in enumerate(
        zip(window_elements(input, *windows, -np.inf), inside, strict=True)
    ):
        if largest is None:
            largest, maximum = np.full(element.shape, -np.inf), np.full(element.shape, -1)
        with np.errstate(invalid="ignore"):
            larger = (there > 0) & ((maximum < 0) | (element > largest) | (element != element))
        largest, maximum = np.where(larger, element, largest), np.where(larger, tap, maximum)
    return largest, maximum


def divisors(size, counts, kernel_size, stride, padding, include_pad):
    """Counts the elements of each window, (oH, oW), inside the image; with ``include_pad`` inside its padding too.

    ``size`` is the image's (H, W), ``counts`` are the windows along each axis.
    """
    rows, columns = (
        np.minimum(np.arange(count) * step - pad + kernel, length + (pad if include_pad else 0))
        - np.maximum(np.arange(count) * step - pad, -pad if include_pad else 0)
        for length, count, kernel, step, pad in zip(size, counts, kernel_size, stride, padding, strict=True)
    )
    return rows[:, None] * columns


def add_to_windows(terms, shape, kernel_size, stride, padding, dilation):
    """Gives float64 images of ``shape`` whose elements are the sums of what the windows over them give.

    ``terms`` yields, for each tap of a window in row-major order, what every window gives it: (N, C, oH, oW).
    """
    total = None
    for tap, term in enumerate(terms):
        starts = [np.arange(count) * step for count, step in zip(term.shape[2:], stride, strict=True)]
        if total is None:
            ends = [s[-1] + (k - 1) * d + 1 for s, k, d in zip(starts, kernel_size, dilation, strict=True)]
            padded = [max(end, n + 2 * pad) for end, n, pad in zip(ends, shape[2:], padding, strict=True)]
            total = np.zeros((*shape[:2], *padded))
        i, j = divmod(tap, kernel_size[1])
        with np.errstate(invalid="ignore"):
            total[:, :, (starts[0] + i * dilation[0])[:, None], starts[1] + j * dilation[1]] += term
    return total[:, :, padding[0] : padding[0] + shape[2], padding[1] : padding[1] + shape[3]]
