# SPDX-License-Identifier: Apache-2.0
"""Compares the cube unit with NumPy: products of fractals that a test lays out, and products of rows."""

from __future__ import annotations

import numpy as np
import pytest

from .harness import BFLOAT16, BITS, COUNT, Global, clean, fault, poisoned, run, same

FLOATS = ["float16", BFLOAT16, "float32"]


def whole(shape, dtype, seed):
    """Returns small whole numbers: their products and sums are exact in every order."""
    return np.random.default_rng(seed).integers(-4, 5, shape).astype(np.float32).astype(dtype)


def fractals(matrix, rows, columns, *, row_major_inside=True, row_major_outside=True):
    """Returns the bytes of a matrix as fractals of rows x columns, with zeros beyond its edges."""
    m, n = (-(-size // step) for size, step in zip(matrix.shape, (rows, columns), strict=True))
    padded = np.zeros((m * rows, n * columns), matrix.dtype)
    padded[: matrix.shape[0], : matrix.shape[1]] = matrix
    blocks = padded.reshape(m, rows, n, columns).transpose(0, 2, 1, 3)
    if not row_major_inside:
        blocks = blocks.swapaxes(2, 3)
    if not row_major_outside:
        blocks = blocks.swapaxes(0, 1)
    return np.ascontiguousarray(blocks).reshape(-1)


def nz(matrix, c0):
    return fractals(matrix, 16, c0, row_major_outside=False)


def load(square=0, start=0, repeats=1, stride=1, gap=0, last=0, mode=0):
    return [square, start, repeats, stride, gap, last, mode]


def product(a_l1, b_l1, shape, load_a, load_b, *, dtype, align=0):
    m, n, k = shape
    result = np.int32 if np.dtype(dtype) == np.int8 else np.float32
    buffers = [Global(a_l1), Global(b_l1), Global(poisoned((m, n), result))]
    return clean("RawProduct", buffers, dtype=dtype, ints=[m, n, k, align, *load_a, *load_b])[2]


def expected(a, b):
    if a.dtype == np.int8:
        return a.astype(np.int32) @ b.astype(np.int32)
    return (a.astype(np.float64) @ b.astype(np.float64)).astype(np.float32)


@pytest.mark.parametrize("dtype", [*FLOATS, "int8"])
@pytest.mark.parametrize("m,n,k", [(16, 16, 32), (16, 48, 64), (7, 5, 32), (16, 33, 96), (9, 16, 17)])
def test_a_row_of_fractals_times_fractals_of_columns(dtype, m, n, k):
    c0 = 32 // np.dtype(dtype).itemsize
    a, b = whole((m, k), dtype, 1), whole((k, n), dtype, 2)
    depth, columns = -(-k // c0), -(-n // 16)
    # A: its one row of fractals is the same in NZ and ZZ. B: as rows of its transpose, NZ is ZN.
    got = product(
        nz(a, c0), nz(b.T, c0), (m, n, k), load(repeats=depth), load(repeats=depth * columns), dtype=dtype
    )
    same(got, expected(a, b))


def test_start_stride_and_gap_choose_fractals():
    a, b = whole((16, 32), "float16", 3), whole((32, 16), "float16", 4)
    others = whole((6, 256), "float16", 5)
    parts = nz(a, 16).reshape(2, 256)
    l1 = np.concatenate([others[:1], parts[:1], others[1:3], parts[1:], others[3:]])
    got = product(
        l1, nz(b.T, 16), (16, 16, 32), load(start=1, repeats=2, stride=3), load(repeats=2), dtype="float16"
    )
    same(got, expected(a, b))
    # The same backwards, and with one fractal for both repeats.
    l1 = np.concatenate([others[:1], parts[1:], others[1:2], parts[:1]])
    got = product(
        l1,
        nz(b.T, 16),
        (16, 16, 32),
        load(start=3, repeats=2, stride=2, mode=1),
        load(repeats=2),
        dtype="float16",
    )
    same(got, expected(a, b))
    got = product(
        parts[:1], nz(b.T, 16), (16, 16, 32), load(repeats=2, stride=0), load(repeats=2), dtype="float16"
    )
    same(got, expected(np.tile(a[:, :16], 2), b))


def test_gaps_leave_fractals_between():
    # B of 32 x 32: with a gap of one a load fills every second column of fractals, two loads one after the other
    # would fill all. The half that nobody wrote is reported.
    a, b = whole((16, 32), "float16", 3), whole((32, 32), "float16", 4)
    ints = [16, 32, 32, 0, *load(repeats=2), *load(repeats=2, gap=1)]
    buffers = [Global(nz(a, 16)), Global(nz(b.T, 16)), Global(poisoned((16, 32), "float32"))]
    fault("Mmad", "RawProduct", buffers, dtype="float16", ints=ints)
    # Columns 0..15 of the result are those of the fractals that were loaded.
    got = run("RawProduct", buffers, dtype="float16", ints=ints)[0][2]
    loaded = nz(b.T, 16).reshape(4, 16, 16)[:2]
    same(got[:, :16], expected(a, np.concatenate([fractal.T for fractal in loaded])))


def test_one_row_is_read_as_it_lies():
    # With m = 1 the left factor is a row of k values, not fractals.
    a, b = whole((1, 80), "float16", 23), whole((80, 20), "float16", 24)
    row = np.zeros(256, np.float16)
    row[:80] = a
    got = product(row, nz(b.T, 16), (1, 20, 80), load(), load(repeats=10), dtype="float16")
    same(got, expected(a, b))


@pytest.mark.parametrize("dtype", ["float16", BFLOAT16])
@pytest.mark.parametrize("square", [0, 1])
def test_transposed_fractals_of_two_bytes(dtype, square):
    # A from its transpose (k x m), B from its rows (k x n): the load transposes each fractal.
    m, n, k = 16, 32, 48
    a, b = whole((m, k), dtype, 5), whole((k, n), dtype, 6)
    turn = {"square": square, "last": 0 if square else 1}
    b_zz = fractals(b, 16, 16)
    got = product(nz(a.T, 16), b_zz, (m, n, k), load(repeats=3, **turn), load(repeats=6, **turn), dtype=dtype)
    same(got, expected(a, b))


def test_transposed_squares_of_four_bytes():
    # Two fractals of 16 x 8 make a square. From rows of fractals (ZZ) of B (k x n) a repeat loads one square, along n.
    m, n, k = 16, 48, 16
    a, b = whole((m, k), "float32", 7), whole((k, n), "float32", 8)
    squares = load(square=1, repeats=3, gap=0, last=2)
    same(
        product(nz(a, 8), fractals(b, 16, 8), (m, n, k), load(repeats=2), squares, dtype="float32"),
        expected(a, b),
    )
    # A from its transpose (k x m = 32 x 16): a square for each 16 of k; 40 of k reach into a third.
    a, b = whole((16, 40), "float32", 9), whole((40, 16), "float32", 10)
    got = product(
        fractals(a.T, 16, 8),
        nz(b.T, 8),
        (16, 16, 40),
        load(square=1, repeats=3, gap=1),
        load(repeats=5),
        dtype="float32",
        align=1,
    )
    same(got, expected(a, b))


def test_transposed_squares_of_one_byte():
    # Two 16 x 32 below each other make a square: columns of fractals (NZ) of B (k x n = 32 x 64).
    m, n, k = 16, 64, 32
    a, b = whole((m, k), "int8", 11), whole((k, n), "int8", 12)
    got = product(nz(a, 32), nz(b, 32), (m, n, k), load(), load(square=1, repeats=2, gap=1), dtype="int8")
    same(got, expected(a, b))


@pytest.mark.parametrize("dtype", FLOATS)
@pytest.mark.parametrize("out", ["float32", "float16", BFLOAT16])
@pytest.mark.parametrize(
    "m,n,k,step", [(16, 16, 16, 16), (64, 96, 128, 64), (33, 50, 70, 32), (2, 40, 100, 64), (130, 17, 24, 8)]
)
def test_rows_times_rows(dtype, out, m, n, k, step):
    if np.dtype(dtype).itemsize == 2 and step % 16:
        step = 16
    a, b = whole((m, k), dtype, 13), whole((n, k), dtype, 14)
    buffers = [Global(a), Global(b), Global(poisoned((m, n), out))]
    got = clean("RowProduct", buffers, dtype=dtype, dtype2=out, ints=[m, n, k, step, 0, 0])[2]
    same(got, expected(a, b.T).astype(out))


def test_bias_and_relu():
    m, n, k = 20, 40, 48
    a, b, bias = whole((m, k), "float16", 15), whole((n, k), "float16", 16), whole(n, "float32", 17)
    buffers = [Global(a), Global(b), Global(poisoned((m, n), "float32")), Global(bias)]
    got = clean("RowProduct", buffers, dtype="float16", dtype2="float32", ints=[m, n, k, 32, 1, 1])[2]
    same(got, np.maximum(expected(a, b.T) + bias, 0))


def test_hf32_rounds_the_factors():
    b = np.random.default_rng(18).standard_normal((16, 8)).astype(np.float32)
    unit = np.eye(16, 8, dtype=np.float32)
    for form in (COUNT, BITS):
        buffers = [Global(unit), Global(b), Global(poisoned((16, 16), "float32"))]
        got = clean(
            "RowProduct", buffers, dtype="float32", dtype2="float32", form=form, ints=[16, 16, 8, 8, 0, 0]
        )[2]
        bits = b.view(np.uint32).astype(np.uint64)
        rounded = ((bits + 0x7FF + ((bits >> 12) & 1)) & 0xFFFFF000).astype(np.uint32).view(np.float32)
        same(got[:8], (rounded if form == BITS else b).T)


@pytest.mark.parametrize("split", [0, 1])
def test_fixpipe_leaves_fractals_as_they_are(split):
    a, b = whole((32, 16), "float16", 19), whole((16, 48), "float16", 20)
    buffers = [Global(fractals(a, 16, 16)), Global(nz(b.T, 16)), Global(poisoned(32 * 48, "float32"))]
    got = clean("NzOut", buffers, ints=[32, 48, split])[2]
    same(got, nz(expected(a, b), 8 if split else 16))


def test_fixpipe_to_l1():
    a, b = whole((32, 16), "float16", 21), whole((16, 48), "float16", 22)
    buffers = [Global(fractals(a, 16, 16)), Global(nz(b.T, 16)), Global(poisoned(32 * 48, "float16"))]
    got = clean("NzOut", buffers, form=BITS, ints=[32, 48, 0])[2]
    same(got, nz(expected(a, b).astype(np.float16), 16))


def test_vector_cores_and_the_cube_core_of_a_block_take_turns():
    a, b = whole((32, 32), "float32", 25), whole((32, 32), "float32", 26)
    buffers = [Global(a), Global(b), *(Global(poisoned((32, 32), "float32")) for _ in range(3))]
    same(clean("MixedProduct", buffers)[2], 2 * expected(a + 1, b.T))
