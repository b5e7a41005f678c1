# SPDX-License-Identifier: Apache-2.0
"""Copies and the scalar unit, against NumPy."""

import math

import numpy as np
import pytest

from tests.sim.api.harness import BFLOAT16, Global, poisoned, run, same

from .model import PROGRAM, clean, fault

MASK = [0, 0]


def data(count, seed=0):
    return np.random.default_rng(seed).integers(0, 256, count, np.uint8)


@pytest.mark.parametrize("name", ["copy_gm_to_ubuf", "copy_ubuf_to_gm", "copy_ubuf_to_ubuf"])
def test_blocks_with_gaps(name):
    """Three bursts of two data blocks, with a gap of one block in src and of three in dst."""
    source, dst = data(3 * 96), poisoned(3 * 160, "uint8")
    want = dst.copy()
    for burst in range(3):
        want[burst * 160 :][:64] = source[burst * 96 :][:64]
    buffers = [
        Global(dst) if name.endswith("gm") else dst,
        Global(source) if name.startswith("copy_gm") else source,
    ]
    got, *_ = clean(name, buffers, ints=[*MASK, 3, 2, 1, 3])
    same(got, want)


def test_a_hint_that_disables_the_l2_cache():
    source = data(4096)
    traffic = []
    for hint in (0, 1):
        buffers = [poisoned(4096, "uint8"), Global(source)]
        (got, _), faults, report = run("l2_hint", buffers, ints=[*MASK, 128, hint], program=PROGRAM)
        assert not faults, faults
        same(got, source)
        traffic.append(report["hbm_read_bytes"])
    assert traffic[1] == traffic[0] + 4096


def test_a_copy_leaves_its_allocation():
    fault(
        "allocation",
        "copy_gm_to_ubuf",
        [poisoned(4096, "uint8"), Global(data(64))],
        ints=[*MASK, 1, 128, 0, 0],
    )


@pytest.mark.parametrize(("bits", "length"), [(8, 21), (16, 22), (32, 20)])
@pytest.mark.parametrize("padding", [(0, 0), (1, 0), (2, 1)])
def test_padding_by_the_register(bits, length, padding):
    """All of a row that was not copied gets the value, up to the end of its last data block, if it has padding."""
    size = bits // 8
    left, right = padding
    row = -(-((left + right) * size + length) // 32) * 32
    value = 0x1234_5678_9ABC_DE42
    element = np.array([value], np.uint64).view(np.uint8)[:size]
    source, dst = data(2 * (length + 5)), poisoned(2 * (row + 32), "uint8")
    want = dst.copy()
    for burst in range(2):
        copied = source[burst * (length + 5) :][:length]
        line = np.tile(element if left or right else copied[:size], row // size)
        line[left * size :][:length] = copied
        want[burst * (row + 32) :][:row] = line
    ints = [*MASK, 2, length, 5, 1, left, right, 1, value]
    got, *_ = clean(f"copy_gm_to_ubuf_align_b{bits}", [dst, Global(source)], ints=ints)
    same(got, want)


def test_rows_to_global_memory():
    source, dst = data(3 * 96, 1), poisoned(3 * 40, "uint8")
    want = dst.copy()
    for burst in range(3):
        want[burst * 40 :][:37] = source[burst * 96 :][:37]
    got, *_ = clean("copy_ubuf_to_gm_align_b8", [Global(dst), source], ints=[*MASK, 3, 37, 1, 3])
    same(got, want)


@pytest.mark.parametrize("operation", [0, 1, 2, 3])
@pytest.mark.parametrize("dtype", ["float32", "float16", "bfloat16", "int32", "int16", "int8"])
def test_atomic_copies(dtype, operation):
    """The operation and the type are set by two calls."""
    kind = BFLOAT16 if dtype == "bfloat16" else np.dtype(dtype)
    rng = np.random.default_rng(2)
    old, new = (rng.integers(-50, 50, 33).astype(kind) for _ in range(2))
    want = [new, old + new, np.maximum(old, new), np.minimum(old, new)][operation].astype(kind)
    got, *_ = clean("atomic", [Global(old), new], dtype=kind, ints=[*MASK, new.nbytes, operation])
    same(got, want)


@pytest.mark.parametrize("value", [2.5, -2.5, 3.4999, -0.2, 7.0, 1e12, -1e12, 1 / 3])
def test_conversions_of_one_value(value):
    value = float(np.float32(value))
    away = math.copysign(math.floor(abs(value) + 0.5), value)
    want = [away, math.ceil(value), math.floor(value), round(value)]
    got, *_ = clean("conversions", [Global(np.zeros(5, np.int64))], floats=[value])
    assert got[:4].tolist() == [int(min(max(v, -(2**31)), 2**31 - 1)) for v in want]
    # To odd: a value that half cannot hold takes the neighbour with an odd last bit.
    bits = got[4:].astype(np.uint16)
    if abs(value) < 65504:
        result = float(bits.view(np.float16)[0])
        below, above = (float(np.nextafter(np.float16(result), np.float16(d))) for d in (-np.inf, np.inf))
        assert result == value or (bits[0] & 1 == 1 and below < value < above)


def test_registers_hold_words():
    words = np.array([1, 0xBEEF, 3], np.uint16)
    got, *_ = clean("registers", [Global(np.zeros(5, np.int64)), Global(words)], ints=[*MASK, 12, 34])
    assert got.tolist() == [12, 34, 3, 0, 0xBEEF]
