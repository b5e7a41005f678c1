# SPDX-License-Identifier: Apache-2.0
"""Compares softmax of parts of rows, its gradient and its logarithm with NumPy in float64."""

from __future__ import annotations

import numpy as np
import pytest
import torch

from .harness import Empty, clean, fault, poisoned, same
from .test_lane_math import close
from .test_rows import DTYPES, KINDS, SOFTMAX_SHAPES, blocks, matrix

WORK = Empty(64 * 1024)


def lanes(dtype):
    return 32 // np.dtype(dtype).itemsize


def flash(x, old_max=None, old_sum=None):
    """y, the maximum, the sum and the factor of earlier results."""
    top = x.max(1)
    if old_max is not None:
        top = np.maximum(top, old_max)
    y = np.exp(x - top[:, None])
    if old_max is None:
        return y, top, y.sum(1), None
    factor = np.exp(old_max - top)
    return y, top, factor * old_sum + y.sum(1), factor


def old_values(rows):
    """A maximum below, within and above the rows, and sums."""
    return np.array([-6.0, 0.5, 5.0] * rows)[:rows], np.arange(1.0, rows + 1)


@pytest.mark.parametrize("shape", SOFTMAX_SHAPES)
@pytest.mark.parametrize("update", [0, 1])
@pytest.mark.parametrize("dtype,block", KINDS)
@pytest.mark.parametrize("name", ["SoftmaxFlash", "SoftmaxFlashV2"])
def test_flash(name, dtype, block, update, shape):
    rows, columns = shape
    x = matrix(dtype, rows, columns)
    top, total = old_values(rows)
    one = poisoned((rows, lanes(block)), block)
    factor = poisoned((rows, lanes(dtype)), dtype)
    buffers = [poisoned(x.shape, dtype), one, one, x, factor, blocks(total, block), blocks(top, block), WORK]
    got = clean(name, buffers, dtype=dtype, dtype2=block, ints=[rows, x.shape[1], columns, update])
    old = (top, total) if update else ()
    y, new_top, new_total, e = flash(x[:, :columns].astype(np.float64), *old)
    if name == "SoftmaxFlash":
        y = y / new_total[:, None]
        e = e * total / new_total if update else None
    # Each exponential is off by 2^-22, and half is rounded once.
    close(got[0][:, :columns], y, 2e-6, False, dtype)
    same(got[2], blocks(new_top, block))
    close(got[1], np.broadcast_to(new_total[:, None], one.shape), 3e-6, True, block)
    if update:
        close(got[4], np.broadcast_to(e[:, None], factor.shape), 2e-6, False, dtype)
    else:
        same(got[4], factor)


@pytest.mark.parametrize("dtype,block", KINDS)
def test_values_of_rows_that_are_single_elements(dtype, block):
    rows, columns = 9, 70
    x = matrix(dtype, rows, columns)
    top, total = old_values(rows)
    one, factor = poisoned(lanes(block) * 2, block), poisoned(lanes(dtype) * 2, dtype)
    old = [one.copy() for _ in range(2)]
    old[0][:rows], old[1][:rows] = total, top
    buffers = [poisoned(x.shape, dtype), one, one, x, factor, *old, WORK]
    got = clean("SoftmaxFlashV2", buffers, dtype=dtype, dtype2=block, ints=[rows, x.shape[1], columns, 1, 1])
    y, new_top, new_total, e = flash(x[:, :columns].astype(np.float64), top, total)
    close(got[0][:, :columns], y, 2e-6, False, dtype)
    same(got[2][:rows], new_top.astype(block))
    close(got[1][:rows], new_total, 3e-6, True, block)
    close(got[4][:rows], e, 2e-6, False, dtype)
    same(got[1][rows:], one[rows:])


@pytest.mark.parametrize("update", [0, 1])
def test_the_maximum_of_one_part(update):
    """A first part, to which no earlier ones are added, leaves it as it was."""
    x = matrix("float32", 5, 33)
    one = poisoned(8, "float32")
    old = [one.copy() for _ in range(2)]
    old[1][:5], old[0][:5] = old_values(5)
    got = clean("SoftmaxFlashV2Max", [poisoned(x.shape, "float32"), one, one, x, one, *old, one, WORK],
                ints=[5, x.shape[1], 33, update])  # fmt: skip
    top = x[:, :33].max(1)
    same(got[7], np.concatenate([top, one[5:]]) if update else one)
    same(got[2][:5], np.maximum(top, old[1][:5]) if update else top)


def flash_v3(x, n, old_mean=None, old_sum=None, old_max=None):
    """The documented steps in float64: a share of the mean of each of eight parts goes away first."""
    share, columns = 0.9375 / (1 - 0.9375), x.shape[1]
    sums = x[:, :512].reshape(-1, 8, 64).sum(2) + x[:, 512:].reshape(len(x), -1, 8, 8).sum((1, 3))
    local = sums / (columns // 8)
    mean = local.mean(1)
    x = x - np.repeat((mean[:, None] - local) * share, columns // 8, axis=1)
    top = x.max(1)
    if old_mean is None:
        y = np.exp(x - top[:, None])
        return y, mean, y.sum(1), top, None
    new_mean = (mean + old_mean * (n - 1)) / n
    now, before = share * (mean - new_mean), share * (old_mean - new_mean)
    new_top = np.maximum(top + now, old_max + before)
    factor = np.exp(old_max - new_top + before)
    y = np.exp(x - (new_top - now)[:, None])
    return y, new_mean, factor * old_sum + y.sum(1), new_top, factor


@pytest.mark.parametrize("call", [0, 1, 3])
@pytest.mark.parametrize("columns", [512, 640, 1024])
def test_flash_v3(columns, call):
    rows = 8
    x = np.random.default_rng(3).uniform(-1, 1, (rows, columns)).astype(np.float16)
    mean, total, top = np.linspace(-0.01, 0.01, rows), np.arange(1.0, rows + 1), np.linspace(0, 2, rows)
    one, factor = poisoned((rows, 8), "float32"), poisoned((rows, 16), "float16")
    old = [blocks(value, "float32") for value in (mean, total, top)]
    buffers = [poisoned(x.shape, "float16"), one, one, one, x, factor, *old, WORK]
    got = clean("SoftmaxFlashV3", buffers, dtype="float16", ints=[rows, columns, columns, call])
    exact = [value[:, 0].astype(np.float64) for value in old] if call else []
    y, *values, e = flash_v3(x.astype(np.float64), max(1, call), *exact)
    # The share is 15: what is off by 2^-24 becomes 15 times as much, and exp takes it to the result.
    close(got[0], y, 1e-4, False, "float16")
    for value, want in zip(got[1:4], values, strict=True):
        close(value, np.broadcast_to(want[:, None], value.shape), 1e-4, False, "float32")
    if call:
        close(got[5], np.broadcast_to(e[:, None], factor.shape), 1e-4, False, "float16")
    else:
        same(got[5], factor)


@pytest.mark.parametrize("shape", SOFTMAX_SHAPES)
@pytest.mark.parametrize("front", [0, 1, 2])
@pytest.mark.parametrize("dtype", DTYPES)
def test_gradient(dtype, front, shape):
    rows, columns = shape
    dy = matrix(dtype, rows, columns)
    y = torch.softmax(
        torch.from_numpy(matrix(dtype, rows, columns, seed=1)[:, :columns].astype(np.float64)), 1
    )
    src = np.zeros(dy.shape, dtype)
    src[:, :columns] = y.numpy()
    out = poisoned((rows, lanes(dtype)) if front else dy.shape, dtype)
    got = clean("SoftmaxGrad", [out, dy, src, WORK], dtype=dtype, ints=[rows, dy.shape[1], columns, front])[0]
    slope, result = dy[:, :columns].astype(np.float64), src[:, :columns].astype(np.float64)
    sums = (slope * result).sum(1)
    if front:
        close(got, np.broadcast_to(sums[:, None], out.shape), 2e-6, False, dtype)
    else:
        close(got[:, :columns], (slope - sums[:, None]) * result, 2e-6, False, dtype)


@pytest.mark.parametrize("shape", SOFTMAX_SHAPES)
@pytest.mark.parametrize("dtype", DTYPES)
def test_logarithm(dtype, shape):
    rows, columns = shape
    x = matrix(dtype, rows, columns)
    one = poisoned((rows, lanes(dtype)), dtype)
    buffers = [poisoned(x.shape, dtype), one, one, x, WORK]
    got = clean("LogSoftMax", buffers, dtype=dtype, ints=[rows, x.shape[1], columns])
    y, top, total, _ = flash(x[:, :columns].astype(np.float64))
    close(got[0][:, :columns], np.log10(y / total[:, None]), 2e-6, False, dtype)
    same(got[2], blocks(top, dtype))
    close(got[1], np.broadcast_to(total[:, None], one.shape), 3e-6, True, dtype)


@pytest.mark.parametrize(
    "name,count", [("SoftmaxFlash", 7), ("SoftmaxFlashV2", 7), ("SoftmaxGrad", 3), ("LogSoftMax", 4)]
)
def test_too_little_work_memory(name, count):
    x = [matrix("float32", 2, 8) for _ in range(count)]
    fault("sharedTmpBuffer must have at least", name, [*x, WORK], ints=[2, 8, 8, 0, 0, 0, 0, 64])


def test_flash_v3_of_short_rows():
    x = [np.zeros((8, 256), np.float16) for _ in range(9)]
    text = "params.oriSrcK must be in [512, 256], got 256"
    fault(text, "SoftmaxFlashV3", [*x, WORK], dtype="float16", ints=[8, 256, 256, 0])


@pytest.mark.parametrize(
    "rows,columns,text",
    [(7, 512, "params.srcM must be a multiple of 8"), (8, 528, "params.oriSrcK must be a multiple of 64")],
)
def test_flash_v3_of_what_cannot_be(rows, columns, text):
    x = [np.zeros((8, 528), np.float16) for _ in range(9)]
    fault(text, "SoftmaxFlashV3", [*x, WORK], dtype="float16", ints=[rows, columns, columns, 0])
