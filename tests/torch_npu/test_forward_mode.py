# SPDX-License-Identifier: Apache-2.0
"""Forward-mode differentiation and torch.jit.trace of our operators, on cpu and npu tensors."""

from __future__ import annotations

import pytest
import torch
import torch.nn.functional as F
from torch.autograd import forward_ad

import ascend_vision_ops as avo
from ascend_vision_ops import operators
from ascend_vision_ops.testing import torch_checks as checks
from ascend_vision_ops.testing.run import as_tuple, spec_of
from ascend_vision_ops.testing.torch_calls import example

# Ours, torch's, and the shape of the input.
LINEAR = {
    "upsample_linear1d": (
        lambda x: avo.upsample_linear1d(x, [13]), lambda x: F.interpolate(x, 13, mode="linear"), (2, 3, 8)
    ),
    "avg_pool2d": (lambda x: avo.avg_pool2d(x, 2), lambda x: F.avg_pool2d(x, 2), (2, 3, 6, 8)),
}  # fmt: skip
DIFFERENTIABLE = [name for name in operators() if spec_of(name).backward]
DEVICES = pytest.mark.parametrize("device", ["cpu", "npu"])


def dual(function, x, tangent):
    with forward_ad.dual_level():
        return forward_ad.unpack_dual(function(forward_ad.make_dual(x, tangent))).tangent


WAYS = {
    "dual": dual,
    "jvp": lambda function, x, tangent: torch.func.jvp(function, (x,), (tangent,))[1],
    "linearize": lambda function, x, tangent: torch.func.linearize(function, x)[1](tangent),
}


@DEVICES
@pytest.mark.parametrize("way", WAYS)
@pytest.mark.parametrize("name", LINEAR)
def test_tangents(npu, name, way, device):
    ours, theirs, shape = LINEAR[name]
    x, tangent = torch.randn(shape), torch.randn(shape)
    found = WAYS[way](ours, x.to(device), tangent.to(device))
    # Two float32 ways to a source position below 8 differ by 8 eps or less, and so do the weights of both neighbours,
    # whose values are normally distributed and differ by less than 8.
    atol = 8 * 8 * torch.finfo(torch.float32).eps
    torch.testing.assert_close(found.cpu(), WAYS["jvp"](theirs, x, tangent), rtol=1e-5, atol=atol)


@DEVICES
def test_a_hessian(npu, device):
    x = torch.randn(1, 1, 2, 4)
    found = torch.func.hessian(lambda x: avo.avg_pool2d(x, 2).pow(3).sum())(x.to(device))
    wanted = torch.func.hessian(lambda x: F.avg_pool2d(x, 2).pow(3).sum())(x)
    torch.testing.assert_close(found.cpu(), wanted, rtol=1e-4, atol=1e-5)


@DEVICES
@pytest.mark.parametrize("way", WAYS)
def test_an_operator_without_a_second_gradient_refuses_tangents(npu, device, way):
    x = torch.randn(1, 2, 6, 6, device=device)
    with pytest.raises(RuntimeError, match="corner_pool: expected tensors without tangents"):
        WAYS[way](lambda x: avo.corner_pool(x, 0), x, torch.ones_like(x))


@DEVICES
@pytest.mark.parametrize("operator", DIFFERENTIABLE)
def test_trace(npu, operator, device):
    """The check of torch.jit.trace calls the operator again, without gradients."""
    call = checks.on(torch.device(device), example(operator))
    leaves = {name: call.arguments[name].clone().requires_grad_() for name in call.differentiable}
    names = list(leaves)

    class Module(torch.nn.Module):
        def forward(self, *tensors):
            return call.function(*tensors, names=names)

    traced = torch.jit.trace(Module(), tuple(leaves.values()))
    for found, wanted in zip(
        as_tuple(traced(*leaves.values())),
        as_tuple(call.function(*leaves.values(), names=names)),
        strict=True,
    ):
        assert torch.equal(found, wanted)
