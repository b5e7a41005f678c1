# SPDX-License-Identifier: Apache-2.0
"""Feature maps as backbones pool them between stages and at their end."""

import torch
import torch.nn.functional as F

# Images, kernel, stride: between the stages of a DenseNet, before a classifier.
SHAPES = [((8, 128, 56, 56), 2, 2), ((8, 2048, 7, 7), 7, 7)]
DEVICE = [((8, 64, 112, 112), (3, 5), (2, 3), 0), ((8, 64, 112, 112), (3, 3), (1, 1), 1), ((8, 2048, 7, 7), (7, 7), (7, 7), 0)]


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
    """TODO_SENTENCE"""
    for shape, kernel, stride, padding in DEVICE:
        for dtype in (torch.float32, torch.float16, torch.bfloat16):
            window = {"kernel_size": list(kernel), "stride": list(stride), "padding": [padding] * 2}
            yield {"input": torch.randn(shape).to(dtype), **window}, "1.5 x"
