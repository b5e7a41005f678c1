# SPDX-License-Identifier: Apache-2.0
"""Feature maps as backbones and detection necks pool them."""

import torch
import torch.nn.functional as F

# Images, kernel, stride, padding: a stem, a pyramid's last level, spatial pyramid pooling.
SHAPES = [((8, 64, 112, 112), 3, 2, 1), ((8, 256, 25, 42), 1, 2, 0), ((8, 256, 20, 20), 5, 1, 2)]
DEVICE = [
    ((8, 64, 112, 112), (3, 3), (2, 2), 1),
    ((8, 64, 112, 112), (2, 2), (2, 2), 0),
    ((8, 256, 20, 20), (5, 5), (1, 1), 2),
]


def workloads():
    for shape, kernel, stride, padding in SHAPES:
        for dtype in (torch.float32, torch.bfloat16, torch.float16):
            images = torch.randn(shape).to(dtype)
            window = {"kernel_size": [kernel] * 2, "stride": [stride] * 2, "padding": [padding] * 2}
            text = f"{'x'.join(map(str, shape))} {kernel}/{stride} {str(dtype).removeprefix('torch.')}"
            yield (
                text,
                {"input": images, **window},
                {"torch": lambda i=images, w=window: F.max_pool2d(i, **w)},
            )


def device():
    """Float32 windows that take strides of 2 are bound by MTE2, at the rate at which one core reads HBM. Half
    types are bound by the vector unit: they are widened to float32 as they come and rounded as they go, and
    rows become lanes and rows again, which is as many cycles for half the bytes. Maxima of float16 in float16
    would halve that. Small planes take a launch of 3 us, and instructions too short for the 22 cycles that
    each starts with: several planes side by side in a row of lanes would make them longer.
    """
    for i, (shape, kernel, stride, padding) in enumerate(DEVICE):
        for dtype in (torch.float32, torch.float16, torch.bfloat16)[: 3 if i == 0 else 2]:
            window = {"kernel_size": list(kernel), "stride": list(stride), "padding": [padding] * 2}
            yield {"input": torch.randn(shape).to(dtype), **window}, "1.5 x"
