# SPDX-License-Identifier: Apache-2.0
"""Feature maps that backbones and detection necks pool."""

import torch
import torch.nn.functional as F

from benchmarks.peers import runtimes
from benchmarks.workload import Workload, size

# Images, kernel, stride, padding, target: a stem, between stages, spatial pyramid pooling.
SHAPES = [
    ((8, 64, 112, 112), (3, 3), (2, 2), (1, 1), 2.2),
    ((8, 64, 112, 112), (2, 2), (2, 2), (0, 0), 2.2),
    ((8, 256, 20, 20), (5, 5), (1, 1), (2, 2), 0),
]
DEVICE = [
    ((8, 64, 112, 112), (3, 3), (2, 2), 1),
    ((8, 64, 112, 112), (2, 2), (2, 2), 0),
    ((8, 256, 20, 20), (5, 5), (1, 1), 2),
    ((64, 256, 14, 14), (3, 3), (2, 2), 1),
    ((8, 512, 7, 7), (3, 3), (1, 1), 1),
]


def workloads():
    yield from windows(SHAPES, F.max_pool2d, "MaxPool", 12)


def windows(shapes, function, node, opset, **extra):
    """Yields the workloads of a pooling operator. function: torch's, which takes `extra` too; node: ONNX's."""
    for shape, kernel, stride, padding, target in shapes:
        window = {"kernel_size": list(kernel), "stride": list(stride), "padding": list(padding)}
        name = f"{'x'.join(map(str, kernel))} stride {','.join(map(str, stride))} of "
        for dtype in (torch.float32, torch.bfloat16, torch.float16):
            images = torch.randn(shape).to(dtype)
            last = images.contiguous(memory_format=torch.channels_last)
            found = window_contestants(function, node, opset, {"input": images, **window, **extra})
            found["torch channels-last"] = lambda i=last, w=window: function(i, **w, **extra)
            text, wanted = name + size(shape, dtype), target if dtype == torch.float32 else 0
            yield Workload(text, {"input": images, **window}, found, wanted)
            if dtype == torch.float32:
                yield Workload(f"{text} channels-last", {"input": last, **window}, found)
            if shape[2] < 112:
                break


def window_contestants(function, node, opset, call):
    """Gives the peers for a call of a pooling operator. node: '' where ONNX has none for the call."""
    window = {name: value for name, value in call.items() if name != "input"}
    images, found = call["input"], {"torch": lambda: function(call["input"], **window)}
    if images.dtype != torch.float32 or not images.is_contiguous() or not node:
        return found
    layout = {"kernel_shape": call["kernel_size"], "strides": call.get("stride") or call["kernel_size"]}
    layout["pads"] = 2 * list(call.get("padding", (0, 0)))
    flags = {name: int(call[name]) for name in ("ceil_mode", "count_include_pad") if name in call}
    if "dilation" in call:
        layout["dilations"] = call["dilation"]
    return found | runtimes.node(node, {"input": images}, opset=opset, **layout, **flags)


def contestants(**call):
    return window_contestants(F.max_pool2d, "MaxPool", 12, call)


def device():
    """Windows of large planes are bound by MTE2, whose loads wait for HBM. Half types do not reach the rate of
    copies because of the launch of 2.5 us and a start of 1.4 us. Maxima of float16 are computed in float16,
    those of bfloat16 in float32, as Atlas A2 compares no bfloat16. The vector unit is then busy for as long as
    MTE2, 9 us of 13. To convert each row of windows once, instead of each element, would need bfloat16 as
    integers in the same order.

    Small planes are lanes. 16384 planes of 14 x 14 reach the mark in float32. In half types it is 6.7 us, and a
    launch, a start and reading at the rate of copies take 7.3. For 2048 planes of 20 x 20 the mark is 5.5 us in
    float32 and 2.7 us in float16. Launch and start take 3.1 us, and reading at the rate of copies 2.2 and 1.1
    us, before the first maximum. The vector unit then works for 5 and 3 us on the two or three tiles of a core,
    which are too few to overlap.
    """
    for i, (shape, kernel, stride, padding) in enumerate(DEVICE):
        for dtype in (torch.float32, torch.float16, torch.bfloat16)[: 3 if i == 0 else 2]:
            window = {"kernel_size": list(kernel), "stride": list(stride), "padding": [padding] * 2}
            yield {"input": torch.randn(shape).to(dtype), **window}, "1.5 x"
