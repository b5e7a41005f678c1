# SPDX-License-Identifier: Apache-2.0
"""An operator that cannot raise an error on a device lets another operator count the wrong values there."""

from __future__ import annotations

import numpy as np
import pytest

import ascend_vision_ops as avo

INDICES = [-1, 0, 1.5, 2, np.nan, 1, 7, np.inf]
OUTSIDE = [0, 3, 4, 6, 7]


@pytest.mark.parametrize("dtype", ["float32", "float16"])
def test_regions_of_no_map_are_zero_and_counted(dtype):
    maps = np.ones((2, 3, 8, 8), dtype)
    rois = np.array([[index, 1, 1, 6, 6] for index in INDICES], dtype)
    pooled = avo.aclnn.roi_align(maps, rois, 2, 2)
    wrong = np.flatnonzero((pooled == 0).all(axis=(1, 2, 3)))
    assert wrong.tolist() == OUTSIDE
    assert avo.aclnn.count_outside(rois[:, 0], maps.shape[0]).tolist() == [len(OUTSIDE)]
    right = np.delete(rois, OUTSIDE, axis=0)
    assert avo.aclnn.count_outside(right[:, 0], maps.shape[0]).tolist() == [0]
