# SPDX-License-Identifier: Apache-2.0
import torch
from torch.nn.functional import conv2d

from ascend_vision_ops import nn

X = torch.rand(2, 4, 8, 7)
# Samples between pixels, so that gradients do not jump.
OFFSET = torch.randint(-2, 3, (2, 2 * 2 * 9, 8, 7)) + 0.1 + 0.8 * torch.rand(2, 2 * 2 * 9, 8, 7)
GROUPED = nn.ModulatedDeformConv2d(4, 6, 3, padding=1, groups=2, deform_groups=2)
PLAIN = nn.ModulatedDeformConv2d(4, 6, 3, padding=1, groups=2, deform_groups=2, bias=False)


def moving_pack():
    pack = nn.ModulatedDeformConv2dPack(4, 6, 3, (2, 1), 1, deform_groups=2)
    torch.nn.init.normal_(pack.conv_offset.weight, std=0.1)
    torch.nn.init.uniform_(pack.conv_offset.bias, 0.1, 0.4)
    return pack


CALLS = [(GROUPED, X, OFFSET, torch.rand(2, 18, 8, 7)), (moving_pack(), X)]
PACK = nn.ModulatedDeformConv2dPack(4, 6, 3, (2, 1), 1, groups=2, deform_groups=2)
SAME = [
    # With offsets of 0, and without a mask.
    (PLAIN, lambda x, offset: conv2d(x, PLAIN.weight, None, 1, 1, 1, 2), X, torch.zeros(2, 36, 8, 7)),
    # A new pack has offsets of 0, and halves every sample.
    (PACK, lambda x: conv2d(x, PACK.weight / 2, PACK.bias, (2, 1), 1, 1, 2), X),
]
BAD = [
    (
        lambda: nn.ModulatedDeformConv2d(4, 4, 3, groups=3),
        "ModulatedDeformConv2d: in_channels: expected a positive multiple of groups, got 4 and 3",
    ),
    (
        lambda: nn.ModulatedDeformConv2dPack(4, 4, 3, deform_groups=0),
        "ModulatedDeformConv2dPack: in_channels: expected a positive multiple of deform_groups, got 4 and 0",
    ),
    (
        lambda: nn.ModulatedDeformConv2d(4, 4, 3, stride=0),
        "ModulatedDeformConv2d: stride: expected an int or two, each at least 1, got 0",
    ),
]
