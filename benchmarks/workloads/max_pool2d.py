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
    ((64, 256, 14, 14), (3, 3), (2, 2), 1),
    ((8, 512, 7, 7), (3, 3), (1, 1), 1),
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
    """Windows of large planes are bound by MTE2, whose loads wait for HBM; the launch of 2.5 us and a
    start of 0.5 us are what keeps maps of halves from the rate of copies. Maxima of float16 are taken
    in float16, those of bfloat16 in float32, as Atlas A2 compares no bfloat16: the vector unit is then
    busy for as long as MTE2, 9 us of 13, and converting once per row of a window instead of once per
    element would take an order of bfloat16 in integers. Small planes are lanes, whole. 16384 planes of
    14 x 14 reach the mark in float32; in half types it is 6.7 us, and a launch, a start and reading at
    the rate of copies take 7.3. For 2048 planes of 20 x 20 the mark is 5.5 us in float32 and 2.7 us in
    float16: launch and start take 3.1 us and reading at the rate of copies 2.2 and 1.1 us, before the
    first maximum. Beyond that the vector unit works for 5 and 3 us on the two or three tiles of a core,
    too few to overlap.
    """
    for i, (shape, kernel, stride, padding) in enumerate(DEVICE):
        for dtype in (torch.float32, torch.float16, torch.bfloat16)[: 3 if i == 0 else 2]:
            window = {"kernel_size": list(kernel), "stride": list(stride), "padding": [padding] * 2}
            yield {"input": torch.randn(shape).to(dtype), **window}, "1.5 x"
