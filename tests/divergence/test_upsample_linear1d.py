# SPDX-License-Identifier: Apache-2.0
import numpy as np
import pytest
import torch

from ascend_vision_ops import cpu


def test_torch_accepts_scales_that_contradict_the_length():
    signal = torch.arange(4.0).reshape(1, 1, 4)
    assert torch.ops.aten.upsample_linear1d(signal, [8], False, 3.0).shape == (1, 1, 8)
    with pytest.raises(ValueError, match="scales"):
        cpu.upsample_linear1d(signal.numpy(), [8], scales=3.0)


def test_torch_rounds_positions_to_float32():
    """Resampling by 1/3 reads the samples at 3 i + 1. Beyond 2^24, float32 cannot hold all of these positions."""
    length = 3 * (1 << 23)
    ramp = (np.arange(length) % 4096).astype(np.float32).reshape(1, 1, length)
    want = ramp[..., 1::3]
    np.testing.assert_array_equal(cpu.upsample_linear1d(ramp, [length // 3]), want)
    theirs = torch.nn.functional.interpolate(torch.from_numpy(ramp), size=length // 3, mode="linear").numpy()
    assert np.abs(theirs - want).max() > 0.1
