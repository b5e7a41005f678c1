# SPDX-License-Identifier: Apache-2.0
"""Feature maps as backbones pool them between stages and at their end."""

import torch
import torch.nn.functional as F

from benchmarks.workloads.pooling.max_pool2d import windows

# Images, kernel, stride, padding, target: two that keep maps large, and what goes before a classifier.
SHAPES = [
    ((8, 64, 112, 112), (3, 5), (2, 3), (1, 2), 1.2),
    ((8, 64, 112, 112), (3, 3), (1, 1), (1, 1), 1.5),
    ((8, 2048, 7, 7), (7, 7), (7, 7), (0, 0), 0),
]
DEVICE = [
    ((8, 64, 112, 112), (3, 5), (2, 3), 0),
    ((8, 64, 112, 112), (3, 3), (1, 1), 1),
    ((8, 2048, 7, 7), (7, 7), (7, 7), 0),
    ((64, 256, 14, 14), (2, 2), (2, 2), 0),
]


def workloads():
    yield from windows(SHAPES, F.avg_pool2d, "AveragePool", 11, count_include_pad=False)


def device():
    """Float32 windows are bound by MTE2, whose loads wait for HBM, and at a stride of 1 by the vector
    unit, which adds a row for each row but the first, and a column for each column but the first, of a
    window. A running sum would add two, but would not be exact for integers of any size. Half types sum
    in float32: the vector unit works as long as for float32, for half of the bytes. At a stride of 1 it
    is busy for 17 us of 21, and no two of its operands meet in a bank group: what two taps are combined
    into is kept half of the groups away from the third. At a stride of 3 it is busy for 10 us of 14, as
    long as MTE2: windows side by side begin three slots apart, and some operands meet. Planes of 7 x 7
    are lanes, whole; the mark is 2.7 us for float32 and half of that for float16, less than the 3.1 us
    of a launch and a start, so no kernel reaches it.
    """
    for i, (shape, kernel, stride, padding) in enumerate(DEVICE):
        for dtype in (torch.float32, torch.float16, torch.bfloat16)[: 3 if i == 0 else 2]:
            window = {"kernel_size": list(kernel), "stride": list(stride), "padding": [padding] * 2}
            yield {"input": torch.randn(shape).to(dtype), **window}, "1.5 x"
