# SPDX-License-Identifier: Apache-2.0
"""Windows of pooling, shared by its operators."""

import numpy as np


def pair(value):
    """An int[2] given as a sequence, or as one int for both."""
    return [value] * 2 if isinstance(value, int) else list(value)


def output_length(length, kernel, stride, padding, dilation, ceil_mode):
    """Windows along an axis; with ceil_mode a last one that starts in the right padding is dropped."""
    reach = length + 2 * padding - dilation * (kernel - 1) - 1
    count = -(-reach // stride) + 1 if ceil_mode else reach // stride + 1
    return count - 1 if ceil_mode and (count - 1) * stride >= length + padding else count


def window_elements(input, kernel_size, stride, padding, dilation, ceil_mode, fill):
    """Yields, for each element of a window, its value in every window: float64 (N, C, oH, oW).

    Beyond the image it is ``fill``.
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
