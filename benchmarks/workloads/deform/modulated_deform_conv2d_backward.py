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
    """MTE3 bounds the time. One core owns each slice of channels and adds the gradients of the samples one by one, so
    that sums run in one order. To add them in the Unified Buffer, slices would have to fit there, and samples would
    have to be sorted by slice.
    """
    shape = (2, 64, 50, 76)
    for dtype in (torch.float32, torch.float16):
        args = tensors(shape, shape[1], dtype)
        del args["bias"]
        yield {"grad_output": torch.randn(shape).to(dtype), **args}, ""
