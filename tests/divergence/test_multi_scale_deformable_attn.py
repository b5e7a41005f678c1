# SPDX-License-Identifier: Apache-2.0
"""How mmcv's version of multi-scale deformable attention for CPUs finds the maps of levels."""

import numpy as np
import pytest
import torch

from ascend_vision_ops import cpu
from ascend_vision_ops.testing.peers import mmcv_function


def test_mmcv_takes_levels_one_behind_the_other():
    """Two maps of 2 x 3 in the opposite order: only with the starts, the first level is the second map."""
    try:
        theirs = mmcv_function("multi_scale_deform_attn", "multi_scale_deformable_attn_pytorch")
    except ImportError as error:
        pytest.skip(str(error))
    rng = np.random.default_rng(0)
    value = rng.standard_normal((1, 12, 2, 4)).astype(np.float32)
    locations, weights = (
        rng.random((1, 5, 2, 2, 3, 2)).astype(np.float32),
        rng.random((1, 5, 2, 2, 3)).astype(np.float32),
    )
    shapes = np.array([[2, 3], [2, 3]])
    found = theirs(*map(torch.from_numpy, (value, shapes, locations, weights))).numpy()
    in_turn, swapped = (
        cpu.multi_scale_deformable_attn(value, shapes, np.array(starts), locations, weights)
        for starts in ([0, 6], [6, 0])
    )
    np.testing.assert_allclose(in_turn, found, atol=1e-5)
    assert np.abs(swapped - found).max() > 0.1
