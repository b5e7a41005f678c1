# SPDX-License-Identifier: Apache-2.0
"""Indices that a float32 cannot hold, in a plane of more than 2^24 elements of which windows far apart read few."""

import numpy as np
import pytest

from ascend_vision_ops import _native
from ascend_vision_ops.testing import poisoned

SHAPE, STEP = (1, 1, 3, 6_000_001), 599_999
WINDOW = {"kernelSize": [2, 2], "stride": [1, STEP], "padding": [0, 0], "dilation": [1, 1], "ceilMode": 0}


@pytest.fixture(scope="module")
def images():
    return np.random.default_rng(0).permutation(SHAPE[3] * 3).astype(np.float32).reshape(SHAPE)


def places(images):
    """The place of the maximum of each window."""
    starts = np.arange(2)[:, None] * SHAPE[3] + np.arange(11) * STEP
    taps = np.array([0, 1, SHAPE[3], SHAPE[3] + 1])
    found = images.reshape(-1)[starts[..., None] + taps].argmax(-1)
    return (starts + taps[found])[None, None]


@pytest.mark.parametrize("dtype", [np.int32, np.int64])
def test_places_beyond_floats(images, dtype):
    want = places(images)
    out, indices = poisoned(want.shape, images.dtype), poisoned(want.shape, dtype)
    _native.entries.MaxPool2dWithIndices({"self": images, "out": out, "indices": indices, **WINDOW})
    np.testing.assert_array_equal(indices, want)
    np.testing.assert_array_equal(out, images.reshape(-1)[want])
    assert (want > 2**24).any() and (want % 2 == 1).any()
