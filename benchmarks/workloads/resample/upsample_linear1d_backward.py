# SPDX-License-Identifier: Apache-2.0
"""Gradients of the signals that upsample_linear1d resamples."""

import torch
import torch.nn.functional as F

from benchmarks.peers import autograd
from benchmarks.workload import Workload, size

SHAPES = [((1, 80, 1500), 3000), ((8, 512, 1024), 4096)]


def workloads():
    for shape, length in SHAPES:
        gradient = torch.randn(*shape[:2], length)
        peers = {
            "torch": autograd.backward(
                lambda signal, length=length: F.interpolate(signal, length, mode="linear"),
                gradient,
                torch.randn(shape),
            )
        }
        arguments = {"grad_output": gradient, "output_size": [length], "input_size": list(shape)}
        yield Workload(f"{size(shape)} to {length}", arguments, peers)


def device():
    """MTE2 bounds the time, as the gradients that it loads are several times as long as the result. For short signals,
    the launch of 3 us and the start of 0.5 us take longer than moving all bytes.
    """
    for dtype in (torch.float32, torch.float16):
        for shape, out_length in SHAPES:
            gradient = torch.randn(*shape[:2], out_length).to(dtype)
            yield {"grad_output": gradient, "output_size": [out_length], "input_size": list(shape)}, ""
