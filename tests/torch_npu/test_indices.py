# SPDX-License-Identifier: Apache-2.0
"""Indices without elements, dtypes that the device does not have, and operators that are missing."""

from __future__ import annotations

import pytest
import torch
import torch_npu

ALL = slice(None)


def indices(device):
    """Names of indices, which exist on the device."""
    return {
        "empty": torch.empty(0, dtype=torch.long, device=device),
        "one": torch.tensor([1], device=device),
        "none": torch.zeros(3, dtype=torch.bool, device=device),
        "no cell": torch.zeros(3, 4, dtype=torch.bool, device=device),
        "some": torch.tensor([True, False, True], device=device),
        "all": ALL,
    }


PLACES = [
    ("one", "empty"), ("all", "empty"), ("all", "one"), ("one", "one"), ("empty",), ("none",), ("no cell",), ("some",),
    ("some", "one"), ("all", "some"),
]  # fmt: skip


def table(dtype: torch.dtype, device, places) -> torch.Tensor:
    shape = (4, 3) if places[-1] == "some" and len(places) > 1 and places[0] == "all" else (3, 4)
    return (torch.arange(12).reshape(shape) % 5).to(dtype).to(device)


@pytest.mark.parametrize("dtype", [torch.float32, torch.int64, torch.int32, torch.bool], ids=str)
@pytest.mark.parametrize("places", PLACES, ids="-".join)
def test_reads_and_writes(npu, places, dtype):
    def results(device):
        y, index = table(dtype, device, places), tuple(indices(device)[name] for name in places)
        read = y[index].to("cpu", copy=True)
        y[index] = 7
        scalar = y.to("cpu", copy=True)
        y[index] = torch.ones_like(y[index])
        return read, scalar, y.to("cpu", copy=True)

    for ours, theirs in zip(results(npu), results("cpu"), strict=True):
        assert torch.equal(ours, theirs)


EMPTY = {
    "nonzero": lambda device: torch.zeros(3, device=device).nonzero()[:, 0],
    "where": lambda device: torch.where(torch.zeros(3, device=device) > 1)[0],
    "slice": lambda device: torch.arange(4, device=device)[:0],
    "mask": lambda device: torch.zeros(3, dtype=torch.bool, device=device),
}


@pytest.mark.parametrize("dtype", [torch.float32, torch.int64, torch.int32, torch.bool], ids=str)
@pytest.mark.parametrize("empty", EMPTY)
def test_an_empty_result_before_an_index(npu, empty, dtype):
    """An empty index with memory is told from one that is not given, also where self has the dtype of indices."""

    def results(device):
        y, one = table(dtype, device, ("one",)), torch.tensor([1], device=device)
        y[EMPTY[empty](device), one] = 1
        before = y.to("cpu", copy=True)
        y[:, one] = 1
        return before, y.cpu()

    for ours, theirs in zip(results(npu), results("cpu"), strict=True):
        assert torch.equal(ours, theirs)


@pytest.mark.parametrize("dtype", [torch.float32, torch.int64, torch.bool], ids=str)
def test_a_row_for_no_rows(npu, dtype):
    def result(device):
        y = table(dtype, device, ("none",))
        y[indices(device)["none"]] = torch.ones(4, device=device).to(dtype)
        return y.cpu()

    assert torch.equal(result(npu), result("cpu"))


@pytest.mark.parametrize("dtype", [torch.uint16, torch.uint32, torch.uint64], ids=str)
def test_unsigned_dtypes(npu, dtype):
    assert torch.equal(torch.arange(5, device=npu).to(dtype).cpu(), torch.arange(5).to(dtype))


def test_a_dtype_that_the_device_does_not_have_is_refused_before_the_stream_has_it(npu):
    x = torch.ones(3, device=npu)
    with pytest.raises(RuntimeError, match="aclnnInplaceCopy: expected a dtype of torch's CPU operators"):
        x.to(torch.float8_e4m3fn)
    torch.npu.synchronize()
    assert (x + 1).tolist() == [2, 2, 2]


def test_a_missing_operator_raises_under_pytest(npu):
    image, boxes = torch.ones(1, 1, 8, 8, device=npu), torch.ones(2, 5, device=npu)
    with pytest.raises(RuntimeError, match="aten::npu_roi_align needs aclnnROIAlign, which is not simulated"):
        torch_npu.npu_roi_align(image, boxes, 1.0, 2, 2, 2, 0)
