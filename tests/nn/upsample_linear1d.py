# SPDX-License-Identifier: Apache-2.0
import torch

from ascend_vision_ops import nn

X = torch.rand(2, 3, 8)
CALLS = [(nn.UpsampleLinear1d(5), X), (nn.UpsampleLinear1d(scale_factor=2.5), X)]
SAME = [
    (
        nn.UpsampleLinear1d(13, align_corners=True),
        torch.nn.Upsample(13, mode="linear", align_corners=True),
        X,
    ),
    (
        nn.UpsampleLinear1d(scale_factor=1.7),
        torch.nn.Upsample(scale_factor=1.7, mode="linear", recompute_scale_factor=False),
        X,
    ),
]
BAD = [
    (lambda: nn.UpsampleLinear1d(), "expected either size or scale_factor, got size=None, scale_factor=None"),
    (
        lambda: nn.UpsampleLinear1d(3, 2.0),
        "expected either size or scale_factor, got size=3, scale_factor=2.0",
    ),
    (lambda: nn.UpsampleLinear1d(0), "UpsampleLinear1d: size: expected above 0, got 0"),
    (
        lambda: nn.UpsampleLinear1d(scale_factor=-1.0),
        "UpsampleLinear1d: scale_factor: expected above 0, got -1.0",
    ),
]
