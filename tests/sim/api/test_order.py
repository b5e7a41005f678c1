# SPDX-License-Identifier: Apache-2.0
"""Event ids, the data cache of the scalar unit and pointers to GM, on our headers and on CANN's."""

from __future__ import annotations

import numpy as np
import pytest

from .harness import Global, clean, reported, same, values

LINE = 16  # floats of a line of the data cache


def test_a_flag_is_set_again_after_its_wait():
    clean("SetTwice", [], ints=[1])


def test_a_flag_is_set_twice():
    reported(["Flag: ", "MTE2_V with eventID 3 is set already", "missing WaitFlag"], "SetTwice", [], ints=[0])


@pytest.mark.parametrize("tensors", [1, 8])
def test_queues_take_event_ids(tensors):
    clean("EnQueMany", [Global(values("float32", LINE))], ints=[tensors])


def test_queues_take_more_event_ids_than_there_are():
    reported(
        ["Flag: ", "HardEvent::MTE2_V", "7 set by "], "EnQueMany", [Global(values("float32", LINE))], ints=[9]
    )


def test_the_cache_forgets_a_line():
    old, new = np.arange(LINE, dtype=np.float32), np.full(LINE, 7, np.float32)
    got = clean("ReadAfterCopy", [Global(old), new, np.zeros(8, np.float32)], ints=[1])
    same(got[0], new)
    assert got[2][0] == 8


def test_the_cache_holds_an_old_line():
    old, new = np.arange(LINE, dtype=np.float32), np.full(LINE, 7, np.float32)
    reported(
        ["Coherence: ", "GetValue", "which the data cache still holds", "missing DataCacheCleanAndInvalid"],
        "ReadAfterCopy",
        [Global(old), new, np.zeros(8, np.float32)],
        ints=[0],
    )


def test_the_cache_writes_a_line_back():
    got = clean("CopyAfterWrite", [Global(np.zeros(LINE, np.float32)), np.zeros(LINE, np.float32)], ints=[1])
    assert got[1][1] == 2.5


def test_the_cache_holds_a_line_back():
    reported(
        ["Coherence: ", "SetValue", "is in the data cache alone", "missing DataCacheCleanAndInvalid"],
        "CopyAfterWrite",
        [Global(np.zeros(LINE, np.float32)), np.zeros(LINE, np.float32)],
        ints=[0],
    )


def test_a_pointer_to_global_memory():
    numbers = np.arange(LINE, dtype=np.float32)
    got = clean("AddByPointer", [Global(numbers)], ints=[3])[0]
    numbers[3] += 1
    same(got, numbers)


def test_a_pointer_beyond_its_memory():
    reported(
        ["GmBounds: ", "GetValue", "lies in no allocation"],
        "AddByPointer",
        [Global(np.zeros(LINE, np.float32))],
        ints=[LINE],
    )
