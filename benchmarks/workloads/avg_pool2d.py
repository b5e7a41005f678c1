# SPDX-License-Identifier: Apache-2.0
"""Feature maps as backbones pool them between stages and at their end."""

import torch
import torch.nn.functional as F

# Images, kernel, stride: between the stages of a DenseNet, before a classifier.
SHAPES = [((8, 128, 56, 56), 2, 2), ((8, 2048, 7, 7), 7, 7)]
DEVICE = [
    ((8, 64, 112, 112), (3, 5), (2, 3), 0),
    ((8, 64, 112, 112), (3, 3), (1, 1), 1),
    ((8, 2048, 7, 7), (7, 7), (7, 7), 0),
]


def workloads():
    for shape, kernel, stride in SHAPES:
        for dtype in (torch.float32, torch.bfloat16, torch.float16):
            images = torch.randn(shape).to(dtype)
            window = {"kernel_size": [kernel] * 2, "stride": [stride] * 2}
            text = f"{'x'.join(map(str, shape))} {kernel}/{stride} {str(dtype).removeprefix('torch.')}"
            yield (
                text,
                {"input": images, **window},
                {"torch": lambda i=images, w=window: F.avg_pool2d(i, **w)},
            )


def device():
    """Float32 windows with large strides are bound by MTE2, at the rate at which one core reads HBM; with a
    stride of 1 by the vector unit, which adds a row for each row and each column of a window. A running sum
    would add two, but would not be exact for integers of any size. Half types sum in float32 and cost the
    vector unit as much for half the bytes. Small planes take a launch of 3 us, and instructions too short for
    the 22 cycles that each starts with.
    """
    for i, (shape, kernel, stride, padding) in enumerate(DEVICE):
        for dtype in (torch.float32, torch.float16, torch.bfloat16)[: 3 if i == 0 else 2]:
            window = {"kernel_size": list(kernel), "stride": list(stride), "padding": [padding] * 2}
            yield {"input": torch.randn(shape).to(dtype), **window}, "1.5 x"
