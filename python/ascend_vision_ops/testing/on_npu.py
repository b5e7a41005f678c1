# SPDX-License-Identifier: Apache-2.0
"""Runs and times cases on npu tensors, in a process that has torch_npu: on an NPU, or on the simulated device."""

from __future__ import annotations

import ctypes
import statistics
import time

import numpy as np
import torch

from ascend_vision_ops import ops
from ascend_vision_ops.testing.cases import BoundCase
from ascend_vision_ops.testing.run import as_tuple, from_torch, to_torch

CALLS_OF_A_TURN = 10
DEVICE = "npu:0"


def memory_of(array: np.ndarray) -> np.ndarray:
    """Returns the bytes that an array is a view of, its neighbours included where NumPy knows them."""
    whole = array
    while isinstance(whole.base, np.ndarray):
        whole = whole.base
    if whole.flags.c_contiguous:
        return whole.reshape(-1).view(np.uint8)
    first = array.ctypes.data
    spans = ((extent - 1) * stride for extent, stride in zip(array.shape, array.strides, strict=True))
    count = sum(spans) + array.itemsize
    return np.ctypeslib.as_array((ctypes.c_uint8 * count).from_address(first))


class FarView:
    """An npu tensor with the strides of an array, and the bytes around it."""

    def __init__(self, array: np.ndarray) -> None:
        self.array = array
        dtype = to_torch(np.empty(0, array.dtype)).dtype
        if not array.size:
            self.tensor = torch.empty(array.shape, dtype=dtype, device=DEVICE)
            return
        near = memory_of(array)
        self.memory = torch.from_numpy(near.copy()).to(DEVICE)
        first = (array.ctypes.data - near.ctypes.data) // array.itemsize
        strides = [stride // array.itemsize for stride in array.strides]
        self.tensor = self.memory.view(dtype).as_strided(array.shape, strides, first)

    def fetch(self) -> np.ndarray:
        """Copies the bytes back, those around the view too, and returns the array."""
        if self.array.size:
            memory_of(self.array)[...] = self.memory.cpu().numpy()
        return self.array


def far(arguments: dict[str, object]) -> dict[str, object]:
    """Returns the arguments with npu tensors in the place of arrays, of the same strides."""
    return {
        name: FarView(value).tensor if isinstance(value, np.ndarray) else value
        for name, value in arguments.items()
    }


def run(operator: str, arguments: dict[str, object]) -> tuple[np.ndarray, ...]:
    """Calls the torch operator on npu tensors; arguments and results are arrays, those of `out` too."""
    given = {name: value for name, value in arguments.items() if name != "out"}
    function = getattr(ops, operator)
    if "out" not in arguments:
        return tuple(from_torch(result.cpu()) for result in as_tuple(function(**far(given))))
    results = [FarView(array) for array in as_tuple(arguments["out"])]
    tensors = tuple(result.tensor for result in results)
    function(**far(given), out=tensors if len(tensors) > 1 else tensors[0])
    torch.npu.synchronize()
    return tuple(result.fetch() for result in results)


def changed_bits(case: BoundCase) -> list[str]:
    """Calls twice and names the places of results whose bits differ."""
    first, second = (run(case.operator, case.arguments()) for _ in range(2))
    return [
        str(place) for place, (a, b) in enumerate(zip(first, second, strict=True)) if a.tobytes() != b.tobytes()
    ]  # fmt: skip


def timed(function, turns: int) -> dict[str, float]:
    """Times calls, in microseconds, as medians over the turns.

    Returns:
        device_us: a call's share of the time between two events of the stream, with ten calls between them. It is the
            time of the kernels, or that of the way to them where this is longer.
        call_us: one call, from the host's side, until the device is done.
    """
    function()
    torch.npu.synchronize()
    device, calls = [], []
    for _ in range(turns):
        begin, end = torch.npu.Event(enable_timing=True), torch.npu.Event(enable_timing=True)
        begin.record()
        for _ in range(CALLS_OF_A_TURN):
            function()
        end.record()
        torch.npu.synchronize()
        device.append(begin.elapsed_time(end) * 1e3 / CALLS_OF_A_TURN)
        start = time.perf_counter()
        function()
        torch.npu.synchronize()
        calls.append((time.perf_counter() - start) * 1e6)
    return {"device_us": round(statistics.median(device), 3), "call_us": round(statistics.median(calls), 3)}


def times_of(case: BoundCase, turns: int) -> dict[str, float]:
    """Times the torch operator in a case."""
    arguments = far(case.arguments())
    function = getattr(ops, case.operator)
    return timed(lambda: function(**arguments), turns)
