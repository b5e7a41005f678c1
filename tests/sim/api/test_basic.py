# SPDX-License-Identifier: Apache-2.0
"""Helpers of kernels, operators of tensors, functions of several instructions, and copies of slices, beside NumPy."""

from __future__ import annotations

import numpy as np
import pytest

from .harness import BITS, COUNT, MASK, Empty, Global, clean, fault, poisoned, reported, same, values

HELPERS = [1.75, 2.5, 3, 1.5, 1, 2.5, 3, 2, 64, 2, 3, 4, 0, 9, 14, 1, 0, 1, 8, 128, 64, 32, 1, 1]
OPERATORS = {
    "add": (lambda a, b: a + b, ["float32", "float16", "int16", "int32"]),
    "sub": (lambda a, b: a - b, ["float32", "float16", "int16", "int32"]),
    "mul": (lambda a, b: a * b, ["float32", "float16", "int16", "int32"]),
    "div": (lambda a, b: a / b, ["float32", "float16"]),
    "and": (lambda a, b: a & b, ["int16", "uint16"]),
    "or": (lambda a, b: a | b, ["int16", "uint16"]),
}
COMPARISONS = {
    "lt": np.less,
    "gt": np.greater,
    "eq": np.equal,
    "le": np.less_equal,
    "ge": np.greater_equal,
    "ne": np.not_equal,
}


@pytest.fixture(autouse=True)
def silent():
    with np.errstate(all="ignore"):
        yield


def relu(a):
    return np.where(a <= 0, np.zeros_like(a), a)


def wide(a):
    return a.astype(np.float32) if a.dtype == np.float16 else a


def test_helpers():
    same(clean("Helpers", [poisoned(24, "float32")])[0], np.array(HELPERS, np.float32))


@pytest.mark.parametrize("name,dtype", [(n, d) for n, (_, dtypes) in OPERATORS.items() for d in dtypes])
def test_operators(name, dtype):
    a, b = values(dtype, 200, 1), values(dtype, 200, 2)
    got = clean(f"operator_{name}", [poisoned(200, dtype), a, b], dtype=dtype)[0]
    same(got, OPERATORS[name][0](wide(a), wide(b)).astype(dtype))


@pytest.mark.parametrize("dtype", ["float32", "float16"])
@pytest.mark.parametrize("name", COMPARISONS)
def test_comparisons(name, dtype):
    a, b = values(dtype, 256, 3), values(dtype, 256, 4)
    b[::3] = a[::3]
    got = clean(f"operator_{name}", [poisoned(32, "uint8"), a, b], dtype=dtype)[0]
    same(got, np.packbits(COMPARISONS[name](a, b), bitorder="little"))


def test_an_operator_names_its_fault():
    a = values("float32", 64, 1)
    fault("Add", "operator_add", [poisoned(128, "float32"), a, a])


CASTS = {
    "AddReluCast": lambda a, b: relu(a + b),
    "SubReluCast": lambda a, b: relu(a - b),
    "MulCast": lambda a, b: a * b,
}


def narrow(value, dtype):
    if np.dtype(dtype).kind == "f":
        return value.astype(dtype)
    info = np.iinfo(dtype)
    rounded = np.where(np.isnan(value), 0, np.rint(value)) if value.dtype.kind == "f" else value
    return np.clip(rounded, info.min, info.max).astype(dtype)


@pytest.mark.parametrize("form,mask", [(COUNT, [100]), (MASK, [40, 0]), (BITS, [0xF0F1, 0])])
@pytest.mark.parametrize(
    "name,suffix,source,target",
    [
        (name, suffix, source, target)
        for name in ("AddReluCast", "SubReluCast")
        for suffix, source, target in (
            ("half", "float16", "int8"),
            ("float", "float32", "float16"),
            ("int16", "int16", "int8"),
        )
    ]
    + [("MulCast", "int8", "float16", "int8"), ("MulCast", "uint8", "float16", "uint8")],
)
def test_computed_casts(name, suffix, source, target, form, mask):
    a, b, out = values(source, 128, 5), values(source, 128, 6), poisoned(128, target)
    if source != "int16":
        a[40:], b[40:] = a[40:] % 8, b[40:] % 8
    bits = mask[0] if form == BITS else (1 << mask[0]) - 1
    lanes = [i for i in range(128) if bits >> i & 1]
    want = out.copy()
    # The result is rounded to the type of the sources before it is converted.
    want[lanes] = narrow(CASTS[name](wide(a), wide(b)).astype(source), target)[lanes]
    strides = [1, 1, 1, 8, 8, 8]
    got = clean(f"{name}_{suffix}", [out, a, b], form=form, ints=[*mask, 1, *strides])[0]
    same(got, want)


@pytest.mark.parametrize("form,ints", [(COUNT, [200]), (MASK, [48, 0, 3]), (BITS, [0xFF00FF, 0, 2])])
def test_add_deq_relu(form, ints):
    rng = np.random.default_rng(7)
    a, b = rng.integers(-4000, 4000, 256, np.int32), rng.integers(-4000, 4000, 256, np.int32)
    out = poisoned(256, "float16")
    want, scale = out.copy(), np.float32(np.float16(0.37))
    computed = np.float16(np.maximum((a + b).astype(np.float32) * scale, np.float32(0)))
    if form == COUNT:
        lanes = range(200)
    else:
        bits = ints[0] if form == BITS else (1 << ints[0]) - 1
        lanes = [64 * r + i for r in range(ints[2]) for i in range(64) if bits >> i & 1]
    want[list(lanes)] = computed[list(lanes)]
    strides = [1, 1, 1, 4, 8, 8]
    # The sources are overwritten on the way.
    got = clean("AddDeqRelu", [out, a, b], form=form, ints=[*ints, *strides], floats=[0.37])[0]
    same(got, want)


@pytest.mark.parametrize("dtype,sign", [("int8", 1), ("uint8", 0)])
def test_cast_dequant(dtype, sign):
    high, low = values("int16", 64, 8), values("int16", 64, 9)
    info = np.iinfo(dtype)
    scale, offset = 2.0**-9, 3
    got = clean(
        f"CastDequant_{dtype}",
        [poisoned(128, dtype), high, low],
        ints=[64, offset, sign],
        floats=[scale],
    )[0]
    want = np.empty((4, 2, 16), dtype)
    for half, source in ((1, high), (0, low)):
        result = np.rint(source.astype(np.float32) * np.float32(scale) + np.float32(offset))
        want[:, half] = np.clip(result, info.min, info.max).astype(dtype).reshape(4, 16)
    same(got, want.reshape(-1))


def test_cast_dequant_needs_the_sign_of_its_results():
    a = values("int16", 64, 8)
    fault(
        "signMode must be true for int8_t",
        "CastDequant_int8",
        [poisoned(128, "int8"), a, a],
        ints=[64, 0, 0],
        floats=[1.0],
    )


@pytest.mark.parametrize("mode", [0, 1])
@pytest.mark.parametrize("h,v", [(1, 1), (2, 2), (3, 1)])
def test_bilinear_interpolation(h, v, mode):
    rng = np.random.default_rng(10)
    source = rng.integers(-8, 8, 1024).astype(np.float16)
    offsets = (rng.integers(0, 64, h * v * 8) * 32).astype(np.uint32)
    weights = rng.integers(1, 5, 32).astype(np.float16)
    blocks = source.reshape(64, 16)[offsets // 32].reshape(h * v, 8, 16)
    scale = weights[: h * v * 8].reshape(h * v, 8, 1) if mode else weights[: h * v].reshape(h * v, 1, 1)
    want = (blocks * scale).reshape(v, h, 128).sum(axis=1).astype(np.float16)
    got = clean(
        "BilinearInterpolation",
        [poisoned(v * 128, "float16"), source, offsets, weights, Empty(16384)],
        ints=[h, v, mode, 128],
    )[0]
    same(got, want.reshape(-1))


# Rows 0 and 2 of 3 x 87 floats, elements 16 to 39 and 47 to 70 of each.
IN_GM = [16, 70, 7, 3, 87, 0, 2, 1, 1, 3]
IN_UB = [0, 47, 0, 3, 48, 0, 1, 0, 1, 2]


def test_slices_into_ub():
    whole = np.arange(3 * 87, dtype=np.float32).reshape(3, 87)
    got = clean("DataCopySlices", [poisoned(96, "float32"), Global(whole)], ints=[0, *IN_UB, *IN_GM])[0]
    same(got.reshape(2, 48), np.concatenate([whole[::2, 16:40], whole[::2, 47:71]], axis=1))


def test_slices_out_of_ub():
    parts, out = values("float32", 96, 11, specials=False), poisoned((3, 87), "float32")
    want = out.copy()
    want[::2, 16:40], want[::2, 47:71] = parts.reshape(2, 48)[:, :24], parts.reshape(2, 48)[:, 24:]
    same(clean("DataCopySlices", [Global(out), parts], ints=[1, *IN_GM, *IN_UB])[0], want)


def test_slices_must_choose_as_much_on_both_sides():
    whole, wrong = np.zeros((3, 87), np.float32), [0, 23, 0, 3, 48, 0, 1, 0, 1, 2]
    fault(
        "must choose as many runs of one length",
        "DataCopySlices",
        [poisoned(96, "float32"), Global(whole)],
        ints=[0, *wrong, *IN_GM],
    )


@pytest.mark.parametrize("dtype", ["float16", "float32"])
def test_nz_to_nd(dtype):
    rows, columns, pitch = 10, 48, 56
    nz = values(dtype, 2 * 3 * 16 * 16, 12, specials=False)
    out = poisoned((2, rows, pitch), dtype)
    want = out.copy()
    for matrix in range(2):
        part = nz.reshape(2, 3, 16, 16)[matrix][:, :rows]
        want[matrix][:, :columns] = part.transpose(1, 0, 2).reshape(rows, columns)
    name = "NzToNd_half" if dtype == "float16" else "NzToNd_float"
    same(clean(name, [Global(out), nz], ints=[2, rows, columns, 3, 16, pitch, rows * pitch])[0], want)


def test_nz_to_nd_takes_whole_columns():
    fault(
        "dValue must be a multiple of 16, got 40",
        "NzToNd_half",
        [Global(poisoned((16, 64), "float16")), values("float16", 1024)],
        ints=[1, 16, 40, 4, 16, 64, 1],
    )


def test_accesses_past_the_cache():
    words = np.array([0x12345678, 0, 0, 0, 0, 0, 0, 0], np.uint32)
    got = clean("PastTheCache", [Global(words)])[0]
    assert got[1] == words[0]


def test_an_access_past_the_cache_is_judged():
    reported(["GM"], "PastTheCache", [Global(np.zeros(0, np.uint32))])


def test_bits_of_control():
    assert clean("Control", [poisoned(8, "int32")])[0][:2].tolist() == [5, 5]


@pytest.mark.parametrize("count", [64, 128, 200, 512])
def test_int4(count):
    rng = np.random.default_rng(13)
    source = np.concatenate([[-20.0, 20.0, 0.5, 1.5, -0.5, np.nan], rng.uniform(-9, 9, count - 6)])
    source = source.astype(np.float16)
    packed, back, size = clean(
        "Int4",
        [source, poisoned(count // 2, "uint8"), poisoned(count, "float16"), poisoned(8, "int32")],
        ints=[count],
    )[1:]
    want = np.clip(np.where(np.isnan(source), 0, np.rint(source)), -8, 7).astype(np.int8)
    same(packed, ((want[1::2] & 15) << 4 | want[::2] & 15).astype(np.uint8))
    same(back, want.astype(np.float16))
    assert size[0] == count
