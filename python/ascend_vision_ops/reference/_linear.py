# SPDX-License-Identifier: Apache-2.0
"""Sample positions of linear resampling, shared by the forward operator and its gradient."""

import numpy as np


def positions(length, out_length, align_corners, scales):
    """Indices of the left and right sample of each output, int64 (out_length,), and the right one's weight, float64."""
    index = np.arange(out_length, dtype=np.float64)
    if align_corners:
        position = index * ((length - 1) / (out_length - 1) if out_length > 1 else 0.0)
    else:
        step = 1 / scales if scales is not None and scales > 0 else length / out_length
        position = np.maximum(0.0, (index + 0.5) * step - 0.5)
    left = np.minimum(position.astype(np.int64), length - 1)
    right = np.minimum(left + 1, length - 1)
    return left, right, np.clip(position - left, 0.0, 1.0)
