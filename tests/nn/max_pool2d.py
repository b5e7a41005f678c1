# SPDX-License-Identifier: Apache-2.0
import torch

from ascend_vision_ops import nn

X = torch.rand(2, 3, 7, 9)
CALLS = [(nn.MaxPool2d(2), X), (nn.MaxPool2d((3, 2), 1, (1, 0)), X)]
SAME = [
    (nn.MaxPool2d(*arguments), torch.nn.MaxPool2d(*arguments), X)
    for arguments in [
        (2,),
        (2, 1),
        ((3, 2), None, (1, 0), (1, 2)),
        (3, 2, 0, 1, False),
    ]
] + [
    (nn.MaxPool2d(3, 2, **flag), torch.nn.MaxPool2d(3, 2, **flag), X)
    for flag in ({"ceil_mode": True}, {"return_indices": True})
]
BAD = [
    (lambda: nn.MaxPool2d(0), "MaxPool2d: kernel_size: expected an int or two, each at least 1, got 0"),
    (lambda: nn.MaxPool2d(2, 0), "MaxPool2d: stride: expected an int or two, each at least 1, got 0"),
    (lambda: nn.MaxPool2d(2, dilation=(1, 1, 1)), "MaxPool2d: dilation: expected an int or two"),
]
