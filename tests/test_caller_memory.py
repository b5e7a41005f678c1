# SPDX-License-Identifier: Apache-2.0
"""Tensors of a C caller that share memory, or whose sizes no int64 counts: the first phase refuses them. The program of
tests/npu_entries shows the same of the npu target.
"""

from __future__ import annotations

import ctypes
import functools
import itertools
import operator
import random
from pathlib import Path

import pytest

import ascend_vision_ops

FLOAT, INT64, ND = 0, 9, 2
LIBRARIES = Path(ascend_vision_ops.__file__).parent / "lib"
SHAPE, ROWS = (2, 3), (3, 1)
BYTES = 4096


@functools.cache
def library(name: str) -> ctypes.CDLL:
    return ctypes.CDLL(str(LIBRARIES / f"lib{name}.so"))


@pytest.fixture(scope="module")
def memory():
    """Memory of the simulated device."""
    runtime, address = library("ascendcl"), ctypes.c_void_p()
    runtime.aclInit(None)
    assert runtime.aclrtSetDevice(0) == 0
    assert runtime.aclrtMalloc(ctypes.byref(address), ctypes.c_size_t(BYTES), 0) == 0
    yield address.value
    assert runtime.aclrtFree(address) == 0


def tensor(dtype: int, address: int, shape=SHAPE, strides=ROWS, offset: int = 0) -> ctypes.c_void_p:
    """An aclTensor; it lives until the process ends."""
    create = library("nnopbase").aclCreateTensor
    create.restype = ctypes.c_void_p
    sizes, steps = (ctypes.c_int64 * len(shape))(*shape), (ctypes.c_int64 * len(shape))(*strides)
    rank, place = ctypes.c_uint64(len(shape)), ctypes.c_int64(offset)
    made = create(sizes, rank, dtype, steps, place, ND, sizes, rank, ctypes.c_void_p(address))
    assert made
    return ctypes.c_void_p(made)


def first_phase(self, values, indices) -> tuple[int, str]:
    """What aclnnCummaxGetWorkspaceSize returns, and its message."""
    size, executor = ctypes.c_uint64(), ctypes.c_void_p()
    function = library("cust_opapi").aclnnCummaxGetWorkspaceSize
    code = function(self, ctypes.c_int64(1), values, indices, ctypes.byref(size), ctypes.byref(executor))
    if code == 0:
        library("nnopbase").aclDestroyAclOpExecutor(executor)
        return 0, ""
    message = library("ascendcl").aclGetRecentErrMsg
    message.restype = ctypes.c_char_p
    return code, message().decode()


def test_results_with_memory_of_their_own(memory):
    assert first_phase(tensor(FLOAT, memory), tensor(FLOAT, memory + 24), tensor(INT64, memory + 48)) == (
        0,
        "",
    )


def test_interlocking_views(memory):
    even, odd = (tensor(FLOAT, memory, strides=(6, 2), offset=offset) for offset in (0, 1))
    assert first_phase(even, odd, tensor(INT64, memory + 64)) == (0, "")


@pytest.mark.parametrize("offset", [0, 8])
def test_a_result_in_its_input(memory, offset):
    code, message = first_phase(
        tensor(FLOAT, memory), tensor(FLOAT, memory + offset), tensor(INT64, memory + 64)
    )
    assert code == 161002
    assert "valuesOut: expected memory of its own, got some that self lies in" in message


def test_two_results_in_one_place(memory):
    code, message = first_phase(tensor(FLOAT, memory), tensor(FLOAT, memory + 64), tensor(INT64, memory + 64))
    assert code == 161002
    assert "valuesOut: expected memory of its own, got some that indicesOut lies in" in message


def bytes_of(size: int, address: int, strides: tuple[int, ...]) -> list[int]:
    """The addresses of all bytes of a view of SHAPE, some of them several times."""
    places = itertools.product(*map(range, SHAPE))
    firsts = [address + size * sum(map(operator.mul, place, strides)) for place in places]
    return [first + byte for first in firsts for byte in range(size)]


def test_any_two_views(memory):
    """What the function finds is compared with lists of all bytes."""
    rng, seen = random.Random(0), set()
    for _ in range(500):
        views = []
        for dtype, size in ((FLOAT, 4), (INT64, 8)):
            strides = tuple(rng.choice([0, 1, 2, 3, 4, 6, 7, 9]) for _ in SHAPE)
            views.append((dtype, size, memory + 64 + 8 * rng.randrange(12), strides))
        places = [bytes_of(size, address, strides) for _, size, address, strides in views]
        apart = len({*places[0], *places[1]}) == len(places[0]) + len(places[1])
        made = [tensor(dtype, address, strides=strides) for dtype, _, address, strides in views]
        code, message = first_phase(tensor(FLOAT, memory), *made)
        assert code == (0 if apart else 161002), (views, message)
        seen.add(code)
    assert len(seen) == 2


def test_views_that_interlock_over_too_many_bytes(memory):
    """Nobody looks at each byte of 100 GB; a result that steps over its other dimensions needs no look."""
    wide = tensor(FLOAT, memory, strides=(2**34, 2**34 - 1))
    code, message = first_phase(tensor(FLOAT, memory), wide, tensor(INT64, memory + 64))
    assert code == 161002 and "valuesOut: expected elements with memory of their own" in message
    wide = tensor(FLOAT, memory + 64, strides=(2**36, 2**34))
    assert first_phase(tensor(FLOAT, memory), wide, tensor(INT64, memory + 128)) == (0, "")


def test_a_result_that_overlaps_itself(memory):
    folded = tensor(INT64, memory + 64, strides=(1, 1))
    code, message = first_phase(tensor(FLOAT, memory), tensor(FLOAT, memory + 32), folded)
    assert code == 161002
    assert "indicesOut: expected elements with memory of their own" in message


def test_tensors_without_an_address_yet(memory):
    """As the first phase gets them where aclSetOutputTensorAddr sets addresses later."""
    assert first_phase(tensor(FLOAT, memory), tensor(FLOAT, 0), tensor(INT64, 0)) == (0, "")


@pytest.mark.parametrize(
    ("shape", "strides", "offset"),
    [
        ((2**62, 3, 4), (12, 4, 1), 0),
        ((2**32, 2**32, 1), (0, 0, 0), 0),
        ((2, 3), (2**62, 1), 0),
        ((2, 3), (3, 1), 2**62),
        ((2, 3), (3, 1), 2**63 - 1),
    ],
)
def test_more_bytes_than_an_int64_counts(memory, shape, strides, offset):
    huge = tensor(FLOAT, memory, shape, strides, offset)
    code, message = first_phase(huge, tensor(FLOAT, memory + 64), tensor(INT64, memory + 128))
    assert code == 161002
    assert "self: expected fewer than 2^63 bytes" in message


def test_an_empty_tensor_counts_nothing(memory):
    empty = [tensor(dtype, memory, (2**62, 0, 4), (4, 4, 1)) for dtype in (FLOAT, FLOAT, INT64)]
    assert first_phase(*empty) == (0, "")
