# SPDX-License-Identifier: Apache-2.0
"""Feature maps that backbones pool between their stages and at their end."""

import torch
import torch.nn.functional as F

from benchmarks.workloads.pooling.max_pool2d import window_contestants, windows

# Images, kernel, stride, padding, target: two calls that keep maps large, and one before a classifier.
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


def contestants(divisor_override=None, **call):
    # A node has no other divisor, and those of these versions do not agree with torch on ceil_mode.
    node = "" if divisor_override or call.get("ceil_mode") else "AveragePool"
    call = {"count_include_pad": False, **call, "divisor_override": divisor_override or None}
    return window_contestants(F.avg_pool2d, node, 11, call)


def device():
    """Float32 windows are bound by MTE2, whose loads wait for HBM. At a stride of 1 they are bound by the
    vector unit, which adds all rows of a window to its first row, then all columns to its first column. A
    running sum would need two additions, but would not be exact for integers of any size.

    Half types are summed in float32, so the vector unit works as long as for float32, for half of the bytes. At
    a stride of 1 it is busy for 17 us of 21. No two of its operands meet in a bank group, because the sum of
    two taps lies half of the bank groups away from the third tap. At a stride of 3 it is busy for 10 us of 14,
    as long as MTE2: neighbouring windows start three slots apart, and some operands meet.

    Planes of 7 x 7 are lanes. Their mark is 2.7 us for float32 and half of that for float16. A launch and a
    start alone take 3.9 us, so no kernel reaches it.
    """
    for i, (shape, kernel, stride, padding) in enumerate(DEVICE):
        for dtype in (torch.float32, torch.float16, torch.bfloat16)[: 3 if i == 0 else 2]:
            window = {"kernel_size": list(kernel), "stride": list(stride), "padding": [padding] * 2}
            yield {"input": torch.randn(shape).to(dtype), **window}, "1.5 x"
