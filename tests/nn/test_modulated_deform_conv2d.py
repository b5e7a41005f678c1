# SPDX-License-Identifier: Apache-2.0
"""ModulatedDeformConv2dPack has the first values, parameters and dtypes of the module of mmcv."""

from __future__ import annotations

import pytest
import torch

from ascend_vision_ops import nn


def test_first_values():
    pack = nn.ModulatedDeformConv2dPack(4, 6, 3)
    assert 0 < pack.weight.abs().max() <= 1 / (4 * 9) ** 0.5
    assert pack.bias.abs().max() == 0
    assert all(parameter.abs().max() == 0 for parameter in pack.conv_offset.parameters())


def test_names_of_parameters():
    """The names and shapes are those of the state_dict in mmcv 2.2."""
    pack = nn.ModulatedDeformConv2dPack(4, 6, (3, 2), deform_groups=2, groups=2)
    shapes = {name: tuple(value.shape) for name, value in pack.state_dict().items()}
    assert shapes == {
        "weight": (6, 2, 3, 2),
        "bias": (6,),
        "conv_offset.weight": (3 * 2 * 6, 4, 3, 2),
        "conv_offset.bias": (3 * 2 * 6,),
    }


def test_autocast():
    pack, x = nn.ModulatedDeformConv2dPack(4, 2, 3, padding=1), torch.rand(1, 4, 5, 5)
    with torch.autocast("cpu", dtype=torch.bfloat16):
        result = pack(x)
    assert result.dtype == torch.bfloat16
    torch.testing.assert_close(result.float(), pack(x), rtol=0.03, atol=0.03)  # bfloat16 has 8 bits


def test_without_mask():
    """DCNv1 is DCNv2 with a mask of ones."""
    module, x = nn.ModulatedDeformConv2d(4, 2, 3), torch.rand(1, 4, 5, 5)
    offset = torch.randn(1, 18, 3, 3)
    assert torch.equal(module(x, offset), module(x, offset, torch.ones(1, 9, 3, 3)))
    with pytest.raises(RuntimeError, match="mask: expected"):
        module(x, offset, torch.ones(1, 8, 3, 3))
