# SPDX-License-Identifier: Apache-2.0
"""Indices that a float32 cannot hold: in a plane of more than 2^24 elements, neighbours stay apart."""

import numpy as np

from ascend_vision_ops import _native
from ascend_vision_ops.testing import poisoned

COLUMNS, STEP = 8_400_001, 1_399_999
WINDOW = {"kernelSize": [2, 2], "stride": [1, STEP], "padding": [0, 0], "dilation": [1, 1], "ceilMode": 0}


def test_places_beyond_floats():
    rng = np.random.default_rng(0)
    taps = rng.permutation([0, 1, COLUMNS, COLUMNS + 1, COLUMNS, COLUMNS + 1, 1])
    places = (np.arange(7) * STEP + taps).reshape(1, 1, 1, 7)
    places[..., -1] = 2 * COLUMNS - 6  # the last tap of the last window, which rounds to its neighbour
    grads = rng.integers(1, 9, places.shape).astype(np.float32)
    images = np.zeros((1, 1, 2, COLUMNS), np.float32)
    out = poisoned(images.shape, images.dtype)
    call = {"gradOutput": grads, "self": images, "indices": places, "gradInput": out, **WINDOW}
    _native.entries.MaxPool2dWithIndicesBackward(call)
    want = np.zeros(2 * COLUMNS, np.float32)
    want[places.ravel()] = grads.ravel()
    np.testing.assert_array_equal(out.ravel(), want)
    assert places.max() > 2**24 and places.max() % 2 == 0
