# SPDX-License-Identifier: Apache-2.0
import numpy as np
import pytest
import torch
import torch.nn.functional as F

from ascend_vision_ops import cpu

IMAGES = np.arange(1, 26, dtype=np.float32).reshape(1, 1, 5, 5)
WINDOW = {"kernel_size": [3, 3], "stride": [1, 1], "padding": [1, 1]}


def test_torch_counts_padding_by_default():
    theirs = F.avg_pool2d(torch.from_numpy(IMAGES), **WINDOW).numpy()
    assert theirs[0, 0, 0, 0] == pytest.approx((1 + 2 + 6 + 7) / 9)
    assert cpu.avg_pool2d(IMAGES, **WINDOW)[0, 0, 0, 0] == (1 + 2 + 6 + 7) / 4
    np.testing.assert_allclose(cpu.avg_pool2d(IMAGES, **WINDOW, count_include_pad=True), theirs, rtol=1e-6)


def test_torch_refuses_a_divisor_of_zero():
    with pytest.raises(RuntimeError, match="divisor"):
        F.avg_pool2d(torch.from_numpy(IMAGES), **WINDOW, divisor_override=0)
    np.testing.assert_array_equal(
        cpu.avg_pool2d(IMAGES, **WINDOW, divisor_override=0), cpu.avg_pool2d(IMAGES, **WINDOW)
    )
