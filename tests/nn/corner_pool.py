# SPDX-License-Identifier: Apache-2.0
import torch

from ascend_vision_ops import nn

CALLS = [(nn.CornerPool("left"), torch.rand(2, 3, 4, 5)), (nn.CornerPool("bottom"), torch.rand(1, 2, 5, 4))]
SAME = [
    (nn.CornerPool("top"), lambda x: x.flip(2).cummax(2)[0].flip(2), torch.rand(2, 3, 4, 5)),
    (nn.CornerPool("bottom"), lambda x: x.cummax(2)[0], torch.rand(2, 3, 4, 5)),
    (nn.CornerPool("left"), lambda x: x.flip(3).cummax(3)[0].flip(3), torch.rand(2, 3, 4, 5)),
    (nn.CornerPool("right"), lambda x: x.cummax(3)[0], torch.rand(2, 3, 4, 5)),
]
BAD = [
    (lambda: nn.CornerPool("corner"), "CornerPool: mode: expected top, bottom, left or right, got 'corner'"),
]
