# SPDX-License-Identifier: Apache-2.0
"""Operators that torch_npu calls by type, with values in attributes and in inputs on the host, against ATen's."""

from __future__ import annotations

import pytest
import torch
import torch_npu
from test_processes import script


@pytest.mark.parametrize("order", [(2, 0, 1), (0, 1, 2), (1, 2, 0)], ids=str)
def test_transpose(npu, order):
    x = torch.rand(2, 3, 4)
    assert torch.equal(torch_npu.npu_transpose(x.to(npu), order).cpu(), x.permute(order))


def test_products_of_matrices(npu):
    a, b = torch.rand(3, 4, 5), torch.rand(3, 6, 5)
    result = torch_npu.npu_bmmV2(a.to(npu), b.to(npu).transpose(1, 2), [])
    torch.testing.assert_close(result.cpu(), a @ b.mT)


@pytest.mark.parametrize("groups", [1, 2])
@pytest.mark.parametrize("biased", [True, False])
def test_convolution_and_its_gradients(npu, biased, groups):
    x, weight = torch.rand(2, 4, 7, 8), torch.rand(6, 4 // groups, 3, 2)
    bias = torch.rand(6) if biased else None
    stride, padding, dilation = [2, 1], [1, 0], [1, 2]
    want = torch.conv2d(x, weight, bias, stride, padding, dilation, groups)
    far = [value if value is None else value.to(npu) for value in (x, weight, bias)]
    got = torch_npu.npu_conv2d(*far, stride, padding, dilation, groups)
    torch.testing.assert_close(got.cpu(), want)

    grad, wanted = torch.rand_like(want), [True, True, biased]
    wants = torch.ops.aten.convolution_backward(
        grad, x, weight, [6], stride, padding, dilation, False, [0, 0], groups, wanted
    )
    gots = torch.ops.npu.npu_conv2d_backward(
        far[0], grad.to(npu), far[1], stride, padding, dilation, groups, wanted
    )
    for ours, theirs in zip(gots[: 2 + biased], wants, strict=False):
        torch.testing.assert_close(ours.cpu(), theirs)


@pytest.mark.parametrize("dims", [{}, {"dim": 1}, {"dim": (0, 2), "keepdim": True}], ids=str)
@pytest.mark.parametrize("order", [0.5, -1.0, 2.5, 4.0])
def test_norms_of_any_order(npu, order, dims):
    """torch_npu calls aclnnNorm for the orders 0, 1, 2, 3 and both infinities only, where CANN is older than 9.0."""
    x = torch.randn(2, 3, 4)
    torch.testing.assert_close(torch.norm(x.to(npu), order, **dims).cpu(), torch.norm(x, order, **dims))


@pytest.mark.parametrize("amsgrad", [False, True])
@pytest.mark.parametrize("maximize", [False, True])
def test_a_step_of_adamw(npu, maximize, amsgrad):
    start, grad = torch.rand(4, 5), torch.rand(4, 5)
    weight = torch.nn.Parameter(start.clone())
    optimiser = torch.optim.AdamW([weight], lr=0.01, weight_decay=0.1, maximize=maximize, amsgrad=amsgrad)
    far, *moments, largest = start.to(npu), *(torch.zeros(4, 5).to(npu) for _ in range(3))
    for step in (1, 2, 3):
        weight.grad = grad / step
        optimiser.step()
        powers = 0.9**step, 0.999**step
        torch_npu.npu_apply_adam_w(
            *powers, 0.01, 0.1, 0.9, 0.999, 1e-8, weight.grad.to(npu), largest if amsgrad else None,
            amsgrad, maximize, out=(far, *moments),
        )  # fmt: skip
    torch.testing.assert_close(far.cpu(), weight.detach())


PACKED_BOTH_WAYS = """
import torch_npu
layer = torch.nn.LSTM(6, 5, bidirectional=True).npu()
layer(torch.nn.utils.rnn.pack_padded_sequence(torch.rand(4, 3, 6).npu(), [4, 2, 1]))[0].data.cpu()
"""


def test_an_attribute_that_is_not_simulated_is_refused():
    # Without torch_npu's queue: at the end of a process, its other thread may be too late with an error.
    done = script(PACKED_BOTH_WAYS, TASK_QUEUE_ENABLE="0")
    assert done.returncode != 0
    assert "direction: expected UNIDIRECTIONAL, got REDIRECTIONAL, which is not simulated" in done.stderr
