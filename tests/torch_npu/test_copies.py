# SPDX-License-Identifier: Apache-2.0
"""Copies of views between devices, and torch_npu's functions for the operators that make them."""

from __future__ import annotations

import pytest
import torch
import torch_npu

VIEWS = {
    "whole": lambda x: x,
    "transposed": lambda x: x.transpose(0, 2),
    "permuted": lambda x: x.permute(1, 2, 0, 3),
    "expanded": lambda x: x[:, :1].expand(-1, 5, -1, -1),
    "one element": lambda x: x[0, 0, 0, 0].expand(3, 7),
    "narrowed": lambda x: x[:, 1:3],
    "part of two": lambda x: x[1:, :, 2:],
    "steps": lambda x: x[::2, :, 1::2],
    "selected": lambda x: x[:, 2],
    "last column": lambda x: x[..., 3],
    "diagonal": lambda x: x.diagonal(0, 1, 2),
    "windows": lambda x: x.flatten().unfold(0, 9, 4),
    "part of a transposed one": lambda x: x.transpose(1, 3)[:, 1:, ::2],
    "far rows": lambda x: x.expand(80, 3, 4, 5, 4).contiguous().transpose(0, 4)[..., :5],
    "empty": lambda x: x[:, :0],
}
DTYPES = [torch.float32, torch.float16, torch.int64, torch.uint8, torch.bool]


def values(dtype):
    return (torch.arange(240).reshape(3, 4, 5, 4) % 11).to(dtype)


@pytest.mark.parametrize("dtype", DTYPES, ids=str)
@pytest.mark.parametrize("view", VIEWS)
def test_a_view_goes_to_another_device(npu, view, dtype):
    x = values(dtype)
    result = VIEWS[view](x.to(npu)).to("npu:1")
    assert result.device.index == 1
    assert torch.equal(result.cpu(), VIEWS[view](x))


@pytest.mark.parametrize("dtype", DTYPES, ids=str)
@pytest.mark.parametrize("target", ["transposed", "narrowed", "steps", "selected", "last column"])
def test_a_view_on_another_device_is_written_and_nothing_else(npu, target, dtype):
    base, source = values(dtype), VIEWS[target](values(dtype).flip(0))
    there = base.to("npu:1")
    VIEWS[target](there).copy_(source.to(npu))
    VIEWS[target](base).copy_(source)
    assert torch.equal(there.cpu(), base)


@pytest.mark.parametrize("first", [0, 1], ids=["first half", "second half"])
@pytest.mark.parametrize("view", VIEWS)
def test_a_view_fills_a_part_of_a_tensor_on_another_device(npu, view, first):
    """DataParallel gathers results so: torch_npu describes such a part with the shape of the whole tensor."""
    source = VIEWS[view](values(torch.float32))
    halves = torch.full((2, *source.shape), -1.0)
    there = halves.to("npu:1")
    there[first].copy_(VIEWS[view](values(torch.float32).to(npu)))
    halves[first].copy_(source)
    assert torch.equal(there.cpu(), halves)


def test_a_dtype_changes_on_the_way(npu):
    x = torch.randn(4, 6)
    assert torch.equal(x.to(npu).t().to("npu:1", torch.float16).cpu(), x.t().half())


def test_both_devices_wait_for_the_copy(npu):
    x = torch.randn(40, 30)
    for _ in range(20):
        there = (x.to(npu) * 2).t().to("npu:1") + 1
        assert torch.equal(there.to(npu).cpu(), (x * 2).t() + 1)


def test_data_parallel_with_an_expanded_gradient(npu):
    """The gradient of sum() is an expanded tensor, which DataParallel hands to both devices."""
    torch.manual_seed(0)
    layer, x = torch.nn.Linear(4, 3), torch.randn(6, 4)
    far = torch.nn.DataParallel(torch.nn.Linear(4, 3).to(npu), device_ids=[0, 1])
    far.module.load_state_dict(layer.state_dict())
    far(x.to(npu)).sum().backward(), layer(x).sum().backward()
    torch.testing.assert_close(far.module.weight.grad.cpu(), layer.weight.grad)


def test_the_functions_of_torch_npu(npu):
    x = values(torch.float32)
    y = x.to(npu)
    column = x[:, :, :1, :1]
    results = {
        "npu_transpose": (torch_npu.npu_transpose(y, [2, 0, 3, 1]), x.permute(2, 0, 3, 1)),
        "npu_broadcast": (torch_npu.npu_broadcast(column.to(npu), [3, 4, 2, 6]), column.expand(3, 4, 2, 6)),
        "npu_slice": (torch_npu.npu_slice(y, [0, 1, 2, 0], [3, 2, 3, 4]), x[:, 1:3, 2:5]),
        "npu_stride_copy": (
            torch_npu.npu_stride_copy(y, [3, 5], [2, 7], 4),
            x.as_strided([3, 5], [2, 7], 4),
        ),
        "npu_indexing": (
            torch_npu.npu_indexing(y, [0, 1, 0, 3], [3, 4, 5, 4], [2, 1, 3, 1]),
            x[::2, 1:4, ::3, 3:4],
        ),
    }
    for name, (result, expected) in results.items():
        assert torch.equal(result.cpu(), expected), name
