# SPDX-License-Identifier: Apache-2.0
"""Compares aclnnMaxPool with torch where the padding of the four sides differs, and where strides are empty."""

import numpy as np
import pytest

from ascend_vision_ops import _native
from ascend_vision_ops.testing import poisoned


def max_pool(images, kernel, strides, pads, out_shape, ceil_mode=0):
    out = poisoned(out_shape, images.dtype)
    _native.entries.MaxPool(
        {"self": images, "kernelShape": kernel, "strides": strides, "autoPad": 0, "pads": pads,
         "dilations": [], "ceilMode": ceil_mode, "out": out}
    )  # fmt: skip
    return out


# Padding above, to the left, below, to the right. A whole window may lie in the padding, before or behind the image.
@pytest.mark.parametrize(
    "pads", [(0, 0, 1, 1), (1, 0, 0, 2), (2, 1, 1, 0), (3, 0, 0, 0), (0, 0, 3, 2), (0, 3, 0, 0)]
)
@pytest.mark.parametrize("strides", [[], [2], [3, 2]])
def test_sides(pads, strides):
    import torch
    import torch.nn.functional as F

    images = np.random.default_rng(0).standard_normal((2, 3, 9, 35)).astype(np.float32)
    top, left, bottom, right = pads
    padded = F.pad(torch.from_numpy(images), (left, right, top, bottom), value=-np.inf)
    want = F.max_pool2d(padded, 3, stride=strides * (2 // len(strides)) if strides else 1).numpy()
    np.testing.assert_array_equal(max_pool(images, [3], strides, list(pads), want.shape), want)
