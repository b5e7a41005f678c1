# SPDX-License-Identifier: Apache-2.0
import torch

from ascend_vision_ops import nn

ROIS = torch.tensor([[0, 1, 1, 7, 8], [1, 0, 2, 5, 3], [1, 3, 3, 6, 6]]).float()
CALLS = [
    (nn.RoIAlign((2, 3), 0.5), torch.rand(2, 3, 6, 5), ROIS),
    (nn.RoIAlign(2, sampling_ratio=2, pool_mode="max", aligned=False), torch.rand(2, 3, 9, 9), ROIS),
]
# One sample a bin, on a pixel.
SAME = [
    (
        nn.RoIAlign(2, sampling_ratio=1, aligned=False),
        lambda x, rois: x[:, :, 1::2, 1::2],
        torch.rand(1, 3, 4, 4),
        torch.tensor([[0.0, 0, 0, 4, 4]]),
    )
]
BAD = [
    (
        lambda: nn.RoIAlign((2, 0)),
        r"RoIAlign: output_size: expected an int or two, each at least 1, got \(2, 0\)",
    ),
    (lambda: nn.RoIAlign(2, -1.0), "RoIAlign: spatial_scale: expected above 0, got -1.0"),
    (lambda: nn.RoIAlign(2, 1.0, -1), "RoIAlign: sampling_ratio: expected at least 0, got -1"),
    (
        lambda: nn.RoIAlign(2, pool_mode="min"),
        "RoIAlign: pool_mode: expected avg, max or onnx_max, got 'min'",
    ),
]
