# SPDX-License-Identifier: Apache-2.0
"""Gradients of deformable layers."""

import torch

from ascend_vision_ops.testing.peers import import_torchvision
from benchmarks.peers import autograd
from benchmarks.workload import Workload, size
from benchmarks.workloads.deform.modulated_deform_conv2d import SHAPES, tensors


def workloads():
    shape, filters = SHAPES[1]
    arguments = tensors(shape, filters, torch.float32)
    given = [arguments[name] for name in ("input", "offset", "mask", "weight", "bias")]
    gradient = torch.randn(shape[0], filters, *shape[2:])

    def forward(x, offset, mask, weight, bias):
        return import_torchvision().ops.deform_conv2d(x, offset, weight, bias, padding=1, mask=mask)

    del arguments["bias"]  # its gradient does not depend on it
    peers = {"torchvision": autograd.backward(forward, gradient, *given)}
    yield Workload(f"{size(shape)} 3x3 to {filters}", {"grad_output": gradient, **arguments}, peers, limit="")


def device():
    """V bounds the time. A core owns bands of pixels in the Unified Buffer and adds to them alone, so that sums run in
    one order. It searches a list of all corners of all samples for its bands, and one instruction adds the gradient of
    a sample to all channels of a corner: 36 of them for each position. The samples are also computed once more, for
    the gradients of weights, offset and mask. Half types take as long, because all of this is float32.
    """
    shape = (2, 64, 50, 76)
    for dtype in (torch.float32, torch.float16):
        args = tensors(shape, shape[1], dtype)
        del args["bias"]
        yield {"grad_output": torch.randn(shape).to(dtype), **args}, ""
