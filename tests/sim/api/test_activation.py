# SPDX-License-Identifier: Apache-2.0
"""Compares activation functions of the high-level API with torch.

float32 is off by some roundings of exp and its argument (1e-6). Sigmoid, Silu and Swish of float16 are computed in
float16 in four steps, each of which rounds; the other ones in float32, so that one rounding remains.
"""

from __future__ import annotations

import numpy as np
import pytest
import torch

from .harness import Empty, clean, fault, poisoned, same
from .test_lane_math import close


def wide(x):
    return torch.from_numpy(x.astype(np.float64))


def faster_gelu_v2(x):
    inner = torch.clamp(x.abs() / 2**0.5, max=1.769) - 1.769
    return x * (torch.sign(x) * (-0.1444 * inner**2 + 0.5) + 0.5)


def tanh_gelu(x):
    return torch.nn.functional.gelu(x, approximate="tanh")


# name: reference, least work memory of float32 and float16, roundings of float16
UNARY = {
    "Sigmoid": (torch.sigmoid, 256, 256, 5),
    "Gelu": (tanh_gelu, 768, 768, 1.1),
    "FasterGelu": (lambda x: x * torch.sigmoid(1.702 * x), 768, 768, 1.1),
    "FasterGeluV2": (faster_gelu_v2, 768, 768, 1.1),
    "Silu": (torch.nn.functional.silu, 0, 0, 12),
    "Swish": (lambda x: x * torch.sigmoid(1.5 * x), 0, 0, 16),
}
GATED = {
    "GeGLU": (lambda a, b: a * tanh_gelu(b), 0, 1024),
    "ReGlu": (lambda a, b: a * torch.relu(b), 0, 1536),
    "SwiGLU": (lambda a, b: a * b * torch.sigmoid(1.5 * b), 0, 1536),
}
DTYPES = ["float32", "float16"]


def numbers(dtype, count, seed=0):
    return np.random.default_rng(seed).uniform(-6, 6, count).astype(dtype)


@pytest.mark.parametrize("count", [1, 65, 333])
@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("name", UNARY)
def test_unary(name, dtype, count):
    function, float_work, half_work, roundings = UNARY[name]
    x = numbers(dtype, count)
    out = poisoned(count + 16, dtype)
    work = Empty(float_work if dtype == "float32" else half_work)
    got = clean(name, [out, x, work], dtype=dtype, ints=[count, 0])[0]
    close(got[:count], function(wide(x)).numpy(), 1e-6, False, dtype, roundings)
    same(got[count:], out[count:])


@pytest.mark.parametrize("count", [1, 333])
@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("name", GATED)
def test_gated(name, dtype, count):
    function, float_work, half_work = GATED[name]
    a, b = numbers(dtype, count, 1), numbers(dtype, count, 2)
    work = Empty(float_work if dtype == "float32" else half_work)
    got = clean(name, [poisoned(count, dtype), a, work, b], dtype=dtype, ints=[count])[0]
    close(got, function(wide(a), wide(b)).numpy(), 2e-6, False, dtype)


@pytest.mark.parametrize("way", [1, 2, 3])
def test_ways_to_call_sigmoid(way):
    x = numbers("float32", 200)
    got = clean("Sigmoid", [poisoned(200, "float32"), x, Empty(1024)], ints=[200, way])[0]
    close(got, torch.sigmoid(wide(x)).numpy(), 1e-6, False, "float32")


def test_too_little_work_memory():
    x = numbers("float32", 100)
    fault(
        "sharedTmpBuffer must have at least 256 bytes",
        "Gelu",
        [poisoned(100, "float32"), x, Empty(224)],
        ints=[100],
    )
