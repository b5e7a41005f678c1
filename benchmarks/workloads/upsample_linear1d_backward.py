# SPDX-License-Identifier: Apache-2.0
"""Gradients of the signals that upsample_linear1d resamples."""

import torch

SHAPES = [((1, 80, 1500), 3000), ((8, 512, 1024), 4096)]


def device():
    """TODO_SENTENCE"""
    for dtype in (torch.float32, torch.float16):
        for shape, out_length in SHAPES:
            gradient = torch.randn(*shape[:2], out_length).to(dtype)
            yield {"grad_output": gradient, "output_size": [out_length], "input_size": list(shape)}, ""
