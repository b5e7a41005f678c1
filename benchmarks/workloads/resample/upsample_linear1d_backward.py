# SPDX-License-Identifier: Apache-2.0
"""Gradients of the signals that upsample_linear1d resamples."""

import torch

from benchmarks.peers import autograd
from benchmarks.workload import Workload, size

SHAPES = [((1, 80, 1500), 3000), ((8, 512, 1024), 4096)]

# Axes of arguments that become longer together in drawn workloads.
GROWS = [
    [("grad_output", 0), ("input_size", 0)],
    [("grad_output", 1), ("input_size", 1)],
    [("grad_output", 2), ("output_size", 0), ("input_size", 2)],
]


def workloads():
    for shape, length in SHAPES:
        gradient = torch.randn(*shape[:2], length)
        arguments = {"grad_output": gradient, "output_size": [length], "input_size": list(shape)}
        yield Workload(f"{size(shape)} to {length}", arguments, contestants(**arguments))


def contestants(grad_output, output_size, input_size, align_corners=False, scales=None):
    def forward(signal):
        return torch.ops.aten.upsample_linear1d(signal, output_size, align_corners, scales)

    return {
        "torch": autograd.backward(forward, grad_output, torch.randn(input_size, dtype=grad_output.dtype))
    }


def device():
    """MTE2 bounds the time, as the gradients that it loads are several times as long as the result. For short signals,
    the launch of 2.5 us and the start of 1.4 us take longer than moving all bytes.
    """
    for dtype in (torch.float32, torch.float16):
        for shape, out_length in SHAPES:
            gradient = torch.randn(*shape[:2], out_length).to(dtype)
            yield {"grad_output": gradient, "output_size": [out_length], "input_size": list(shape)}, ""
