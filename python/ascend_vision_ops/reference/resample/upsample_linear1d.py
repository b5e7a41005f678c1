# SPDX-License-Identifier: Apache-2.0
"""Linear interpolation of signals, as CANN's aclnnUpsampleLinear1d defines it."""

import numpy as np

from ._linear import positions


def upsample_linear1d(self, output_size, align_corners=False, scales=None):
    """Resample signals (N, C, L) to (N, C, output_size[0]); float64 inside, rounded once to the dtype of ``self``.

    ``scales`` is the factor from L to ``output_size``. A positive factor defines the positions; else the ratio of the
    lengths does. Where the result has the length of the input, it is a copy for any ``scales``.
    """
    length, out_length = self.shape[2], output_size[0]
    if out_length == length:
        return self.copy()
    left, right, weight = positions(length, out_length, align_corners, scales)
    values = self.astype(np.float64)
    with np.errstate(invalid="ignore"):
        return ((1 - weight) * values[..., left] + weight * values[..., right]).astype(self.dtype)
