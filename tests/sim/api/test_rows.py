# SPDX-License-Identifier: Apache-2.0
"""Compares functions of the high-level API on the rows of a matrix with NumPy and torch."""

from __future__ import annotations

import math

import numpy as np
import pytest
import torch

from .harness import BFLOAT16, Empty, clean, fault, poisoned, same
from .test_lane_math import close

DTYPES = ["float32", "float16"]
# Rows and elements of a row: one, less than a repeat, one more, more repeats than one repeat has results.
SHAPES = [(1, 1), (3, 7), (2, 64), (5, 129), (2, 1000), (1, 5000)]


def padded(dtype, columns):
    per_block = 32 // np.dtype(dtype).itemsize
    return -(-columns // per_block) * per_block


def matrix(dtype, rows, columns, pad=0.0, seed=0):
    """Random rows, and what stands behind them."""
    out = np.full((rows, padded(dtype, columns)), pad, dtype)
    out[:, :columns] = np.random.default_rng(seed).uniform(-4, 4, (rows, columns))
    return out


def results(dtype, count):
    return poisoned(padded(dtype, count), dtype)


def sum_work(dtype, columns):
    lanes = 256 // np.dtype(dtype).itemsize
    return padded(dtype, -(-columns // lanes)) * np.dtype(dtype).itemsize


@pytest.mark.parametrize("shape", SHAPES)
@pytest.mark.parametrize("dtype", DTYPES)
def test_sum(dtype, shape):
    """float16 is summed in float16 by pairs, so that the error grows with the number of halvings."""
    rows, columns = shape
    x = matrix(dtype, rows, columns, np.nan)
    out = results(dtype, rows)
    got = clean(
        "Sum", [out, x, Empty(sum_work(dtype, columns))], dtype=dtype, ints=[rows, x.shape[1], columns]
    )[0]
    scale = np.abs(x[:, :columns].astype(np.float64)).sum(axis=1)
    step = 2.0**-23 if dtype == "float32" else 2.0**-10
    error = np.abs(got[:rows] - x[:, :columns].astype(np.float64).sum(axis=1))
    assert (error <= step * scale).all(), error
    same(got[rows:], out[rows:])


@pytest.mark.parametrize("shape", SHAPES)
@pytest.mark.parametrize("dtype,acc", [("float32", "-"), ("float16", "-"), ("float16", "float32")])
def test_mean(dtype, acc, shape):
    rows, columns = shape
    x = matrix(dtype, rows, columns, np.nan)
    lanes = 256 // np.dtype(dtype if acc == "-" else acc).itemsize
    repeats = math.ceil(columns / lanes)
    work = math.ceil(repeats / 32) * 32 + (0 if acc == "-" else x.shape[1] * 4)
    got = clean(
        "Mean",
        [results(dtype, rows), x, Empty(work)],
        dtype=dtype,
        dtype2=acc,
        ints=[rows, x.shape[1], columns],
    )
    want = x[:, :columns].astype(np.float64).mean(axis=1)
    error = np.abs(got[0][:rows] - want)
    assert (error <= (1e-6 if dtype == "float32" else 2e-3 if acc == "float32" else 2e-2)).all(), error


def test_sum_of_more_than_the_rows_hold():
    x = matrix("float32", 2, 8)
    fault(
        "sumParams.n must be in [1, 8], got 9", "Sum", [results("float32", 2), x, Empty(32)], ints=[2, 8, 9]
    )


def blocks(values, dtype):
    """A data block of equal lanes for each row."""
    return np.repeat(values.astype(dtype)[:, None], 32 // np.dtype(dtype).itemsize, axis=1)


def softmax_work(dtype, stride):
    return 4 * (32 // np.dtype(dtype).itemsize + stride + 64)


SOFTMAX_SHAPES = [(1, 1), (3, 8), (9, 70), (2, 200), (2, 1000)]
KINDS = [("float32", "float32"), ("float16", "float16"), ("float16", "float32")]


@pytest.mark.parametrize("shape", SOFTMAX_SHAPES)
@pytest.mark.parametrize("dtype,block", KINDS)
def test_softmax(dtype, block, shape):
    rows, columns = shape
    x = matrix(dtype, rows, columns)
    stride = x.shape[1]
    one = np.zeros((rows, 32 // np.dtype(block).itemsize), block)
    out, ints = poisoned((rows, stride), dtype), [rows, stride, columns]
    buffers = [
        out,
        poisoned(one.shape, block),
        poisoned(one.shape, block),
        x,
        Empty(softmax_work(dtype, stride)),
    ]
    got = clean("SoftMax", buffers, dtype=dtype, dtype2=block, ints=ints)
    wide = torch.from_numpy(x[:, :columns].astype(np.float64))
    close(got[0][:, :columns], torch.softmax(wide, 1).numpy(), 1e-6, True, dtype)
    top = wide.max(1).values
    sums = torch.exp(wide - top[:, None]).sum(1)
    same(got[2], blocks(top.numpy(), block))
    close(got[1], blocks(sums.numpy(), np.float64)[:, :1] + one.astype(np.float64), 1e-6, True, block)


@pytest.mark.parametrize("dtype", DTYPES)
def test_softmax_alone(dtype):
    x = matrix(dtype, 4, 100)
    buffers = [poisoned(x.shape, dtype), x, Empty(softmax_work(dtype, x.shape[1]))]
    got = clean("SoftMaxAlone", buffers, dtype=dtype, ints=[4, x.shape[1], 100])[0]
    want = torch.softmax(torch.from_numpy(x[:, :100].astype(np.float64)), 1).numpy()
    close(got[:, :100], want, 1e-6, True, dtype)


@pytest.mark.parametrize("dtype,block", KINDS)
def test_simple_softmax(dtype, block):
    x = matrix(dtype, 5, 70)
    top, sums = np.full(5, 2.0), np.arange(1.0, 6.0)
    buffers = [poisoned(x.shape, dtype), blocks(sums, block), blocks(top, block), x]
    buffers.append(Empty(softmax_work(dtype, x.shape[1])))
    got = clean("SimpleSoftMax", buffers, dtype=dtype, dtype2=block, ints=[5, x.shape[1], 70])[0]
    want = np.exp(x[:, :70].astype(np.float64) - 2) / sums[:, None]
    close(got[:, :70], want, 1e-6, True, dtype)


@pytest.mark.parametrize("found", [False, True])
def test_adjust_softmax(found):
    x = matrix("float32", 3, 16)
    top = np.array([1.0, -2.0 if found else 3.0, 5.0])
    bits = int(np.float32(-2).view(np.uint32))
    buffers = [x, blocks(top, "float32"), np.zeros(8, np.int32)]
    got = clean("AdjustSoftMaxRes", buffers, ints=[3, 16, 16, bits])
    want = x.copy()
    if found:
        want[1] = 7
    same(got[0], want)
    assert got[2][0] == int(found)


@pytest.mark.parametrize("pad", [0, 3, 7])
@pytest.mark.parametrize("dtype", ["float32", "int32", "float16", "int16"])
def test_unpad(dtype, pad):
    x = np.arange(6 * 32).reshape(6, 32).astype(dtype)
    out = poisoned(6 * 32, dtype)
    got = clean("UnPad", [out, x], dtype=dtype, ints=[6, 32, pad, 0])[0]
    kept = x[:, : 32 - pad].ravel()
    same(got[: len(kept)], kept)
    same(got[len(kept) :], out[len(kept) :])


@pytest.mark.parametrize(
    "ints,text", [([2, 8, 8, 0], "rightPad must be in [0, 7]"), ([2, 8, 0, 1], "leftPad must be")]
)
def test_unpad_of_what_cannot_be(ints, text):
    x = np.zeros((2, 8), np.float32)
    fault(text, "UnPad", [poisoned(16, "float32"), x], ints=ints)


REDUCTIONS = {"MatrixSum": np.sum, "MatrixMean": np.mean, "MatrixMax": np.max, "MatrixMin": np.min}
MATRICES = [(1, 8), (3, 40), (2, 129), (5, 1000)]


@pytest.mark.parametrize("shape", MATRICES)
@pytest.mark.parametrize("first_axis,reuse", [(0, 0), (0, 1), (1, 0)])
@pytest.mark.parametrize(
    "name,dtype", [*((name, "float32") for name in REDUCTIONS), ("MatrixMax", "float16")]
)
def test_reductions_of_a_matrix(name, dtype, first_axis, reuse, shape):
    rows, columns = shape
    x = matrix(dtype, rows, columns, np.nan, seed=3)
    count = columns if first_axis else rows
    out = poisoned(count + 16, dtype)
    work = Empty(256 * rows if name in ("MatrixMax", "MatrixMin") else 4 * rows * 1024)
    got = clean(name, [out, x, work], dtype=dtype, ints=[rows, x.shape[1], columns, first_axis, reuse])[0]
    wide = x[:, :columns].astype(np.float64)
    want = REDUCTIONS[name](wide, axis=0 if first_axis else 1)
    if name in ("MatrixMax", "MatrixMin"):
        same(got[:count], want.astype(dtype))
    else:
        scale = np.abs(wide).sum(axis=0 if first_axis else 1)
        assert (np.abs(got[:count] - want) <= 2.0**-22 * scale).all()
    same(got[count:], out[count:])


def test_reduction_of_rows_without_padding():
    x = matrix("float32", 2, 8)
    fault(
        "srcInnerPad must be true",
        "MatrixSum",
        [poisoned(8, "float32"), x, Empty(32)],
        ints=[2, 8, 8, 0, 0, 1],
    )


@pytest.mark.parametrize("shape,count", [((3, 16), 16), ((4, 8), 5), ((2, 200), 199), ((1, 64), 16)])
@pytest.mark.parametrize("dtype", ["float32", "float16", "bfloat16"])
def test_dequant(dtype, shape, count):
    rows, columns = shape
    rng = np.random.default_rng(2)
    x = rng.integers(-3000, 3000, shape).astype(np.int32)
    factors = rng.uniform(0.01, 2, max(count, 16)).astype(np.float32)
    if dtype == "bfloat16":
        factors = factors.astype(BFLOAT16)
    scale = factors.view(np.uint32).astype(np.uint64) | np.uint64(7 << 32) if dtype == "float16" else factors
    out = poisoned((rows, padded(dtype, columns)), dtype)
    work = Empty((64 + 2 * columns) * 4)
    got = clean("AscendDequant", [out, x, scale, work], dtype=dtype, ints=[rows, columns, count, 0])[0]
    # One row of n is n / count rows of count, where count fills data blocks.
    if rows == 1 and count % (32 // np.dtype(dtype).itemsize) == 0:
        x, got = x.reshape(-1, count), got.reshape(-1, count)
    want = x[:, :count].astype(np.float32) * factors[:count].astype(np.float32)
    same(got[:, :count], want.astype(dtype))


def test_dequant_by_one_factor():
    x = np.arange(-32, 32, dtype=np.int32).reshape(2, 32)
    buffers = [poisoned(x.shape, "float32"), x, Empty(32), Empty(512)]
    got = clean("AscendDequant", buffers, ints=[2, 32, 32, 1])[0]
    same(got, x.astype(np.float32) / 8)


@pytest.mark.parametrize("shape", [(1, 8), (3, 100), (2, 1000)])
@pytest.mark.parametrize("dtype", DTYPES)
def test_rms_norm(dtype, shape):
    rows, columns = shape
    x, gamma = matrix(dtype, rows, columns), matrix(dtype, 1, columns, seed=1)
    stride = x.shape[1]
    work = Empty(4 * (stride * (1 if dtype == "float32" else 2) + 8))
    buffers = [poisoned(x.shape, dtype), x, gamma, work]
    got = clean("RmsNorm", buffers, dtype=dtype, ints=[rows, stride, columns], floats=[1e-3])[0]
    wide = torch.from_numpy(x[:, :columns].astype(np.float64))
    weight = torch.from_numpy(gamma[0, :columns].astype(np.float64))
    epsilon = float(np.dtype(dtype).type(1e-3))
    want = torch.nn.functional.rms_norm(wide, (columns,), weight, epsilon).numpy()
    close(got[:, :columns], want, 2e-6, False, dtype)


@pytest.mark.parametrize("scalar_first", [0, 1])
@pytest.mark.parametrize("mask_type", ["uint8", "int8", "int16", "uint16", "int32", "uint32"])
@pytest.mark.parametrize("dtype", DTYPES)
def test_select_by_a_mask_of_bytes(dtype, mask_type, scalar_first):
    rows, columns, mask_columns = 3, 144, 160
    x = matrix(dtype, rows, columns)
    rng = np.random.default_rng(4)
    info = np.iinfo(mask_type)
    mask = rng.choice([0, 0, 1, info.min, info.max, 100], (rows, mask_columns)).astype(mask_type)
    ints = [rows, columns, mask_columns, scalar_first]
    work = Empty(max(1024, 2 * x.size + 512))
    buffers = [poisoned(x.shape, dtype), x, mask, work]
    got = clean("SelectWithBytesMask", buffers, dtype=dtype, dtype2=mask_type, ints=ints, floats=[-7])[0]
    kept = mask[:, :columns] != 0 if scalar_first else mask[:, :columns] == 0
    same(got, np.where(kept, x, np.dtype(dtype).type(-7)))
