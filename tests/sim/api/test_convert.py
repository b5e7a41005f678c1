# SPDX-License-Identifier: Apache-2.0
"""Tests Cast with every legal pair of types and mode and with special values; comparisons and selections."""

from __future__ import annotations

import math
from fractions import Fraction

import ml_dtypes
import numpy as np
import pytest

from .harness import (
    BFLOAT16,
    BITS,
    COUNT,
    MASK,
    clean,
    fault,
    issued,
    operands,
    poisoned,
    same,
    values,
)

NONE, RINT, FLOOR, CEIL, ROUND, TRUNC, ODD = range(7)
FIVE = [RINT, FLOOR, CEIL, ROUND, TRUNC]
# Atlas A2's conversions, as its documentation lists them.
PAIRS = {
    ("int8", "float16"): [NONE],
    ("uint8", "float16"): [NONE],
    ("int16", "float16"): [*FIVE, NONE],
    ("int16", "float32"): [NONE],
    ("float16", "int8"): [*FIVE, NONE],
    ("float16", "uint8"): [*FIVE, NONE],
    ("float16", "int16"): FIVE,
    ("float16", "int32"): FIVE,
    ("float16", "float32"): [NONE],
    ("bfloat16", "int32"): FIVE,
    ("bfloat16", "float32"): [NONE],
    ("int32", "int16"): [NONE],
    ("int32", "float32"): [*FIVE, NONE],
    ("int32", "int64"): [NONE],
    ("float32", "int16"): FIVE,
    ("float32", "float16"): [*FIVE, NONE, ODD],
    ("float32", "bfloat16"): FIVE,
    ("float32", "int32"): FIVE,
    ("float32", "float32"): FIVE,
    ("float32", "int64"): FIVE,
    ("int64", "int32"): [NONE],
    ("int64", "float32"): FIVE,
}
TYPES = {"bfloat16": BFLOAT16}
SPECIAL = [
    0.0,
    -0.0,
    0.5,
    -0.5,
    1.5,
    -1.5,
    2.5,
    -2.5,
    0.49999997,
    -0.49999997,
    8388609.0,
    -8388609.0,
    1e-45,
    -1e-40,
]
SPECIAL += [
    65504.0,
    65519.0,
    65520.0,
    -65520.0,
    65536.0,
    6e-8,
    2.9802322e-08,
    2.98e-8,
    -3e-8,
    3.4028235e38,
    -3.4028235e38,
]
SPECIAL += [
    127.5,
    128.5,
    255.5,
    -128.5,
    32767.5,
    -32769.0,
    2147483647.0,
    -2147483648.0,
    9.3e18,
    -9.3e18,
    1e10,
]
SPECIAL += [1.00048828125, 1.0014648437, 1.00390625, 1.01171875, math.inf, -math.inf, math.nan]


def dtype_of(name):
    return np.dtype(TYPES.get(name, name))


def to_integer(value: Fraction, mode) -> int:
    low = math.floor(value)
    rest = value - low
    if mode == FLOOR or rest == 0:
        return low
    if mode == CEIL:
        return low + 1
    if mode == TRUNC:
        return low if value >= 0 else low + 1
    if rest == Fraction(1, 2):
        return (low + 1 if value > 0 else low) if mode == ROUND else low + low % 2
    return low + (rest > Fraction(1, 2))


# Of each type: bits of the mantissa, smallest exponent of the last bit, largest finite value.
FORMATS = {
    "float16": (11, -24, 65504.0),
    "bfloat16": (8, -133, 3.3895314e38),
    "float32": (24, -149, 3.4028234663852886e38),
}


def to_float(value: Fraction, name, mode):
    """Rounds a value to a float format exactly, in any mode. Towards zero it never gives infinity."""
    bits, least, largest = FORMATS[name]
    if value == 0:
        return 0.0
    magnitude = abs(value)
    exponent = math.floor(math.log2(magnitude)) if magnitude < 2**1000 else 1000
    while Fraction(2) ** exponent > magnitude:
        exponent -= 1
    while Fraction(2) ** (exponent + 1) <= magnitude:
        exponent += 1
    unit = Fraction(2) ** max(exponent - bits + 1, least)
    units = magnitude / unit
    if mode == ODD:
        whole = math.floor(units)
        whole |= units != whole
    else:
        direction = {FLOOR: TRUNC, CEIL: CEIL} if value > 0 else {FLOOR: CEIL, CEIL: TRUNC}
        whole = to_integer(units, direction.get(mode, mode))
    result = float(whole * unit)
    if result > largest:
        away = mode in (RINT, NONE, ROUND) or (mode == FLOOR and value < 0) or (mode == CEIL and value > 0)
        result = math.inf if away else largest
    return math.copysign(result, value)


def expected(source, target, mode, array):
    mode = RINT if mode == NONE else mode
    out = []
    for item in array:
        value = item.item() if source != "bfloat16" else float(item)
        special = isinstance(value, float) and (math.isnan(value) or math.isinf(value))
        if target.startswith(("int", "uint")):
            info = np.iinfo(target)
            if special:
                out.append(0 if math.isnan(value) else info.max if value > 0 else info.min)
            else:
                out.append(min(max(to_integer(Fraction(value), mode), info.min), info.max))
        elif special:
            out.append(value)
        elif source == target:
            out.append(float(to_integer(Fraction(value), mode)))
        else:
            rounded = to_float(Fraction(value), target, mode)
            out.append(math.copysign(rounded, value) if isinstance(value, float) else rounded)
    kind = dtype_of(target)
    return (
        np.array(out, np.float64).astype(np.float32).astype(kind)
        if target in FORMATS
        else np.array(out, kind)
    )


def inputs(source):
    dtype = dtype_of(source)
    if dtype.kind in "iu":
        info = np.iinfo(dtype)
        near = [
            info.min,
            info.max,
            0,
            1,
            -1,
            127,
            128,
            255,
            256,
            2049,
            32767,
            32768,
            16777217,
            16777219,
            2147483520,
        ]
        near = np.array([n for n in near if info.min <= n <= info.max], dtype)
        return np.concatenate([near, values(source, 40, 1)])
    with np.errstate(over="ignore"):
        special = np.array(SPECIAL, np.float64).astype(np.float32).astype(dtype)
        many = (
            (np.random.default_rng(2).standard_normal(60) * 10.0 ** np.arange(-10, 20, 0.5))
            .astype(np.float32)
            .astype(dtype)
        )
    return np.concatenate([special, many])


@pytest.mark.parametrize("source,target,mode", [(s, t, m) for (s, t), modes in PAIRS.items() for m in modes])
def test_cast(source, target, mode):
    array = inputs(source)
    out = poisoned(len(array) + 8, dtype_of(target))
    got = clean(
        "Cast", [out, array], dtype=dtype_of(source), dtype2=dtype_of(target), ints=[len(array), mode]
    )[0]
    same(got[: len(array)], expected(source, target, mode, array))
    same(got[len(array) :], out[len(array) :])


@pytest.mark.parametrize("source,target", list(PAIRS))
def test_cast_modes_that_a_pair_lacks(source, target):
    array = values(source if source != "bfloat16" else BFLOAT16, 8, 3)
    for mode in set(range(7)) - set(PAIRS[source, target]):
        out = poisoned(8, dtype_of(target))
        fault(
            "roundMode must be one of",
            "Cast",
            [out, array],
            dtype=dtype_of(source),
            dtype2=dtype_of(target),
            ints=[8, mode],
        )


def test_pairs_are_those_of_the_device():
    for source in ["float32", "float16", "bfloat16", "int8", "uint8", "int16", "int32", "int64"]:
        for target in ["float32", "float16", "bfloat16", "int8", "uint8", "int16", "int32", "int64"]:
            if (source, target) in PAIRS or (source, target) == ("int32", "float16"):
                continue
            out = [poisoned(8, dtype_of(target)), np.zeros(8, dtype_of(source))]
            fault("no such pair", "Cast", out, dtype=dtype_of(source), dtype2=dtype_of(target), ints=[8, 1])


def test_every_half_to_float_and_back():
    bits = np.arange(65536, dtype=np.uint16)
    for start in range(0, 65536, 16384):
        part = bits[start : start + 16384].view(np.float16)
        wide = clean(
            "Cast", [poisoned(16384, "float32"), part], dtype="float16", dtype2="float32", ints=[16384, NONE]
        )[0]
        same(wide, part.astype(np.float32))
        back = clean(
            "Cast", [poisoned(16384, "float16"), wide], dtype="float32", dtype2="float16", ints=[16384, RINT]
        )[0]
        same(back, part)


def test_float_to_narrow_against_their_libraries():
    bits = np.random.default_rng(4).integers(0, 2**32, 20000, np.uint32)
    array = bits.view(np.float32)
    with np.errstate(all="ignore"):
        for dtype in [np.float16, ml_dtypes.bfloat16]:
            got = clean(
                "Cast", [poisoned(20000, dtype), array], dtype="float32", dtype2=dtype, ints=[20000, RINT]
            )[0]
            same(got, array.astype(dtype))


def test_cast_from_int32_to_half_is_scaled():
    array = np.array([1, -3, 100000, 2**31 - 1, 0, 7, 8, 9], np.int32)
    got = clean("CastDeq", [poisoned(8, "float16"), array], ints=[8], floats=[0.5])[0]
    with np.errstate(over="ignore"):
        same(got, (array.astype(np.float32) * np.float32(0.5)).astype(np.float16))


@pytest.mark.parametrize("form", [MASK, BITS])
def test_cast_level0(form):
    array = values("float16", 256, 5)
    out = poisoned(192, "float32")
    want = out.copy()
    if form == MASK:
        # Two repeats of 50 lanes: 8 data blocks from repeat to repeat in dst, 4 in src.
        want[:50], want[64:114] = array[:50].astype(np.float32), array[64:114].astype(np.float32)
        ints = [50, NONE, 2, 1, 1, 8, 4]
    else:
        lanes = [i for i in range(64) if (0xF00F000000000011 >> i) & 1]
        want[lanes] = array[lanes].astype(np.float32)
        ints = [0xF00F000000000011, NONE, 0]
    same(clean("Cast", [out, array], dtype="float16", dtype2="float32", form=form, ints=ints)[0], want)


@pytest.mark.parametrize("dtype", ["float32", "float16"])
def test_rounding_functions(dtype):
    array = np.array([s for s in SPECIAL if abs(s) < 60000 or not math.isfinite(s)], np.float32).astype(dtype)
    count = len(array)
    got = clean(
        "Rounding",
        [*[poisoned(count, dtype)] * 4, array, poisoned(max(4 * count, 128), "uint8")],
        dtype=dtype,
        ints=[count],
    )
    for result, function in zip(got, [np.ceil, np.floor, np.rint, np.trunc], strict=False):
        same(result, (function(array.astype(np.float32)) + np.float32(0)).astype(dtype))


MODES = {0: np.less, 1: np.greater, 2: np.equal, 3: np.less_equal, 4: np.greater_equal, 5: np.not_equal}


def bits_of(mode, a, b):
    # Every comparison with a NaN is false, NE too.
    held = (
        MODES[mode](a, b) & ~(np.isnan(a) | np.isnan(b))
        if np.asarray(a).dtype.kind == "f"
        else MODES[mode](a, b)
    )
    return np.packbits(held, bitorder="little")


@pytest.mark.parametrize("mode", MODES)
@pytest.mark.parametrize("dtype", ["float32", "float16"])
def test_compare(dtype, mode):
    a, b = values(dtype, 512, 6), values(dtype, 512, 7)
    b[::3] = a[::3]
    out = poisoned(80, "uint8")
    want = out.copy()
    want[:64] = bits_of(mode, a, b)
    same(clean("Compare", [out, a, b], dtype=dtype, ints=[512, mode])[0], want)
    want[:64] = bits_of(mode, a, np.full(512, a[4]))
    same(clean("CompareScalar", [out, a], dtype=dtype, ints=[512, mode], floats=[a[4]])[0], want)


def test_compare_level0_strides():
    a, b, out = values("float32", 256, 8), values("float32", 256, 9), poisoned(32, "uint8")
    want = out.copy()
    # From repeat to repeat there are 16 data blocks in src0 and none in src1; results follow each other.
    want[:16] = bits_of(0, np.concatenate([a[:64], a[128:192]]), np.concatenate([b[:64], b[:64]]))
    same(clean("Compare", [out, a, b], form=MASK, ints=[64, 0, 2, 1, 1, 1, 8, 16, 0])[0], want)
    want[:16] = bits_of(1, np.concatenate([a[:64], a[128:192]]), np.full(128, 0.25, np.float32))
    same(clean("CompareScalar", [out, a], form=MASK, ints=[64, 1, 2, 1, 1, 8, 16], floats=[0.25])[0], want)


def test_compare_faults():
    a, out = values("float32", 128, 10), poisoned(32, "uint8")
    fault("count * sizeof(T) must be a multiple of 256 bytes", "Compare", [out, a, a], ints=[100, 0])
    fault(
        "count * sizeof(T) must be a multiple of 256 bytes",
        "CompareScalar",
        [out, a],
        ints=[65, 0],
        floats=[1],
    )
    whole = values("int32", 64, 11)
    fault("cmpMode must be EQ for int32_t", "Compare", [out, whole, whole], dtype="int32", ints=[64, 0])
    want = out.copy()
    want[:8] = 255
    same(clean("Compare", [out, whole, whole], dtype="int32", ints=[64, 2])[0], want)


def test_compare_to_register_and_select_by_it():
    a, b = values("float32", 64, 12), values("float32", 64, 13)
    got = clean("CompareRegister", [poisoned(128, "uint8"), a, b, poisoned(64, "float32")], ints=[0, 1])
    same(got[0][:8], bits_of(1, a, b))
    same(got[3], np.where(np.unpackbits(bits_of(1, a, b), bitorder="little").astype(bool), a, b))


def test_select_by_register():
    mask = np.random.default_rng(14).integers(0, 256, 32, np.uint8)
    a, b, scalar = values("float32", 128, 15), values("float32", 128, 16), np.full(8, 7.5, np.float32)
    got = clean(
        "SelectRegister",
        [poisoned(128, "float32"), mask, a, b, scalar, np.zeros(4, np.uint64), poisoned(128, "float32")],
    )
    chosen = np.unpackbits(mask, bitorder="little").astype(bool)[:128]
    same(got[0], np.where(chosen, a, np.float32(7.5)))
    same(got[6], np.where(chosen, a, b))


@pytest.mark.parametrize("dtype", ["float32", "float16"])
@pytest.mark.parametrize("mode", [0, 1, 2])
@pytest.mark.parametrize("form,count", [(COUNT, 200), (MASK, None)])
def test_select(dtype, mode, form, count):
    lanes = 256 // np.dtype(dtype).itemsize
    count = count or 2 * lanes
    mask = np.random.default_rng(17).integers(0, 256, 64, np.uint8)
    a, b, out = values(dtype, 256, 18), values(dtype, 256, 19), poisoned(256, dtype)
    chosen = np.unpackbits(mask, bitorder="little").astype(bool)[:256]
    if mode == 0:
        chosen = np.tile(chosen[:lanes], 4)[:256]
    want = out.copy()
    other = np.full(256, 1.5, dtype) if mode == 1 else b
    want[:count] = np.where(chosen, a, other)[:count]
    ints = [count, mode] if form == COUNT else [lanes, mode, 2, 1, 1, 1, 8, 8, 8]
    same(clean("Select", [out, mask, a, b], dtype=dtype, form=form, ints=ints, floats=[1.5])[0], want)


SCRATCH = 184 * 1024  # where CANN's Select keeps a scalar or an address for the register CMPMASK, on Atlas A2


@pytest.mark.parametrize("dtype", ["float32", "float16"])
@pytest.mark.parametrize("mode", [0, 1, 2])
@pytest.mark.parametrize("form", [COUNT, MASK])
def test_select_issues_what_cann_issues(dtype, mode, form):
    """With a count, the forms with two tensors end with a barrier; CANN 8.1, dav_c220/…_vec_cmpsel_impl.h."""
    lanes = 256 // np.dtype(dtype).itemsize
    buffers = [poisoned(256, dtype), np.zeros(64, np.uint8), values(dtype, 256, 20), values(dtype, 256, 21)]
    ints = [256, mode] if form == COUNT else [lanes, mode, 2, 1, 1, 1, 8, 8, 8]
    call = ("Select", buffers)
    words = {"dtype": dtype, "form": form, "ints": ints, "floats": [1.5]}
    fill = ["V Duplicate", "barrier V"] if mode > 0 else []
    last = ["barrier V"] if form == COUNT and mode != 1 else []
    assert issued(*call, **words) == [*fill, "V SetCmpMask", "barrier V", "V Select", *last]
    if mode > 0:
        bytes_ = 128 if mode == 2 else 32 * np.dtype(dtype).itemsize
        assert operands("Duplicate", *call, **words) == [[("UB", "w", SCRATCH, bytes_)]]
        assert operands("SetCmpMask", *call, **words) == [[("UB", "r", SCRATCH, 16)]]


@pytest.mark.parametrize("name", ["Compare", "CompareScalar"])
def test_comparisons_of_many_elements_take_252_repeats_each(name):
    a = values("float32", 300 * 64, 22)
    buffers = [poisoned(300 * 8, "uint8"), a, a][: 3 if name == "Compare" else 2]
    words = {"ints": [300 * 64, 2], "floats": [0.0]}
    assert issued(name, buffers, **words) == [f"V {name}"] * 2
    sizes = [one[0][3] for one in operands(name, name, buffers, **words)]
    assert sizes == [252 * 8, 48 * 8]
