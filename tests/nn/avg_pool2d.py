# SPDX-License-Identifier: Apache-2.0
import torch

from ascend_vision_ops import nn

X = torch.rand(2, 3, 7, 9)
CALLS = [(nn.AvgPool2d(2), X), (nn.AvgPool2d((3, 2), 1, 1), X)]
SAME = [
    (nn.AvgPool2d(*arguments), torch.nn.AvgPool2d(*arguments), X)
    for arguments in [
        (2,),
        (3, (2, 1), 1),
        (3, None, 1, True, False),
        ((1, 2), None, 0, False, True, 3),
    ]
]
BAD = [
    (
        lambda: nn.AvgPool2d(2, padding=-1),
        "AvgPool2d: padding: expected an int or two, each at least 0, got -1",
    ),
    (lambda: nn.AvgPool2d(2.5), "AvgPool2d: kernel_size: expected an int or two, each at least 1, got 2.5"),
    (
        lambda: nn.AvgPool2d(2, divisor_override=0),
        "AvgPool2d: divisor_override: expected None or other than 0, got 0",
    ),
]
