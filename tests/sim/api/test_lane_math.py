# SPDX-License-Identifier: Apache-2.0
"""Compares functions of the high-level API that work element by element with NumPy and math.

The documentation asks for ranges, not for errors. The bounds here are those that the headers state: float32 results
within some units in the last place, absolute where a difference of near numbers or a table without small results is
computed (TOLERANCE). float16 is computed in float32, so that it is off by one rounding.
"""

from __future__ import annotations

import math

import numpy as np
import pytest

from . import harness
from .harness import Empty, clean, fault, poisoned, same, values

COUNTS = [1, 65, 333]
HALF_STEP = 2.0**-11


def scalar(function):
    return np.vectorize(function, otypes=[np.float64])


# name: reference, lowest and highest argument, error relative to max(1, |result|), or to the result itself
UNARY = {
    "Sin": (np.sin, -65504, 65504, 4e-7, False),
    "Cos": (np.cos, -65504, 65504, 4e-7, False),
    "Tan": (np.tan, -1.5, 1.5, 1e-6, False),
    "Asin": (np.arcsin, -1, 1, 6e-7, True),
    "Acos": (np.arccos, -1, 1, 1e-6, True),
    "Atan": (np.arctan, -300, 300, 6e-7, True),
    "Sinh": (np.sinh, -88, 88, 1e-6, False),
    "Cosh": (np.cosh, -88, 88, 1e-6, False),
    "Tanh": (np.tanh, -12, 12, 3e-7, False),
    "Asinh": (np.arcsinh, -1e6, 1e6, 1e-6, False),
    "Acosh": (np.arccosh, 1, 1e6, 1e-6, False),
    "Atanh": (np.arctanh, -0.999, 0.999, 1e-6, False),
    "Erf": (scalar(math.erf), -5, 5, 5e-7, True),
    "Erfc": (scalar(math.erfc), -4, 9, 2e-6, True),
    "Frac": (lambda x: x - np.trunc(x), -1000, 1000, 0, False),
    "Sign": (np.sign, -1000, 1000, 0, False),
    "Log2": (np.log2, 1e-6, 1e6, 4e-7, False),
    "Log": (np.log, 1e-6, 1e6, 4e-7, False),
    "Log10": (np.log10, 1e-6, 1e6, 4e-7, False),
}
WITHOUT_WORK = ["Log", "Log10"]
# float16 holds less of a range, or a step at its edge is large.
HALF_RANGES = {"Sinh": (-11, 11), "Cosh": (-11, 11), "Erfc": (-4, 3), "Asinh": (-6e4, 6e4), "Acosh": (1, 6e4)}
# Log10 of float16 is computed in float16, in two steps.
ROUNDINGS = {"Log10": 2.5}
LOGS = ["Log", "Log2", "Log10"]


@pytest.fixture(autouse=True)
def silent():
    with np.errstate(all="ignore"):
        yield


def arguments(name, dtype, count):
    low, high = UNARY[name][1:3]
    if dtype == "float16":
        low, high = HALF_RANGES.get(name, (low, high))
        low, high = max(low, -6e4), min(high, 6e4)
        if name in LOGS:
            low = 1e-3
    rng = np.random.default_rng(count)
    x = rng.uniform(low, high, count)
    # A third near the ends and near 0, where there is a small argument.
    near = (
        rng.uniform(-1e-3, 1e-3, count)
        if low < 0 < high
        else low + rng.uniform(0, 1e-3, count) * (high - low)
    )
    x = np.where(rng.integers(0, 3, count) == 0, near, x).astype(dtype)
    return np.clip(x, np.dtype(dtype).type(low), np.dtype(dtype).type(high))


def work_sizes(name, dtype, count):
    """The most and the least bytes, as the host function says."""
    if harness.back_end is not harness.OWN:
        return 12 * 256 * 4, 12 * 256 * 4
    got = clean(f"Work{name}", [np.zeros(8, np.int32)], dtype=dtype, ints=[count])[0]
    return int(got[0]), int(got[1])


def close(got, want, error, relative, dtype, roundings=1.1):
    want = np.asarray(want, np.float64)
    scale = np.abs(want) if relative else np.maximum(1, np.abs(want))
    limit = error * scale
    if dtype == "float16":
        limit = limit + roundings * np.maximum(np.abs(want) * HALF_STEP, 2.0**-25)
    else:
        limit = limit + 2.0**-149
    wrong = ~(
        (np.abs(got.astype(np.float64) - want) <= limit) | (got == want) | np.isnan(got) & np.isnan(want)
    )
    assert not wrong.any(), (got[wrong][:4], want[wrong][:4])


def check(name, dtype, x, got):
    function, _, _, error, relative = UNARY[name]
    close(got, function(x.astype(np.float64)), error, relative, dtype, ROUNDINGS.get(name, 1.1))


@pytest.mark.parametrize("count", COUNTS)
@pytest.mark.parametrize("dtype", ["float32", "float16"])
@pytest.mark.parametrize("name", UNARY)
def test_unary(name, dtype, count):
    x = arguments(name, dtype, count)
    out = poisoned(count + 16, dtype)
    least = 0 if name in WITHOUT_WORK else work_sizes(name, dtype, count)[1]
    got = clean(name, [out, x, Empty(least)], dtype=dtype, ints=[count, 0])[0]
    check(name, dtype, x, got[:count])
    same(got[count:], out[count:])


@pytest.mark.parametrize("way", [1, 2, 3])
@pytest.mark.parametrize("name", ["Sin", "Atan", "Erfc", "Frac"])
def test_ways_to_call(name, way):
    x = arguments(name, "float32", 200)
    most = work_sizes(name, "float32", 200)[0]
    got = clean(name, [poisoned(200, "float32"), x, Empty(most)], ints=[200, way])[0]
    check(name, "float32", x, got)


SPECIAL = {
    "Asin": ([2, -2, 1, -1, 0], [np.nan, np.nan, np.pi / 2, -np.pi / 2, 0]),
    "Acos": ([2, -2, 1, -1], [np.nan, np.nan, 0, np.pi]),
    "Atan": ([np.inf, -np.inf, 1e38, 0], [np.pi / 2, -np.pi / 2, np.pi / 2, 0]),
    "Sinh": ([89, -89, 100], [np.sinh(89), np.sinh(-89), np.inf]),
    "Cosh": ([89, -89, -100], [np.cosh(89), np.cosh(89), np.inf]),
    "Tanh": ([np.inf, -np.inf, 0], [1, -1, 0]),
    "Asinh": ([np.inf, -3e38, 1e19, 0], [np.inf, np.arcsinh(-3e38), np.arcsinh(1e19), 0]),
    "Acosh": ([0.5, 1, 3e38], [np.nan, 0, np.arccosh(3e38)]),
    "Atanh": ([2, 1, -1, 0], [np.nan, np.inf, -np.inf, 0]),
    "Erf": ([np.inf, -np.inf, 0], [1, -1, 0]),
    "Erfc": ([np.inf, -np.inf, 0], [0, 2, 1]),
    "Sign": ([1e-45, -1e-45, 0, -np.inf], [1, -1, 0, -1]),
    "Log2": ([0, 8, np.inf, -1], [-np.inf, 3, np.inf, np.nan]),
}


@pytest.mark.parametrize("name", SPECIAL)
def test_special_values(name):
    """Ends of the ranges, and a NaN, which stays one, but for its sign."""
    inputs, wanted = SPECIAL[name]
    x = np.array([*inputs, np.nan], np.float32)
    want = np.array([*wanted, 0 if name == "Sign" else np.nan], np.float32)
    least = work_sizes(name, "float32", len(x))[1]
    got = clean(name, [poisoned(len(x), "float32"), x, Empty(least)], ints=[len(x), 0])[0]
    close(got, want, 2e-6, False, "float32")


def test_the_source_is_not_changed():
    x = arguments("Sin", "float32", 100)
    same(clean("Sin", [poisoned(100, "float32"), x, Empty(768)], ints=[100, 0])[1], x)


def test_sine_with_the_source_as_work_memory():
    x = arguments("Sin", "float32", 100)
    check("Sin", "float32", x, clean("SinReuse", [poisoned(100, "float32"), x, Empty(512)])[0])


@pytest.mark.parametrize("name", ["Atan", "Log", "Sin"])
def test_in_place(name):
    """The documentation forbids it; public kernels do it."""
    if harness.back_end is not harness.OWN:
        pytest.skip("the documentation forbids it")
    # sim_api gives each buffer its own place, so that the source is the result of the call before.
    x = arguments("Atan", "float32", 100)
    got = clean(f"{name}InPlace", [x, Empty(2048)], ints=[100])[0]
    want = {"Atan": np.arctan, "Log": np.log, "Sin": np.sin}[name](x.astype(np.float64))
    close(got, want, 1e-6, False, "float32")


@pytest.mark.parametrize("dtype", ["float32", "float16"])
def test_exponential_by_series(dtype):
    x = np.concatenate([np.linspace(-10, 10, 100), [0, -np.inf, np.inf, np.nan]]).astype(dtype)
    least = work_sizes("Exp", dtype, len(x))[1]
    got = clean("ExpBySeries", [poisoned(len(x), dtype), x, Empty(least)], dtype=dtype, ints=[len(x)])[0]
    close(got, np.exp(x.astype(np.float64)), 1e-6, True, dtype)


@pytest.mark.parametrize("dtype", ["float32", "float16"])
def test_fmod(dtype):
    rng = np.random.default_rng(5)
    a = rng.integers(-2000, 2000, 200).astype(dtype)
    b = (rng.integers(1, 60, 200) * rng.choice([-1, 1], 200)).astype(dtype)
    least = work_sizes("Fmod", dtype, 200)[1]
    got = clean("Fmod", [poisoned(200, dtype), a, Empty(least), b], dtype=dtype, ints=[200, 0])[0]
    close(got, np.fmod(a.astype(np.float64), b.astype(np.float64)), 0, False, dtype)


POWERS = [
    (2, 10),
    (-2, 3),
    (-2, 2),
    (-2, 0.5),
    (0, 0),
    (0, 2),
    (0, -1),
    (5, 0),
    (1e-3, 2.5),
    (9, 0.5),
    (-1, -3),
]
POWER_WORK = {"float32": 6 * 256, "float16": 8 * 256}  # 5 and 7 units with scalars, and one for a mask


@pytest.mark.parametrize("dtype", ["float32", "float16"])
def test_power(dtype):
    rng = np.random.default_rng(6)
    base = np.concatenate([[p[0] for p in POWERS], rng.uniform(0.1, 10, 150)]).astype(dtype)
    exponent = np.concatenate([[p[1] for p in POWERS], rng.uniform(-3, 4, 150)]).astype(dtype)
    count = len(base)
    buffers = [poisoned(count, dtype), base, Empty(POWER_WORK[dtype]), exponent]
    want = np.power(base.astype(np.float64), exponent.astype(np.float64))
    close(clean("Power", buffers, dtype=dtype, ints=[count, 0])[0], want, 3e-6, True, dtype)


@pytest.mark.parametrize("dtype", ["float32", "float16"])
def test_power_of_scalars(dtype):
    x = np.linspace(0.25, 3, 150).astype(dtype)
    out = [poisoned(150, dtype), poisoned(150, dtype), Empty(POWER_WORK[dtype])]
    got = clean("PowerOfScalars", [*out, x], dtype=dtype, ints=[150, 0], floats=[2.5])
    wide = x.astype(np.float64)
    close(got[0], wide**2.5, 3e-6, True, dtype)
    close(got[1], 2.5**wide, 3e-6, True, dtype)


@pytest.mark.parametrize("dtype", ["float32", "float16"])
def test_clamps(dtype):
    x = values(dtype, 200, specials=False)
    got = clean(
        "Clamps", [*[poisoned(200, dtype)] * 2, x, Empty(256)], dtype=dtype, ints=[200], floats=[2, -3]
    )
    same(got[0], np.minimum(x, np.dtype(dtype).type(2)))
    same(got[1], np.maximum(x, np.dtype(dtype).type(-3)))


@pytest.mark.parametrize("count", [1, 128, 300])
@pytest.mark.parametrize("dtype", ["int16", "uint16"])
def test_xor(dtype, count):
    a, b = values(dtype, count, 1), values(dtype, count, 2)
    got = clean("Xor", [poisoned(count, dtype), a, Empty(256), b], dtype=dtype, ints=[count, 0])[0]
    same(got, a ^ b)


def test_axpy_in_work_memory():
    a, b = values("float16", 200, 1, specials=False), values("float16", 200, 2, specials=False)
    got = clean("AxpyInWork", [a, b, Empty(1024)], ints=[200], floats=[2.5])[0]
    close(got, a.astype(np.float64) + 2.5 * b.astype(np.float64), 0, True, "float16")


@pytest.mark.parametrize(
    "name,dtype", [("Sin", "float32"), ("Sin", "float16"), ("Atan", "float32"), ("Xor", "int16")]
)
def test_too_little_work_memory(name, dtype):
    """32 bytes less than the body needs."""
    needs = {"float32": 512, "float16": 768, "int16": 256}[dtype]
    x = values(dtype, 100, specials=False)
    least = f"sharedTmpBuffer must have at least {needs} bytes"
    fault(least, name, [poisoned(100, dtype), x, Empty(needs - 32), x], dtype=dtype, ints=[100, 0])


def test_sizes_of_work_memory():
    """Some of the documented functions' results for 1000 elements: units of the source, and 256 bytes at least."""
    if harness.back_end is not harness.OWN:
        pytest.skip("host functions")
    assert work_sizes("Sin", "float32", 1000) == (3 * 4000, 3 * 256)
    assert work_sizes("Sin", "float16", 1000) == (8 * 2000, 8 * 256)
    assert work_sizes("Frac", "float32", 1000) == (0, 0)
    assert work_sizes("Xor", "float16", 10) == (256, 256)
