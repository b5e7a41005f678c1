# SPDX-License-Identifier: Apache-2.0
"""Compares Matmul on a cube core with NumPy: factors in L1, copies of the kernel, policies, narrow factors."""

from __future__ import annotations

import numpy as np
import pytest

from tests.sim.api.harness import Global, poisoned, same
from tests.sim.api.test_cube import whole

from .test_matmul import SUMS, clean, factors, fault


def multiply(name, buffers, shape, base, *, trans=(0, 0), more=(), dtype="float16", out="float32", rest=()):
    """The result of a case whose third buffer it is. `rest`: buffers behind it."""
    c = Global(poisoned(shape[:2], out))
    return clean(name, [*buffers, c, *rest], dtype=dtype, ints=[*shape, *trans, *base, *more])[2]


@pytest.mark.parametrize(
    "dtype,trans",
    [(dtype, trans) for dtype in ("float16", "int8") for trans in ((0, 0), (0, 1), (1, 0), (1, 1))]
    + [("float32", (0, 1))],
)
@pytest.mark.parametrize("shape", [(64, 96, 128), (50, 75, 100), (1, 40, 64)])
def test_factors_in_l1(dtype, trans, shape):
    want, buffers = factors(shape, dtype, trans)
    got = multiply("CubeInL1", buffers, shape, (32, 32, 32), trans=trans, dtype=dtype, out=SUMS[dtype])
    same(got, want.astype(SUMS[dtype]))


def test_transposed_floats_in_l1_are_refused():
    _, buffers = factors((32, 32, 32), "float32")
    buffers.append(Global(poisoned((32, 32), "float32")))
    ints = [32, 32, 32, 0, 0, 32, 32, 32]
    fault("must come from GM by Matmul", "CubeInL1", buffers, dtype="float32", ints=ints)


@pytest.mark.parametrize("name", ["CubeOwnCopies", "CubeOwnCopiesOfSteps"])
@pytest.mark.parametrize("shape", [(64, 96, 128), (50, 75, 100), (1, 40, 64)])
def test_copies_of_the_kernel(name, shape):
    m, n, k = shape
    wide_a, wide_b = whole((m, k + 16), "float16", 3), whole((k, n + 32), "float16", 4)
    want = wide_a[:, :k].astype(np.float64) @ wide_b[:, :n].astype(np.float64)
    buffers = [Global(wide_a), Global(wide_b)]
    got = multiply(name, buffers, shape, (32, 32, 32), more=(k + 16, n + 32))
    same(got, np.maximum(want, 0).astype(np.float32))


@pytest.mark.parametrize("name,keep", [("CubeUpper", np.less_equal), ("CubeLower", np.greater_equal)])
def test_triangles(name, keep):
    shape, base = (100, 150, 64), (32, 48, 32)
    want, buffers = factors(shape, "float16")
    got = multiply(name, buffers, shape, base)
    tile_m, tile_n = np.ogrid[:100, :150]
    inside = keep(tile_m // 32, tile_n // 48)
    assert 0 < inside.sum() < inside.size
    same(got, np.where(inside, want, poisoned(shape[:2], "float32")).astype(np.float32))


def test_nine_blocks_of_a_change_nothing():
    shape = (96, 200, 96)
    want, buffers = factors(shape, "float16")
    same(multiply("CubeNBuffer33", buffers, shape, (32, 48, 32), more=[3]), want.astype(np.float32))


def test_nine_blocks_are_no_more():
    _, buffers = factors((96, 96, 128), "float16")
    buffers.append(Global(poisoned((96, 96), "float32")))
    ints = [96, 96, 128, 0, 0, 32, 48, 32, 4]
    fault("stepM and stepKa must be at most 3, got 1 and 4", "CubeNBuffer33", buffers, ints=ints)


def test_a_row_of_tiles_in_l0c():
    shape = (32, 128, 64)
    want, buffers = factors(shape, "float16")
    same(multiply("CubeToL0c", buffers, shape, (32, 64, 32)), want.astype(np.float32))


def test_a_bias_that_nobody_sets_takes_no_memory():
    shape = (128, 128, 1024)
    want, buffers = factors(shape, "float16")
    same(multiply("CubeFullL1", buffers, shape, (128, 128, 128)), want.astype(np.float32))


@pytest.mark.parametrize("trans_b", [0, 1])
def test_a_scalar_is_a_row(trans_b):
    shape = (1, 40, 100)
    _, buffers = factors(shape, "float16", (0, trans_b))
    b = buffers[1].array.T if trans_b else buffers[1].array
    want = 3 * b.astype(np.float64).sum(0, keepdims=True)
    got = multiply("CubeScalarA", buffers, shape, (16, 32, 32), trans=(0, trans_b))
    same(got, want.astype(np.float32))


def packed(numbers):
    """Numbers of 4 bits, two in a byte: the first one in the low half."""
    return ((numbers[..., ::2] & 15) | (numbers[..., 1::2] << 4)).astype(np.int8)


@pytest.mark.parametrize("trans_b", [0, 1])
@pytest.mark.parametrize("shape", [(64, 128, 128), (50, 96, 192)])
def test_int4(trans_b, shape):
    m, n, k = shape
    rng = np.random.default_rng(5)
    a, b = rng.integers(-8, 8, (m, k)), rng.integers(-8, 8, (k, n))
    buffers = [Global(packed(a)), Global(packed(b.T if trans_b else b))]
    got = multiply("CubeInt4", buffers, shape, (32, 64, 64), trans=(0, trans_b), dtype="int8", out="int32")
    same(got, (a @ b).astype(np.int32))


def test_int4_of_a_transposed_a_is_refused():
    buffers = [Global(np.zeros((64, 32), np.int8)) for _ in range(2)] + [Global(poisoned((64, 64), "int32"))]
    fault("A of int4b_t cannot be transposed", "CubeInt4", buffers, ints=[64, 64, 64, 1, 0, 64, 64, 64])


def test_int4_of_odd_rows_is_refused():
    buffers = [Global(np.zeros((64, 32), np.int8)), Global(np.zeros(64 * 33, np.int8))]
    buffers.append(Global(poisoned((64, 65), "int32")))
    text = "a row of B in memory must have an even number of elements, got 65"
    fault(text, "CubeInt4", buffers, ints=[64, 65, 64, 0, 0, 64, 64, 64])


@pytest.mark.parametrize("k", [48, 64])
def test_bytes_in_fractals_have_a_multiple_of_16_rows(k):
    shape = (32, 64, k)
    a, b = whole((32, k), "int8", 9), whole((k, 64), "int8", 10)
    buffers = [Global(a), Global(np.ascontiguousarray(b.reshape(k, 2, 32).transpose(1, 0, 2)))]
    got = multiply("CubeNzInt8", buffers, shape, (32, 32, 32), dtype="int8", out="int32")
    same(got, (a.astype(np.int64) @ b).astype(np.int32))


def sparse_factor(n, k):
    """A matrix with at most two values in each four of a row, what is stored of it, and the index in fractals."""
    rng = np.random.default_rng(7)
    matrix = np.zeros((n, k), np.int64)
    stored, index = np.zeros((n, k // 2), np.int8), np.zeros((n, k // 2), np.uint8)
    for row in range(n):
        for four in range(k // 4):
            first, second = sorted(rng.choice(4, 2, replace=False))
            pair = rng.integers(-5, 6, 2)
            matrix[row, four * 4 + first], matrix[row, four * 4 + second] = pair
            stored[row, four * 2 : four * 2 + 2] = pair
            index[row, four * 2 : four * 2 + 2] = first, second - 1
    index = index.reshape(n, k // 8, 4)
    octets = (index << np.array([0, 2, 4, 6], np.uint8)).sum(2).astype(np.uint8)
    rows = -(-n // 16) * 16
    fractals = np.zeros((rows, k // 8), np.uint8)
    fractals[:n] = octets
    return matrix, stored, np.ascontiguousarray(fractals.reshape(rows, k // 64, 8).transpose(1, 0, 2))


@pytest.mark.parametrize("shape", [(32, 64, 128), (50, 75, 192)])
def test_sparse(shape):
    m, n, k = shape
    a = whole((m, k), "int8", 8)
    b, stored, index = sparse_factor(n, k)
    buffers = [Global(a), Global(stored)]
    got = multiply(
        "CubeSparse",
        buffers,
        shape,
        (32, 32, 64),
        trans=(0, 1),
        dtype="int8",
        out="int32",
        rest=[Global(index)],
    )
    same(got, (a.astype(np.int64) @ b.T).astype(np.int32))


def test_a_sparse_factor_must_be_transposed():
    _, stored, index = sparse_factor(32, 64)
    buffers = [
        Global(np.zeros((32, 64), np.int8)),
        Global(stored),
        Global(poisoned((32, 32), "int32")),
        Global(index),
    ]
    fault("a sparse B must be transposed", "CubeSparse", buffers, ints=[32, 32, 64, 0, 0, 32, 32, 64])


def test_a_sparse_product_needs_an_index():
    fault("filter has no index: missing LoadDataWithSparse", "CubeNoIndex", [])
