# SPDX-License-Identifier: Apache-2.0
"""Index of the largest element, as torch.argmax defines it."""

import numpy as np


def argmax(self, dim=None, keepdim=False, select_last_index=False, dtype=None):
    """Index of the largest element of each line of ``self`` along ``dim``, or of all elements if ``dim`` is None.

    Of equal elements the first one is taken, or the last one if ``select_last_index``. NaN is larger than any number,
    and the first NaN is taken in any case. The result has the dtype ``dtype``, int64 if that is None.
    """
    axis = 0 if dim is None or self.ndim == 0 else dim
    lines = np.moveaxis(self.reshape(-1) if dim is None or self.ndim == 0 else self, axis, 0)
    index = np.asarray(np.argmax(lines, axis=0))  # the first one, or the first NaN
    if select_last_index:
        last = len(lines) - 1 - np.argmax(lines[::-1], axis=0)
        index = np.where((lines != lines).any(axis=0), index, last)
    if keepdim:
        index = index.reshape([1] * self.ndim) if dim is None else np.expand_dims(index, axis)
        index = index.reshape(()) if self.ndim == 0 else index
    return index.astype(dtype or np.int64)
