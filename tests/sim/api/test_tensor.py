# SPDX-License-Identifier: Apache-2.0
"""Compares functions that move, choose, sort, add up or convert elements with NumPy."""

from __future__ import annotations

import numpy as np
import pytest
import torch

from .harness import BFLOAT16, Empty, clean, fault, poisoned, same
from .test_lane_math import close
from .test_rows import DTYPES, matrix, padded

WORK = Empty(96 * 1024)


def top(x, k, largest):
    """The first k of each row in order; equal ones in the order of their places."""
    order = np.argsort(-x if largest else x, axis=1, kind="stable")[:, :k]
    return np.take_along_axis(x, order, 1), order


@pytest.mark.parametrize("largest", [0, 1])
@pytest.mark.parametrize("rows,inner,k", [(1, 32, 1), (3, 64, 9), (2, 96, 96), (1, 1024, 33)])
@pytest.mark.parametrize("dtype", DTYPES)
def test_top_k(dtype, rows, inner, k, largest):
    # Few different numbers, so that there are equal ones.
    x = np.random.default_rng(inner).integers(-40, 40, (rows, inner)).astype(dtype)
    x[0, inner // 2] = -0.0 if largest else np.inf
    given = np.arange(inner, dtype=np.int32) * 3
    for indexed in (0, 1):
        values = poisoned((rows, padded(dtype, k)), dtype)
        indices = poisoned((rows, padded("int32", k)), "int32")
        got = clean(
            "TopK",
            [values, indices, x, given, np.zeros(32, np.uint8), WORK],
            dtype=dtype,
            ints=[rows, inner, inner, k, indexed, largest, 0],
        )
        want, order = top(x, k, largest)
        assert (got[0][:, :k] == want).all()
        same(got[1][:, :k], (given[order] if indexed else order).astype(np.int32))
        same(got[0][:, k:], values[:, k:])


def test_top_k_of_finished_rows():
    x = np.random.default_rng(1).uniform(-9, 9, (4, 32)).astype(np.float32)
    finish = np.array([0, 1, 0, 1] + [0] * 28, np.uint8)
    outs = [poisoned((4, 8), "float32"), poisoned((4, 8), "int32")]
    got = clean("TopK", [*outs, x, np.arange(32, dtype=np.int32), finish, WORK],
                ints=[4, 32, 30, 5, 1, 1, 1])  # fmt: skip
    order = top(x, 5, 1)[1].astype(np.int32)
    order[finish[:4] == 1] = 30
    same(got[1][:, :5], order)


@pytest.mark.parametrize("indexed", [0, 1])
@pytest.mark.parametrize("rows,k", [(1, 32), (7, 3), (40, 1)])
@pytest.mark.parametrize("dtype", DTYPES)
def test_top_k_of_groups(dtype, rows, k, indexed):
    x = np.random.default_rng(rows).integers(-40, 40, (rows, 32)).astype(dtype)
    given = (np.arange(rows * 32, dtype=np.int32) * 2).reshape(rows, 32)
    values, indices = poisoned(padded(dtype, rows * k), dtype), poisoned(padded("int32", rows * k), "int32")
    buffers = [values, indices, x, given, np.zeros(32, np.uint8), WORK]
    got = clean("TopK", buffers, dtype=dtype, ints=[rows, 32, 32, k, indexed, 0, 2])
    want, order = top(x, k, False)
    assert (got[0][: rows * k] == want.ravel()).all()
    same(
        got[1][: rows * k],
        (np.take_along_axis(given, order, 1) if indexed else order).astype(np.int32).ravel(),
    )


@pytest.mark.parametrize(
    "ints,text",
    [
        ([1, 48, 48, 1, 1, 1, 0], "topKInfo.inner must be a multiple of 32"),
        ([1, 64, 10, 11, 1, 1, 0], "k must be in [1, 10]"),
        ([1, 64, 10, -1, 1, 1, 0], "k must be in [1, 10], got -1"),
        ([0, 64, 10, 1, 1, 1, 0], "topKInfo.outter must be"),
        ([1, 64, 64, 1, 1, 1, 2], "topKInfo.inner must be in [32, 32]"),
        ([1, 32, 32, 1, 1, 1, 3], "isHasfinish must be false with TOPK_NSMALL, got 1"),
        ([1, 64, 64, 1, 1, 1, 0, 512], "sharedTmpBuffer must have at least 1024 bytes"),
        ([1, 64, 64, 1, 0, 1, 0, 1024], "sharedTmpBuffer must have at least 1280 bytes"),
        ([1, 32, 32, 1, 0, 1, 2, 256], "sharedTmpBuffer must have at least 512 bytes"),
    ],
)
def test_top_k_of_what_cannot_be(ints, text):
    x = np.zeros((1, 64), np.float32)
    outs = [poisoned(64, "float32"), poisoned(64, "int32")]
    fault(text, "TopK", [*outs, x, np.zeros(64, np.int32), np.zeros(32, np.uint8), WORK], ints=ints)


@pytest.mark.parametrize("way", [0, 1, 2])
@pytest.mark.parametrize("shape", [(1, 16), (5, 32), (3, 208)])
@pytest.mark.parametrize("dtype", DTYPES)
def test_running_sums(dtype, shape, way):
    """Exactly those of NumPy, which adds one element after the other; half is added up in float32."""
    x = matrix(dtype, *shape)
    last = poisoned(shape[1], dtype)
    got = clean("CumSum", [poisoned(shape, dtype), last, x, WORK], dtype=dtype, ints=[*shape, way])
    want = np.cumsum(x.astype(np.float32), axis=0 if way == 1 else 1, dtype=np.float32).astype(dtype)
    same(got[0], want)
    same(got[1], last if way == 2 else want[-1])


def test_running_sums_of_rows_that_are_no_blocks():
    x = matrix("float32", 2, 8)
    fault("cumSumInfo.inner must be a multiple of 8", "CumSum", [x, x, x, WORK], ints=[2, 7, 0])


@pytest.mark.parametrize("columns,left,right", [(13, 0, 3), (13, 2, 0), (5, 1, 2), (29, 1, 1)])
@pytest.mark.parametrize("dtype", ["float32", "int32", "float16", "int16"])
def test_pad(dtype, columns, left, right):
    rows = 32
    x = np.arange(rows * columns).reshape(rows, columns).astype(dtype)
    width = padded(dtype, columns)
    if left + right > width - columns:
        return fault("Pad must be in", "Pad", [poisoned((rows, width), dtype), x], dtype=dtype,
                     ints=[rows, columns, columns, left, right])  # fmt: skip
    out = poisoned((rows, width), dtype)
    got = clean("Pad", [out, x], dtype=dtype, ints=[rows, columns, columns, left, right])[0]
    want = out.copy()
    want[:, : left + columns + right] = np.pad(x, ((0, 0), (left, right)), constant_values=-3)
    same(got, want)


def test_columns_behind_the_padding_are_as_they_were():
    """Memory that nobody wrote stays so where Pad writes nothing."""
    x = np.arange(20, dtype=np.float32).reshape(4, 5)
    buffers = [Empty(4 * 8 * 4), x, poisoned((4, 8), "float32")]
    fault("which nothing wrote, through Adds", "PadAndRead", buffers, ints=[4, 5, 5, 1, 0])
    got = clean("PadAndRead", buffers, ints=[4, 5, 5, 1, 2])[2]
    same(got, np.pad(x, ((0, 0), (1, 2)), constant_values=-3) + np.float32(1))


def test_pad_of_columns_without_meaning():
    x = np.arange(64, dtype=np.float16).reshape(4, 16)
    got = clean("Pad", [poisoned(x.shape, "float16"), x], dtype="float16", ints=[4, 16, 14, 0, 2])[0]
    want = x.copy()
    want[:, 14:] = -3
    same(got, want)


@pytest.mark.parametrize("mode", [0, 1, 3, 4])
@pytest.mark.parametrize("dtype", DTYPES)
def test_drop_out(dtype, mode):
    rows, columns = 5, 256
    x = matrix(dtype, rows, columns)
    x[0, :2] = np.inf, np.nan
    rng = np.random.default_rng(2)
    kept = rng.integers(0, 2, (rows, columns)).astype(np.uint8)
    kept[0, :2] = 0
    mask = kept if mode < 3 else np.packbits(kept, axis=1, bitorder="little")
    if mode in (1, 4):  # rows of the mask are longer
        rest = rng.integers(0, 256, (rows, 32), dtype=np.uint8)
        mask = np.concatenate([mask, rest], axis=1)
    buffers = [poisoned(x.shape, dtype), x, mask, WORK]
    got = clean("DropOut", buffers, dtype=dtype, ints=[rows, columns, mask.shape[1], mode], floats=[0.75])[0]
    factor = np.dtype(dtype).type(np.float32(1) / np.float32(0.75))
    same(got, np.where(kept == 1, x * factor, np.dtype(dtype).type(0)) + np.dtype(dtype).type(0))


@pytest.mark.parametrize(
    "columns,row,keep,text",
    [
        (40, 32, 0.5, "info.srcLastAxis must be a multiple of 16"),
        (64, 40, 0.5, "info.maskLastAxis must be a multiple of 32"),
        (64, 0, 0.5, "info.maskLastAxis must be"),
        (64, 32, 0, "keepProb must be above 0 and at most 1, got 0.0"),
        (64, 32, 1.5, "keepProb must be above 0 and at most 1, got 1.5"),
    ],
)
def test_drop_out_of_what_cannot_be(columns, row, keep, text):
    x = np.zeros((2, 64), np.float32)
    fault(
        text, "DropOut", [x, x, np.zeros((2, 64), np.uint8), WORK], ints=[2, columns, row, 4], floats=[keep]
    )


@pytest.mark.parametrize("way", [0, 1, 2])
@pytest.mark.parametrize("dtype", DTYPES)
def test_quantisation(dtype, way):
    rows, columns = 5, 160
    x = np.random.default_rng(way).uniform(-40, 40, (rows, columns)).astype(dtype)
    scale, offset = matrix(dtype, 1, columns, seed=1)[0], matrix(dtype, 1, columns, seed=2)[0]
    out = poisoned((rows, columns), "int8")
    buffers = [out, x, scale, offset, WORK]
    got = clean("AscendQuant", buffers, dtype=dtype, ints=[way, columns, x.size], floats=[2.25, -1.5])[0]
    half = np.float16
    by = half(2.25) if way == 0 else scale.astype(half)
    shift = offset.astype(half) if way == 2 else half(-1.5)
    want = np.rint((x.astype(half) * by + shift).astype(np.float64))
    same(got, np.clip(want, -128, 127).astype(np.int8))


@pytest.mark.parametrize("way", [0, 1, 2, 3])
@pytest.mark.parametrize("k,n,groups", [(32, 64, 1), (64, 32, 2)])
@pytest.mark.parametrize("dtype", ["float16", "bfloat16"])
def test_inverse_of_quantisation(dtype, k, n, groups, way):
    kind = BFLOAT16 if dtype == "bfloat16" else np.float16
    wide = np.float32 if dtype == "bfloat16" else np.float16
    rng = np.random.default_rng(7)
    shape = (n, k) if way == 1 else (k, n)
    x = rng.integers(-128, 128, shape).astype(np.int8)
    values = (n, groups) if way == 1 else (groups, n)
    offset, scale = (rng.uniform(-4, 4, values).astype(np.float32).astype(kind) for _ in range(2))
    got = clean("AscendAntiQuant", [poisoned(shape, kind), x, offset, scale, WORK], dtype=dtype,
                ints=[k, n, groups, way])[0]  # fmt: skip
    if way == 2:
        shift, by = offset[0, 0], scale[0, 0]
    else:
        shift, by = (np.repeat(v, k // groups, axis=1 if way == 1 else 0) for v in (offset, scale))
    shift = wide(0) if way == 3 else shift.astype(wide)
    want = (x.astype(wide) + shift) * by.astype(wide)
    assert (got.astype(np.float32) == want.astype(kind).astype(np.float32)).all()


def test_inverse_of_quantisation_in_unequal_groups():
    x, values = np.zeros((32, 64), np.int8), np.ones((3, 64), np.float16)
    text = "elements of scale must be n (64) times a divisor of k (32), got 192"
    fault(text, "AscendAntiQuant", [poisoned(x.shape, "float16"), x, values, values, WORK], dtype="float16",
          ints=[32, 64, 3, 0])  # fmt: skip


@pytest.mark.parametrize("over_rows", [0, 1])
@pytest.mark.parametrize("shape", [(1, 8), (3, 40), (4, 200)])
@pytest.mark.parametrize("name", ["ReduceAll", "ReduceAny"])
@pytest.mark.parametrize("dtype", ["float32", "uint8"])
def test_logical_reductions(dtype, name, shape, over_rows):
    rows, columns = shape
    rng = np.random.default_rng(columns)
    x = np.zeros((rows, padded(dtype, columns)), dtype)
    x[:, :columns] = rng.random(shape) < (0.97 if name == "ReduceAll" else 0.02)
    count = columns if over_rows else rows
    out = poisoned(padded(dtype, count), dtype)
    got = clean(name, [out, x, WORK], dtype=dtype, ints=[rows, columns, over_rows])[0]
    function = np.all if name == "ReduceAll" else np.any
    same(got[:count], function(x[:, :columns], axis=0 if over_rows else 1).astype(dtype))


@pytest.mark.parametrize("over_rows", [0, 1])
@pytest.mark.parametrize("shape", [(1, 8), (3, 40), (2, 333)])
def test_products(shape, over_rows):
    rows, columns = shape
    x = np.full((rows, padded("float32", columns)), np.nan, np.float32)
    x[:, :columns] = np.random.default_rng(columns).uniform(0.9, 1.1, shape)
    count = columns if over_rows else rows
    got = clean("ReduceProd", [poisoned(padded("float32", count), "float32"), x, WORK],
                ints=[rows, columns, over_rows])[0]  # fmt: skip
    want = np.prod(x[:, :columns].astype(np.float64), axis=0 if over_rows else 1)
    # Each multiplication rounds once.
    assert (np.abs(got[:count] / want - 1) <= 2.0**-24 * max(shape)).all()


@pytest.mark.parametrize("count", [1, 64, 333])
def test_sum_of_the_exclusive_or(count):
    rng = np.random.default_rng(count)
    a, b = (rng.integers(-40, 40, 352).astype(np.int16) for _ in range(2))
    got = clean("ReduceXorSum", [poisoned(16, "int16"), a, b, WORK], ints=[count])[0]
    assert got[0] == (a[:count] ^ b[:count]).sum()


def fractals(matrix_):
    """The format NZ of the last two axes, padded with -1 to whole fractals."""
    rows, columns = (-(-size // 16) * 16 for size in matrix_.shape[-2:])
    whole = np.full((*matrix_.shape[:-2], rows, columns), -1, matrix_.dtype)
    whole[..., : matrix_.shape[-2], : matrix_.shape[-1]] = matrix_
    return np.moveaxis(whole.reshape(*whole.shape[:-1], columns // 16, 16), -2, -3)


def rows_of_blocks(tensor):
    """Rows padded with -1 to multiples of 16."""
    width = -(-tensor.shape[-1] // 16) * 16
    whole = np.full((*tensor.shape[:-1], width), -1, tensor.dtype)
    whole[..., : tensor.shape[-1]] = tensor
    return whole


@pytest.mark.parametrize("sizes", [(1, 2, 16, 16), (2, 3, 32, 32), (1, 4, 16, 12)])
@pytest.mark.parametrize("kind", range(1, 7))
@pytest.mark.parametrize("dtype", DTYPES)
def test_transpose_by_tiling(dtype, kind, sizes):
    b, n, s, h = sizes
    split = np.arange(b * n * s * h).reshape(sizes).astype(dtype)  # [B, N, S, H/N]
    swapped = split.transpose(0, 2, 1, 3)
    whole = swapped.reshape(b, s, n * h)
    src = fractals(whole if kind in (3, 4) else split)
    want = {1: rows_of_blocks(swapped), 2: fractals(swapped), 3: fractals(split), 4: rows_of_blocks(split),
            5: rows_of_blocks(whole), 6: fractals(whole)}[kind]  # fmt: skip
    out = poisoned(want.shape, dtype)
    got = clean("TransposeByTiling", [out, src], dtype=dtype, ints=[*sizes, kind])[0]
    same(got[want != -1], want[want != -1])
    same(got[want == -1], out[want == -1])


@pytest.mark.parametrize("dtype", DTYPES)
def test_transpose_of_a_matrix(dtype):
    x = np.arange(16 * 48).reshape(16, 48).astype(dtype)
    got = clean("TransposeByTiling", [poisoned((48, 16), dtype), x], dtype=dtype, ints=[1, 1, 16, 48, 7])[0]
    same(got, np.ascontiguousarray(x.T))


def test_transpose_that_has_no_tiling():
    x = np.zeros((16, 16), np.float32)
    fault("transposeType 10 has no tiling", "TransposeByTiling", [x, x], ints=[1, 1, 16, 16, 10])


@pytest.mark.parametrize("sizes", [(1, 16, 2, 2, 8), (2, 20, 1, 3, 5), (17, 5, 1, 2, 2)])
@pytest.mark.parametrize("way", range(4))
def test_trans_data(way, sizes):
    n, c, d, h, w = sizes
    plain = np.arange(1, n * c * d * h * w + 1).reshape(n, c, d, h * w).astype(np.float16)
    whole = np.zeros((-(-n // 16) * 16, -(-c // 16) * 16, d, h * w), np.float16)
    whole[:n, :c] = plain
    in_blocks = whole[:n].reshape(n, -1, 16, d, h * w).transpose(0, 3, 1, 4, 2)
    in_fractals = whole.reshape(-1, 16, in_blocks.shape[2], 16, d, h * w).transpose(4, 2, 5, 0, 1, 3)
    rows, blocks = rows_of_blocks(plain), in_fractals if way > 1 else in_blocks
    src, want = (blocks, rows) if way % 2 else (rows, blocks)
    out = poisoned(want.shape, "float16")
    got = clean("TransData", [out, np.ascontiguousarray(src), WORK], dtype="float16", ints=[*sizes, way])[0]
    known = want != -1
    same(got[known], np.ascontiguousarray(want)[known])
    same(got[~known], out[~known])


@pytest.mark.parametrize("name", ["Lgamma", "Digamma"])
@pytest.mark.parametrize("dtype", DTYPES)
def test_gamma(dtype, name):
    """Against torch in float64, on both sides of 0 and far away from it."""
    x = np.concatenate([np.linspace(0.01, 4, 200), np.linspace(5, 200, 60), np.linspace(-7.97, -0.03, 100)])
    x = np.concatenate([x, [0.5, 1, 2, 1000, 5000]]).astype(dtype)
    x = x[(x > 0) | (np.abs(x - np.rint(x)) > 0.01)]
    got = clean(name, [poisoned(x.shape, dtype), x, WORK], dtype=dtype, ints=[len(x)])[0]
    function = torch.lgamma if name == "Lgamma" else torch.digamma
    want = function(torch.from_numpy(x.astype(np.float64))).numpy()
    close(got, want, 8e-6, False, dtype)


@pytest.mark.parametrize("name", ["Lgamma", "Digamma"])
@pytest.mark.parametrize("dtype", DTYPES)
def test_gamma_of_infinity(dtype, name):
    x = np.full(16, 2, dtype)
    x[:2] = np.inf, np.nan
    got = clean(name, [poisoned(16, dtype), x, WORK], dtype=dtype, ints=[16])[0]
    function = torch.lgamma if name == "Lgamma" else torch.digamma
    want = function(torch.from_numpy(x.astype(np.float64))).numpy()
    same(got[:2], want[:2].astype(dtype))
    close(got[2:], want[2:], 8e-6, False, dtype)


@pytest.mark.parametrize(
    "name,kinds,ints",
    [
        ("CumSum", ["float32"] * 3, [2, 16, 1]),
        ("DropOut", ["float32", "float32", "uint8"], [2, 32, 32]),
        ("AscendQuant", ["int8", "float32", "float32", "float32"], [0, 32, 64]),
        ("AscendAntiQuant", ["float16", "int8", "float16", "float16"], [2, 32, 1]),
        ("ReduceProd", ["float32"] * 2, [2, 64]),
        ("ReduceXorSum", ["int16"] * 3, [128]),
    ],
)
def test_too_little_work_memory(name, kinds, ints):
    buffers = [np.ones(128, kind) for kind in kinds]
    dtype = "float16" if "float16" in kinds else "float32"
    text = "sharedTmpBuffer must have at least"
    fault(
        text, name, [*buffers, WORK], dtype=dtype, ints=[*ints, *[0] * (7 - len(ints)), 16], floats=[0.5, 0]
    )
