# SPDX-License-Identifier: Apache-2.0
"""Compares normalisations with NumPy in float64, and with torch. The work memory is the least that hosts are told."""

from __future__ import annotations

import numpy as np
import pytest
import torch

from .harness import Empty, clean, fault, poisoned, same
from .test_lane_math import close
from .test_rows import DTYPES, KINDS, matrix, results

# Rows and elements of a row: one, less than a data block, more than a repeat, the longest of a sample.
SHAPES = [(1, 8), (3, 5), (7, 100), (2, 1000)]
WORK = Empty(64 * 1024)
EPSILON = 2.0**-10


def wide(array, columns):
    return array[..., :columns].astype(np.float64)


def normalised(x, axis=-1):
    mean = x.mean(axis, keepdims=True)
    variance = ((x - mean) ** 2).mean(axis, keepdims=True)
    return mean, variance, (x - mean) / np.sqrt(variance + EPSILON)


def operands(dtype, shape, gamma_dtype=None):
    """x, gamma and beta."""
    rows, columns = shape
    x = matrix(dtype, rows, columns)
    gamma, beta = (matrix(gamma_dtype or dtype, 1, columns, seed=seed) for seed in (1, 2))
    return x, gamma, beta


@pytest.mark.parametrize("shape", SHAPES)
@pytest.mark.parametrize("dtype", DTYPES)
def test_layer_norm(dtype, shape):
    rows, columns = shape
    x, gamma, beta = operands(dtype, shape)
    out, values = poisoned(x.shape, dtype), results(dtype, rows)
    got = clean(
        "LayerNorm",
        [out, values, values, x, gamma, beta, WORK],
        dtype=dtype,
        ints=[rows, x.shape[1], columns],
        floats=[EPSILON],
    )
    mean, variance, _ = normalised(wide(x, columns))
    want = torch.nn.functional.layer_norm(
        torch.from_numpy(wide(x, columns)),
        (columns,),
        torch.from_numpy(wide(gamma[0], columns)),
        torch.from_numpy(wide(beta[0], columns)),
        EPSILON,
    ).numpy()
    close(got[0][:, :columns], want, 4e-6, False, dtype)
    close(got[1][:rows], mean[:, 0], 1e-6, False, dtype)
    close(got[2][:rows], variance[:, 0], 2e-6, False, dtype)
    same(got[1][rows:], values[rows:])


@pytest.mark.parametrize("no_beta", [0, 1])
@pytest.mark.parametrize("shape", SHAPES)
@pytest.mark.parametrize("dtype,gamma_dtype", KINDS)
def test_layer_norm_with_the_root_of_the_variance(dtype, gamma_dtype, shape, no_beta):
    rows, columns = shape
    x, gamma, beta = operands(dtype, shape, gamma_dtype)
    if gamma_dtype != dtype:  # rows of gamma are as long as those of x
        gamma, beta = (np.resize(a, (1, x.shape[1])) for a in (gamma, beta))
    out, values = poisoned(x.shape, dtype), results("float32", rows)
    got = clean(
        "LayerNormSeparate",
        [out, values, values, x, gamma, beta, WORK],
        dtype=dtype,
        dtype2=gamma_dtype,
        ints=[rows, x.shape[1], columns, no_beta],
        floats=[EPSILON],
    )
    mean, variance, y = normalised(wide(x, columns))
    want = y * wide(gamma, columns) + (0 if no_beta else wide(beta, columns))
    close(got[0][:, :columns], want, 4e-6, False, dtype)
    close(got[1][:rows], mean[:, 0], 1e-6, False, "float32")
    close(got[2][:rows], 1 / np.sqrt(variance[:, 0] + EPSILON), 2e-6, True, "float32")


@pytest.mark.parametrize("shape", SHAPES)
@pytest.mark.parametrize("dtype", DTYPES)
def test_gradient_of_layer_norm(dtype, shape):
    """Against torch's own gradient, of the same mean and variance rounded to the type."""
    rows, columns = shape
    x, gamma, _ = operands(dtype, shape)
    dy = matrix(dtype, rows, columns, seed=4)
    mean, variance, _ = normalised(wide(x, columns))
    values = [results(dtype, rows) for _ in range(2)]
    values[0][:rows], values[1][:rows] = variance[:, 0], mean[:, 0]
    ints = [rows, x.shape[1], columns]
    out = poisoned(x.shape, dtype)
    got = clean(
        "LayerNormGrad", [out, out, dy, x, *values, gamma, WORK], dtype=dtype, ints=ints, floats=[EPSILON]
    )
    source = torch.from_numpy(wide(x, columns)).requires_grad_()
    weight = torch.from_numpy(wide(gamma[0], columns)).requires_grad_()
    bias = torch.zeros(columns, dtype=torch.float64, requires_grad=True)
    result = torch.nn.functional.layer_norm(source, (columns,), weight, bias, EPSILON)
    result.backward(torch.from_numpy(wide(dy, columns)))
    # A mean of half is off by 2^-11 of itself, which each element sees.
    tolerance = 2e-5 if dtype == "float32" else 5e-2
    scale = np.abs(source.grad.numpy()).max() + 1
    assert np.abs(got[0][:, :columns] - source.grad.numpy()).max() <= tolerance * scale
    slopes = clean(
        "LayerNormGradBeta",
        [results(dtype, x.shape[1]), results(dtype, x.shape[1]), got[1], dy, WORK],
        dtype=dtype,
        ints=ints,
    )
    for value, want in zip(slopes[:2], (weight.grad, bias.grad), strict=True):
        assert np.abs(value[:columns] - want.numpy()).max() <= tolerance * (np.abs(want.numpy()).max() + 1)


@pytest.mark.parametrize("shape", SHAPES)
@pytest.mark.parametrize("dtype", DTYPES)
def test_normalize(dtype, shape):
    rows, columns = shape
    x, gamma, beta = operands(dtype, shape)
    mean = np.arange(8, dtype=np.float32) / 4
    variance = np.arange(8, dtype=np.float32)[::-1] / 2
    buffers = [poisoned(x.shape, dtype), results("float32", rows), mean, variance, x, gamma, beta, WORK]
    got = clean(
        "Normalize", buffers, dtype=dtype, dtype2=dtype, ints=[rows, x.shape[1], columns], floats=[EPSILON]
    )
    root = 1 / np.sqrt(variance[:rows, None].astype(np.float64) + EPSILON)
    want = (wide(x, columns) - mean[:rows, None]) * root * wide(gamma, columns) + wide(beta, columns)
    close(got[1][:rows], root[:, 0], 1e-6, True, "float32")
    scale = np.abs(want).max()
    assert np.abs(got[0][:, :columns] - want).max() <= scale * (1e-6 if dtype == "float32" else 2**-10)


@pytest.mark.parametrize("shape", SHAPES)
@pytest.mark.parametrize("dtype", DTYPES)
def test_deep_norm(dtype, shape):
    rows, columns = shape
    x, gamma, beta = operands(dtype, shape)
    gx = matrix(dtype, rows, columns, seed=5)
    out, values = poisoned(x.shape, dtype), results(dtype, rows)
    got = clean(
        "DeepNorm",
        [out, values, values, x, gx, beta, gamma, WORK],
        dtype=dtype,
        ints=[rows, x.shape[1], columns],
        floats=[EPSILON, -1.5],
    )
    mean, variance, y = normalised(-1.5 * wide(x, columns) + wide(gx, columns))
    close(got[0][:, :columns], y * wide(gamma, columns) + wide(beta, columns), 5e-6, False, dtype)
    close(got[1][:rows], mean[:, 0], 2e-6, False, dtype)
    close(got[2][:rows], variance[:, 0], 4e-6, False, dtype)


@pytest.mark.parametrize("shape", [(1, 16), (8, 16), (5, 208)])
@pytest.mark.parametrize("dtype", DTYPES)
def test_batch_norm(dtype, shape):
    rows, columns = shape
    x = matrix(dtype, rows, columns)
    gamma, beta = (matrix(dtype, 1, rows, seed=seed)[0] for seed in (1, 2))
    out, values = poisoned(x.shape, dtype), results(dtype, columns)
    got = clean(
        "BatchNorm",
        [out, values, values, x, gamma, beta, WORK],
        dtype=dtype,
        ints=[rows, columns],
        floats=[EPSILON],
    )
    mean, variance, y = normalised(x.astype(np.float64), 0)
    want = y * wide(gamma, rows)[:, None] + wide(beta, rows)[:, None]
    close(got[0], want, 5e-6, False, dtype)
    close(got[1], mean[0], 1e-6, False, dtype)
    close(got[2], variance[0], 2e-6, False, dtype)


@pytest.mark.parametrize("shape", [(1, 2, 5, 1), (2, 6, 40, 3), (1, 4, 130, 4)])
@pytest.mark.parametrize("dtype", DTYPES)
def test_group_norm(dtype, shape):
    images, channels, area, groups = shape
    x = matrix(dtype, images * channels, area)
    gamma, beta = (matrix(dtype, 1, channels, seed=seed)[0] for seed in (1, 2))
    out, values = poisoned(x.shape, dtype), results(dtype, images * groups)
    got = clean(
        "GroupNorm",
        [out, values, values, x, gamma, beta, WORK],
        dtype=dtype,
        ints=list(shape),
        floats=[EPSILON],
    )
    plain = wide(x, area).reshape(images, channels, area)
    want = torch.nn.functional.group_norm(
        torch.from_numpy(plain),
        groups,
        torch.from_numpy(wide(gamma, channels)),
        torch.from_numpy(wide(beta, channels)),
        EPSILON,
    ).numpy()
    mean, variance, _ = normalised(plain.reshape(images * groups, -1))
    close(got[0][:, :area], want.reshape(-1, area), 5e-6, False, dtype)
    close(got[1][: images * groups], mean[:, 0], 1e-6, False, dtype)
    close(got[2][: images * groups], variance[:, 0], 2e-6, False, dtype)


@pytest.mark.parametrize("in_place", [0, 1])
@pytest.mark.parametrize("lanes,computed", [(16, 1), (64, 64), (160, 133)])
@pytest.mark.parametrize("dtype", DTYPES)
def test_welford_update(dtype, lanes, computed, in_place):
    mean, sums = matrix("float32", 1, lanes)[0], matrix("float32", 1, lanes, seed=1)[0]
    x = matrix(dtype, 1, lanes, seed=2)[0]
    out = poisoned(lanes, "float32")
    got = clean(
        "WelfordUpdate",
        [out, out, mean, sums, x, WORK],
        dtype=dtype,
        ints=[1, lanes, computed, in_place],
        floats=[0.25],
    )
    step = x.astype(np.float64) - mean
    new_mean = mean + step / 4
    want = new_mean, sums + step * (x - new_mean)
    for value, expected, old in zip(got[:2], want, (mean, sums), strict=True):
        close(value[:computed], expected[:computed], 2e-6, False, "float32")
        same(value[computed:], (old if in_place else out)[computed:])


# Calls, lanes, and the elements of the first lanes, their number, and those of the others.
LANES = [(4, 64, 4, 64, 0, 0), (3, 136, 3, 100, 2, 36), (1, 8, 1, 8, 0, 0)]


@pytest.mark.parametrize("by_counts", [0, 1])
@pytest.mark.parametrize("parts", LANES)
def test_welford_finalize(parts, by_counts):
    _, lanes, head, head_lanes, tail, tail_lanes = parts
    means, sums = matrix("float32", 1, lanes)[0], np.abs(matrix("float32", 1, lanes, seed=1)[0])
    counts = np.repeat([head, tail], [head_lanes, tail_lanes]).astype(np.int32)
    out = poisoned(8, "float32")
    elements = counts.sum()
    got = clean(
        "WelfordFinalize",
        [out, out, means, sums, counts, WORK],
        ints=[*parts, by_counts],
        floats=[1 / lanes, 1 / elements],
    )
    mean = (means.astype(np.float64) * counts).sum() / elements
    variance = (sums + counts * (means - mean) ** 2).sum() / elements
    assert abs(got[0][0] - mean) <= 1e-5
    assert abs(got[1][0] - variance) <= 1e-5 * variance
    same(got[0][1:], np.zeros(7, np.float32))
    same(got[1][1:], np.zeros(7, np.float32))


# Cases, with their matrices and the first numbers that they take.
NEED_WORK = {
    "LayerNorm": (6, [8, 8, 8]),
    "LayerNormSeparate": (6, [8, 8, 8]),
    "LayerNormGrad": (7, [8, 8, 8]),
    "LayerNormGradBeta": (4, [8, 8, 8]),
    "Normalize": (7, [8, 8, 8]),
    "DeepNorm": (7, [8, 8, 8]),
    "BatchNorm": (6, [8, 8]),
    "GroupNorm": (6, [1, 8, 8, 2]),
    "WelfordUpdate": (5, [1, 64, 64]),
    "WelfordFinalize": (5, [1, 64, 1, 64]),
}


@pytest.mark.parametrize("name", NEED_WORK)
def test_too_little_work_memory(name):
    count, ints = NEED_WORK[name]
    x = matrix("float32", 8, 8)
    ints = [*ints, *[0] * (7 - len(ints)), 16]
    buffers = [*[x.copy() for _ in range(count)], WORK]
    text = "sharedTmpBuffer must have at least"
    fault(text, name, buffers, dtype2="float32", ints=ints, floats=[EPSILON, 1])


@pytest.mark.parametrize(
    "ints,text",
    [
        ([2, 16, 16, 0], "para.rnLength must be"),
        ([1, 16, 17, 0], "para.abComputeLength must be in [1, 16]"),
        ([1, 16, 16, 0, 1], "results must not lie on sources"),
    ],
)
def test_welford_update_of_what_cannot_be(ints, text):
    lanes = [matrix("float32", 1, 16)[0] for _ in range(5)]
    fault(text, "WelfordUpdate", [*lanes, WORK], ints=ints, floats=[0.5])


def test_welford_finalize_of_lanes_that_do_not_add_up():
    lanes = [matrix("float32", 1, 16)[0] for _ in range(5)]
    fault("para.tailCount must be in [1, 4294967295], got 0", "WelfordFinalize", [*lanes, WORK],
          ints=[1, 16, 1, 8, 0, 8, 0], floats=[1 / 16, 1 / 16])  # fmt: skip
    text = "para.headCountLength + para.tailCountLength must be 16, got 12"
    fault(text, "WelfordFinalize", [*lanes, WORK], ints=[1, 16, 1, 8, 1, 4, 0], floats=[1 / 16, 1 / 16])
