# SPDX-License-Identifier: Apache-2.0
"""Gradients of deformable layers."""

import torch

from benchmarks.workloads.modulated_deform_conv2d import tensors


def device():
    """MTE3 bounds: the gradient of the input is scattered sample by sample, by the one core that owns the
    channels, each addition behind the one before, so that sums run in one order. Adding on the core would take
    slices of the image that fit the Unified Buffer, and samples sorted by slice.
    """
    shape = (2, 64, 50, 76)
    for dtype in (torch.float32, torch.float16):
        args = tensors(shape, shape[1], dtype)
        del args["bias"]
        yield {"grad_output": torch.randn(shape).to(dtype), **args}, ""
