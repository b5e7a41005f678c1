# SPDX-License-Identifier: Apache-2.0
"""Comparisons into memory and into CMPMASK, and selections in their three modes."""

from __future__ import annotations

import numpy as np
import pytest

from tests.sim.api.harness import BITS, COUNT, Global, same, values

from .model import ALL, BUFFER, DENSE, Lanes, clean, computed, fault, packed

MODES = [np.less, np.greater, np.equal, np.less_equal, np.greater_equal, np.not_equal]


def operands(dtype):
    """Two sources with equal lanes, NaN and zeros of both signs."""
    a = values(dtype, BUFFER // np.dtype(dtype).itemsize, 1)
    b = np.where(np.arange(a.size) % 3 == 0, a, values(dtype, a.size, 2))
    b[5], b[6] = a.dtype.type(0), np.negative(a.dtype.type(0))
    return a, b


def holds(mode, a, b):
    """A comparison with NaN is false, that for not equal too."""
    return MODES[mode](a, b) & (a == a) & (b == b)


@pytest.mark.parametrize("mode", range(6))
@pytest.mark.parametrize("dtype", ["float32", "float16"])
@pytest.mark.parametrize("count", [256, 100, 3])
def test_tensors_counted(dtype, mode, count):
    """In counting mode the counted lanes compare. The last byte has zeros behind them, and the next one stays."""
    a, b = operands(dtype)
    dst = np.full(64, 0x5C, np.uint8)
    got, *_ = clean(
        "vcmpv",
        [dst, a, b],
        dtype=dtype,
        ints=Lanes(COUNT, count).numbers(DENSE, DENSE, DENSE),
        floats=[mode],
    )
    want = dst.copy()
    bits = packed(holds(mode, a[:count], b[:count]))
    want[: bits.size] = bits
    same(got, want)


def test_mask_bits_leave_no_lane_out():
    """In normal mode all lanes of all repeats compare, whatever the mask; strides of the sources count."""
    a, b = operands("float32")
    dst = np.full(64, 0x5C, np.uint8)
    lanes = Lanes(BITS, 0x5, 3)
    got, *_ = clean("vcmpv", [dst, a, b], form=BITS, ints=lanes.numbers(DENSE, (1, 9), (1, 0)), floats=[0])
    want = dst.copy()
    left = np.concatenate([a[r * 72 : r * 72 + 64] for r in range(3)])
    want[:24] = packed(holds(0, left, np.tile(b[:64], 3)))
    same(got, want)


@pytest.mark.parametrize("mode", range(6))
def test_scalar(mode):
    a, _ = operands("float16")
    a[7] = 2.5
    dst = np.full(64, 0x5C, np.uint8)
    got, *_ = clean(
        "vcmpvs",
        [dst, a],
        dtype="float16",
        form=BITS,
        ints=Lanes(BITS, ALL, 2).numbers(DENSE, DENSE),
        floats=[mode, 2.5],
    )
    want = dst.copy()
    want[:32] = packed(holds(mode, a[:256], np.float16(2.5)))
    same(got, want)


def test_integers_compare_for_equality_only():
    a, b = operands("int32")
    dst = np.zeros(64, np.uint8)
    call = {"dtype": "int32", "ints": Lanes(COUNT, 64).numbers(DENSE, DENSE, DENSE)}
    got, *_ = clean("vcmpv", [dst, a, b], floats=[2], **call)
    same(got[:8], packed(a[:64] == b[:64]))
    fault("cmpMode must be EQ", "vcmpv", [dst, a, b], floats=[0], **call)


@pytest.mark.parametrize("form, mask", [(BITS, 0x0F), (COUNT, 4)])
def test_the_mask_registers_stay(form, mask):
    """vadds after a comparison computes the lanes that the mask says."""
    a, b = operands("float32")
    dst = np.zeros(64, np.uint8)
    lanes = Lanes(form, mask)
    _, _, got = clean("vcmpv_then_vadds", [dst, a, b], form=form, ints=lanes.numbers())
    same(got, computed(lanes, lambda a: a + np.float32(100), b, a, strides=[DENSE]))


@pytest.mark.parametrize(
    "lanes", [Lanes(BITS, 0x8000_0000_0000_00F1), Lanes(BITS, ALL), Lanes(COUNT, 20)], ids=str
)
@pytest.mark.parametrize("dtype", ["float32", "float16"])
def test_register(lanes, dtype):
    """Lanes that the mask leaves out keep their bit of the register."""
    a, b = operands(dtype)
    old = np.arange(100, 116, dtype=np.uint8)
    got, *_ = clean(
        "vcmp",
        [np.zeros(16, np.uint8), a, b, old],
        dtype=dtype,
        form=lanes.form,
        ints=lanes.numbers(DENSE, DENSE, DENSE),
        floats=[3],
    )
    bits = np.unpackbits(old, bitorder="little")
    for _, lane in lanes.active(a.itemsize):
        bits[lane] = holds(3, a[lane], b[lane])
    same(got, packed(bits))


SELECTIONS = [Lanes(COUNT, 200), Lanes(BITS, 0x8000_0000_0000_00F1, 3), Lanes(BITS, ALL, 2)]


@pytest.mark.parametrize("mode", [0, 1, 2])
@pytest.mark.parametrize("dtype", ["float32", "float16"])
@pytest.mark.parametrize("lanes", SELECTIONS, ids=str)
def test_select(mode, dtype, lanes):
    """Mode 0: CMPMASK for each repeat. Mode 1: bits for all lanes, or a scalar. Mode 2: bits at an address."""
    a, b = operands(dtype)
    dst = values(dtype, a.size, 3)
    bits = np.random.default_rng(4).integers(0, 256, 128, np.uint8)
    scratch = np.zeros(128, np.uint8)
    got, *_ = clean(
        "vsel",
        [dst, a, b, bits, scratch],
        dtype=dtype,
        form=lanes.form,
        ints=lanes.numbers(DENSE, DENSE, DENSE),
        floats=[mode, 2.5],
    )
    chosen = np.unpackbits(bits, bitorder="little").astype(bool)
    per_repeat = 256 // a.itemsize
    want = dst.copy()
    for r, lane in lanes.active(a.itemsize):
        i = r * per_repeat + lane
        bit = chosen[lane] if mode == 0 else chosen[i]
        want[i] = a[i] if bit else (dst.dtype.type(2.5) if mode == 1 else b[i])
    same(got, want)


def test_set_cmpmask_reads_memory():
    """A copy that may still run fills its source: a hazard between MTE2 and V."""
    fault("SetCmpMask", "set_cmpmask_unordered", [Global(np.zeros(32, np.uint8))])
