# SPDX-License-Identifier: Apache-2.0
"""Everyday tensors of the unmodified torch_npu wheel."""

from __future__ import annotations

import io

import pytest
import torch

import ascend_vision_ops as avo


@pytest.mark.parametrize("dtype", [torch.float32, torch.float16, torch.bfloat16, torch.int64, torch.bool])
def test_copies_keep_every_bit(npu, dtype):
    x = torch.randn(3, 4, 5).to(dtype)
    assert torch.equal(x.to(npu).cpu(), x)
    assert torch.equal(x.npu().transpose(0, 2)[1:].cpu(), x.transpose(0, 2)[1:])


def test_printing(npu):
    text = repr(torch.arange(3.0, device=npu))
    assert text == "tensor([0., 1., 2.], device='npu:0')"


def test_two_devices():
    assert torch.npu.device_count() == 2
    x = torch.randn(5)
    far = x.npu(1)
    assert far.device.index == 1
    assert torch.equal((far.to("npu:0") + 1).cpu(), x + 1)
    assert avo.cummax(far, 0)[0].device.index == 1


def test_save_and_load(npu):
    file = io.BytesIO()
    torch.save(torch.arange(3.0, device=npu), file)
    file.seek(0)
    assert torch.equal(torch.load(file).cpu(), torch.arange(3.0))


def test_out_of_memory_names_what_was_asked(npu):
    with pytest.raises(torch.OutOfMemoryError, match="Tried to allocate 1024"):
        torch.empty(1 << 40, dtype=torch.uint8, device=npu)


def test_memory_statistics(npu):
    before = torch.npu.memory_allocated()
    x = torch.empty(1 << 20, dtype=torch.uint8, device=npu)
    # torch_npu rounds up, and adds 32 bytes of its own.
    assert before + (1 << 20) <= torch.npu.memory_allocated() <= before + (1 << 20) + 1024
    del x
    assert torch.npu.memory_allocated() == before


def test_pinned_memory(npu):
    x = torch.randn(1000).pin_memory()
    assert x.is_pinned()
    y = x.to(npu, non_blocking=True)
    torch.npu.synchronize()
    assert torch.equal(y.cpu(), x)


def test_events_measure_and_order(npu):
    start, end = (torch.npu.Event(enable_timing=True) for _ in range(2))
    start.record()
    torch.ones(1000, device=npu).sum()
    end.record()
    end.synchronize()
    assert start.elapsed_time(end) >= 0
    assert start.query()


def test_fresh_memory_is_poisoned(npu):
    fresh = torch.empty(1 << 21, dtype=torch.uint8, device=npu)
    assert (fresh.cpu() == 0xA5).all()


def test_random_numbers_repeat_with_the_seed(npu):
    torch.npu.manual_seed(7)
    first = torch.randn(100, device=npu).cpu()
    second = torch.randn(100, device=npu).cpu()
    torch.npu.manual_seed(7)
    assert torch.equal(torch.randn(100, device=npu).cpu(), first)
    assert not torch.equal(first, second)
