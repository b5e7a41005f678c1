# SPDX-License-Identifier: Apache-2.0
"""Products of the cube unit, and the ways of their sums out of L0C: rounded, quantised, in rows and in fractals."""

from __future__ import annotations

import numpy as np
import pytest

from tests.sim.api.harness import BFLOAT16, BITS, COUNT, Global, poisoned, same
from tests.sim.api.test_cube import expected, fractals, nz, whole
from tests.sim.matmul.test_cube_core import sparse_factor

from .model import clean, fault

HF32, TO_ZERO = 1 << 46, 1 << 47  # bits of CTRL
MODES = {"REQ8": 9, "VREQ8": 8, "DEQF16": 11, "VDEQF16": 10, "QF322B8": 24, "VQF322B8": 23}


def factors(a, b):
    """A and B as L0A (rows of fractals) and L0B (rows of transposed fractals) hold them."""
    c0 = 32 // a.dtype.itemsize
    return [Global(fractals(a, 16, c0)), Global(nz(b.T, c0))]


def product(a, b, *, control=0, align=0, twice=0):
    m, k = a.shape
    n = b.shape[1]
    out = poisoned((m, n), np.int32 if a.dtype == np.int8 else np.float32)
    ints = [m, n, k, align, control, twice]
    return clean("mad", [*factors(a, b), Global(out)], dtype=a.dtype, ints=ints)[2]


@pytest.mark.parametrize("dtype", ["float16", BFLOAT16, "float32", "int8"])
@pytest.mark.parametrize("m,n,k", [(16, 16, 32), (48, 32, 64), (20, 33, 32), (7, 5, 40)])
def test_types_of_products(dtype, m, n, k):
    a, b = whole((m, k), dtype, 1), whole((k, n), dtype, 2)
    same(product(a, b), expected(a, b))
    same(product(a, b, twice=1), 2 * expected(a, b))


def halves(elements):
    """Numbers of four bits, two in a byte, the first one in its low half."""
    pairs = elements.reshape(-1, 2).astype(np.uint8) & 0xF
    return pairs[:, 0] | pairs[:, 1] << 4


@pytest.mark.parametrize("m,n,k", [(16, 16, 64), (48, 32, 128), (20, 33, 64)])
def test_factors_of_four_bits(m, n, k):
    rng = np.random.default_rng(9)
    a, b = (rng.integers(-8, 8, shape).astype(np.int8) for shape in ((m, k), (k, n)))
    packed = [Global(halves(fractals(a, 16, 64))), Global(halves(nz(b.T, 64)))]
    got = clean("mad_s4", [*packed, Global(poisoned((m, n), "int32"))], dtype="int8", ints=[m, n, k])[2]
    same(got, expected(a, b))


@pytest.mark.parametrize("m,n,k", [(16, 16, 64), (33, 48, 192)])
def test_sparse_factor(m, n, k):
    a = whole((m, k), "int8", 8)
    b, stored, index = sparse_factor(n, k)
    out = poisoned((m, n), "int32")
    buffers = [Global(fractals(a, 16, 32)), Global(nz(stored, 32)), Global(out), Global(index)]
    got = clean("mad_sp", buffers, dtype="int8", ints=[m, n, k])[2]
    same(got, (a.astype(np.int64) @ b.T).astype(np.int32))


def test_one_row_of_a_is_a_vector():
    a, b = whole((1, 64), "float16", 3), whole((64, 48), "float16", 4)
    vector = np.zeros(512, np.float16)
    vector[:64] = a[0]
    out = poisoned((1, 48), "float32")
    got = clean(
        "mad", [Global(vector), factors(a, b)[1], Global(out)], dtype="float16", ints=[1, 48, 64, 0, 0, 0]
    )
    same(got[2], expected(a, b))


def test_direction_k_aligned():
    """Rows of fractals of float32 have an even number of them, whatever k."""
    a, b = whole((32, 24), "float32", 5), whole((24, 16), "float32", 6)
    padded = np.concatenate([a, np.full((32, 8), 7, np.float32)], axis=1)
    out = poisoned((32, 16), "float32")
    buffers = [Global(fractals(padded, 16, 8)), factors(a, b)[1], Global(out)]
    same(clean("mad", buffers, dtype="float32", ints=[32, 16, 24, 1, 0, 0])[2], expected(a, b))


@pytest.mark.parametrize("control", [0, HF32, HF32 | TO_ZERO])
def test_hf32_by_bits_of_ctrl(control):
    b = np.random.default_rng(7).standard_normal((16, 16)).astype(np.float32)
    b.view(np.uint32)[0, :4] = [0x3F800800, 0x3F801800, 0xBF800800, 0x3F800801]  # ties, and one above a tie
    bits = b.view(np.uint32).astype(np.uint64)
    up = 0x7FF if control & TO_ZERO else 0x7FF + ((bits >> 12) & 1)
    rounded = ((bits + up) & 0xFFFFF000).astype(np.uint32).view(np.float32)
    same(product(np.eye(16, dtype=np.float32), b, control=control), rounded if control else b)


@pytest.mark.parametrize("narrow", [False, True])
def test_sums_start_from_the_bias_table(narrow):
    """The table is read from byte 64 on. Half becomes float on its way there."""
    m, n, k = 20, 64, 32
    a, b = whole((m, k), "float16", 8), whole((k, n), "float16", 9)
    bias = whole(n, "float16" if narrow else "float32", 10) / 4
    buffers = [*factors(a, b), Global(poisoned((m, n), "float32")), Global(bias.astype(bias.dtype))]
    got = clean("mad_biased", buffers, form=BITS if narrow else COUNT, ints=[m, n, k])[2]
    same(got, expected(a, b) + bias.astype(np.float32))


# --- unit flags -------------------------------------------------------------------------------------------------------


def unit_flags(check, *text, of_mad, of_copy, times=1, reset=False):
    a, b = whole((32, 32), "float16", 11), whole((32, 48), "float16", 12)
    buffers = [*factors(a, b), Global(poisoned((32, 48), "float32"))]
    ints = [32, 48, 32, of_mad, of_copy, times]
    return check(*text, "unit_flags", buffers, form=BITS if reset else COUNT, ints=ints), expected(a, b)


def test_unit_flags_order_products_and_copies():
    (_, _, got), want = unit_flags(clean, of_mad=3, of_copy=3)
    same(got, want)
    unit_flags(fault, "nothing orders the two", of_mad=0, of_copy=0)


def test_unit_flags_that_nobody_changes_hang():
    unit_flags(fault, "no Mmad with unitFlag 3", of_mad=2, of_copy=3)
    unit_flags(fault, "no Fixpipe with unitFlag 3", of_mad=3, of_copy=2, times=2)
    unit_flags(fault, "unitFlag must be 0, 2 or 3", of_mad=1, of_copy=0)


def test_set_fpc_makes_the_flags_0():
    """After it the next product may be written, but nothing orders it behind the copy."""
    unit_flags(fault, "nothing orders the two", of_mad=3, of_copy=2, times=2, reset=True)


# --- quantisation -----------------------------------------------------------------------------------------------------


def word(factor, *, shift=0, offset=0, signed=True):
    """shift 0: none; the factor counts with 10 bits of mantissa."""
    bits = int(np.float32(factor).view(np.uint32))
    return bits | (max(shift - 1, 0) << 32) | ((shift > 0) << 36) | ((offset & 0x1FF) << 37) | (signed << 46)


def quantised(sums, words, dtype, relu):
    """What comes out of L0C, computed from the documentation of the words."""
    words = np.array([int(w) for w in words], object)
    factor = np.array([w & 0xFFFFE000 for w in words], np.uint64).astype(np.uint32).view(np.float32)
    values = sums
    if sums.dtype == np.int32:
        shift = np.array([(w >> 32 & 15) + 1 if w >> 36 & 1 else 0 for w in words])
        values = np.where(shift > 0, np.clip(sums >> shift, -32768, 32767), sums)
    values = values.astype(np.float32)
    scaled = np.where((values < 0) & bool(relu), np.float32(0), values * factor)
    if dtype == np.float16:
        return np.clip(scaled, -65504, 65504).astype(np.float16)
    offset = np.array([(w >> 37 & 0x1FF) - ((w >> 45 & 1) << 9) for w in words])
    whole_numbers = np.clip(np.rint(scaled), -256, 255).astype(np.int32) + offset
    return np.clip(whole_numbers, np.iinfo(dtype).min, np.iinfo(dtype).max).astype(dtype)


def quantise(mode, source, dtype, words, *, relu=0, layout=0, m=32, n=64):
    rng = np.random.default_rng(13)
    if source == "int8":
        a, b = (
            rng.integers(-128, 128, (m, 32)).astype(np.int8),
            rng.integers(-128, 128, (32, n)).astype(np.int8),
        )
    else:
        a = (rng.integers(-64, 65, (m, 32)) / 8).astype(np.float16)
        b = (rng.integers(-64, 65, (32, n)) / 8).astype(np.float16)
    table = np.zeros(-(-n // 16) * 16, np.uint64)
    table[: len(words)] = words
    buffers = [*factors(a, b), Global(poisoned((m, n), dtype)), Global(table)]
    ints = [m, n, 32, MODES[mode], words[0], relu, layout]
    got = clean("quantised", buffers, dtype=source, dtype2=dtype, ints=ints)[2]
    used = words if mode.startswith("V") else words[:1] * n
    return got, quantised(expected(a, b), used, np.dtype(dtype), relu)


def words_for(mode, count, *, signed):
    scale = 0.01 if "DEQF16" in mode else 0.004 if "REQ8" in mode else 1.7
    return [
        word(scale * (1 + i / 64), shift=i % 3 if "F322" not in mode else 0, offset=i % 7 - 3, signed=signed)
        for i in range(count)
    ]


@pytest.mark.parametrize("relu", [0, 1])
@pytest.mark.parametrize(
    "mode,source,dtype",
    [(mode, "int8", dtype) for mode in ("REQ8", "VREQ8") for dtype in ("int8", "uint8")]
    + [(mode, "float16", dtype) for mode in ("QF322B8", "VQF322B8") for dtype in ("int8", "uint8")]
    + [(mode, "int8", "float16") for mode in ("DEQF16", "VDEQF16")],
)
def test_quantisation(mode, source, dtype, relu):
    got, want = quantise(mode, source, dtype, words_for(mode, 64, signed=dtype == "int8"), relu=relu)
    same(got, want)
    assert len(np.unique(want)) > 20  # not all are clipped


def test_columns_have_words_of_their_own():
    """The scalar mode takes one word for all columns: with the table of the other test it differs."""
    words = words_for("VREQ8", 64, signed=True)
    (by_column, _), (by_one, _) = (
        quantise("VREQ8", "int8", "int8", words),
        quantise("REQ8", "int8", "int8", words),
    )
    assert (by_column[:, 0] == by_one[:, 0]).all() and (by_column != by_one).any()


@pytest.mark.parametrize("layout", [1, 2])
@pytest.mark.parametrize(
    "mode,source,dtype,c0", [("REQ8", "int8", "int8", 32), ("DEQF16", "int8", "float16", 16)]
)
def test_fractals_of_quantised_results(mode, source, dtype, c0, layout):
    """Of results of one byte, two fractals become one of 16 x 32."""
    got, want = quantise(mode, source, dtype, words_for(mode, 64, signed=True), layout=layout)
    same(got.reshape(-1), nz(want, c0))


def test_one_byte_in_fractals_needs_pairs_of_them():
    buffers = [
        *factors(whole((16, 32), "int8", 1), whole((32, 16), "int8", 2)),
        Global(poisoned((16, 16), "int8")),
    ]
    buffers.append(Global(np.zeros(16, np.uint64)))
    ints = [16, 16, 32, MODES["REQ8"], 0, 0, 1]
    fault("a multiple of 32", "quantised", buffers, dtype="int8", dtype2="int8", ints=ints)


def test_a_mode_for_other_types():
    buffers = [
        *factors(whole((16, 32), "int8", 1), whole((32, 16), "int8", 2)),
        Global(poisoned((16, 16), "int8")),
    ]
    buffers.append(Global(np.zeros(16, np.uint64)))
    fault(
        "quantPre must be",
        "quantised",
        buffers,
        dtype="int8",
        dtype2="int8",
        ints=[16, 16, 32, MODES["QF322B8"], 0, 0, 0],
    )


@pytest.mark.parametrize("dtype,mode", [("float16", 1), (BFLOAT16, 16)])
@pytest.mark.parametrize("relu", [0, 1])
def test_rounded(dtype, mode, relu):
    rng = np.random.default_rng(14)
    a, b = (
        rng.standard_normal((32, 16)).astype(np.float16),
        np.eye(16, 48, dtype=np.float16) * np.float16(1.001),
    )
    out, table = Global(poisoned((32, 48), dtype)), Global(np.zeros(16, np.uint64))
    got = clean("rounded", [*factors(a, b), out, table], dtype2=dtype, ints=[32, 48, 16, mode, 0, relu, 0])[2]
    want = expected(a, b)
    same(got, (np.where(want < 0, np.float32(0), want) if relu else want).astype(dtype))


def test_several_matrices_in_rows():
    """The copy takes three matrices of 16 columns from L0C: ND_PARA says where each of them starts."""
    a, b = whole((16, 16), "float16", 15), whole((16, 48), "float16", 16)
    got = clean(
        "matrices", [*factors(a, b), Global(np.zeros((3, 300), np.float32))], dtype="float16", ints=[300]
    )[2]
    sums = expected(a, b)
    for i in range(3):
        same(got[i, :256].reshape(16, 16), sums[:, 16 * i : 16 * i + 16])
        same(got[i, 256:], np.zeros(44, np.float32))
