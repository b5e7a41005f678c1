# SPDX-License-Identifier: Apache-2.0
"""Compares instructions that work lane by lane with NumPy: counts, masks, bits, strides, special values."""

from __future__ import annotations

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
    maximum,
    minimum,
    poisoned,
    run,
    same,
    values,
)

FLOATS = ["float32", "float16"]
NUMBERS = [*FLOATS, "int16", "int32"]
COUNTS = [1, 7, 64, 65, 128, 1000]


def wide(array):
    return array.astype(np.float32) if array.dtype == np.float16 else array


def narrow(array, dtype):
    return array.astype(dtype)


def relu(a):
    return np.where(a <= 0, np.zeros_like(a), a)


BINARY = {
    "Add": (lambda a, b: a + b, NUMBERS),
    "Sub": (lambda a, b: a - b, NUMBERS),
    "Mul": (lambda a, b: a * b, NUMBERS),
    "Div": (lambda a, b: a / b, FLOATS),
    "Max": (lambda a, b: maximum(a, b) if a.dtype.kind == "f" else np.maximum(a, b), NUMBERS),
    "Min": (lambda a, b: minimum(a, b) if a.dtype.kind == "f" else np.minimum(a, b), NUMBERS),
    "AddRelu": (lambda a, b: relu(a + b), [*FLOATS, "int16"]),
    "SubRelu": (lambda a, b: relu(a - b), [*FLOATS, "int16"]),
    "And": (lambda a, b: a & b, ["int16", "uint16"]),
    "Or": (lambda a, b: a | b, ["int16", "uint16"]),
}
UNARY = {
    "Relu": (relu, [*FLOATS, "int32"], 0),
    "Abs": (np.abs, FLOATS, 0),
    "Exp": (np.exp, FLOATS, 2),
    "Ln": (np.log, FLOATS, 2),
    "Sqrt": (np.sqrt, FLOATS, 0),
    "Rsqrt": (lambda a: np.float32(1) / np.sqrt(a), FLOATS, 0),
    "Reciprocal": (lambda a: np.float32(1) / a, FLOATS, 0),
    "Not": (lambda a: ~a, ["int16", "uint16"], 0),
}
SCALAR = {
    "Adds": (lambda a, s: a + s, NUMBERS, 3),
    "Muls": (lambda a, s: a * s, NUMBERS, -3),
    "Maxs": (lambda a, s: maximum(a, s) if a.dtype.kind == "f" else np.maximum(a, s), NUMBERS, 2),
    "Mins": (lambda a, s: minimum(a, s) if a.dtype.kind == "f" else np.minimum(a, s), NUMBERS, 2),
    "LeakyRelu": (lambda a, s: np.where(np.signbit(a), a * s, a), FLOATS, 0.25),
    "ShiftLeft": (lambda a, s: a << s, ["int16", "uint16", "int32", "uint32"], 5),
    "ShiftRight": (lambda a, s: a >> s, ["int16", "uint16", "int32", "uint32"], 5),
}


def pairs(table):
    return [(name, dtype) for name, entry in table.items() for dtype in entry[1]]


@pytest.fixture(autouse=True)
def silent():
    with np.errstate(all="ignore"):
        yield


def close(got, want, ulps):
    if ulps == 0:
        return same(got, want)
    error = np.abs(got.astype(np.float64) - want.astype(np.float64))
    limit = ulps * np.spacing(np.abs(want)).astype(np.float64)
    assert ((error <= limit) | (got == want) | np.isnan(got) & np.isnan(want)).all()


@pytest.mark.parametrize("count", COUNTS)
@pytest.mark.parametrize("name,dtype", pairs(BINARY))
def test_binary_count(name, dtype, count):
    a, b = values(dtype, count, 1), values(dtype, count, 2)
    out = poisoned(count + 16, dtype)
    want = out.copy()
    want[:count] = narrow(BINARY[name][0](wide(a), wide(b)), dtype)
    same(clean(name, [out, a, b], dtype=dtype, ints=[count])[0], want)


@pytest.mark.parametrize("name,dtype", pairs(BINARY))
def test_binary_in_place(name, dtype):
    a = values(dtype, 200, 3)
    got = clean(name, [poisoned(200, dtype), a, a], dtype=dtype, ints=[200])[0]
    same(got, narrow(BINARY[name][0](wide(a), wide(a)), dtype))


def lanes_of(form, dtype, ints):
    lanes = 256 // np.dtype(dtype).itemsize
    if form == MASK:
        return [i for i in range(lanes) if i < ints[0]]
    return [i for i in range(lanes) if (ints[i // 64] >> (i % 64)) & 1]


def places(lane, repeat, block_stride, repeat_stride, dtype):
    per_block = 32 // np.dtype(dtype).itemsize
    return (repeat * repeat_stride + lane // per_block * block_stride) * per_block + lane % per_block


MASKS = [
    (MASK, [64, 0]),
    (MASK, [5, 0]),
    (MASK, [33, 0]),
    (BITS, [0x8001F0000000A5A5, 0x11]),
    (BITS, [1 << 63, 0]),
]
STRIDES = [(1, 1, 1, 8, 8, 8), (2, 1, 3, 16, 8, 24), (1, 1, 1, 9, 8, 0), (1, 2, 1, 8, 16, 8)]


@pytest.mark.parametrize("strides", STRIDES)
@pytest.mark.parametrize("form,mask", MASKS)
@pytest.mark.parametrize(
    "name,dtype", [("Add", "float32"), ("Mul", "float16"), ("Max", "int32"), ("And", "uint16")]
)
def test_binary_level0(name, dtype, form, mask, strides):
    repeats, size = 3, 3 * 24 * 32 // np.dtype(dtype).itemsize + 64
    a, b, out = values(dtype, size, 4), values(dtype, size, 5), poisoned(size, dtype)
    want = out.copy()
    results = narrow(BINARY[name][0](wide(a), wide(a)), dtype)  # shape and type of a result
    for repeat in range(repeats):
        for lane in lanes_of(form, dtype, mask):
            i, j, k = (places(lane, repeat, strides[n], strides[n + 3], dtype) for n in range(3))
            results[:1] = narrow(BINARY[name][0](wide(a[j : j + 1]), wide(b[k : k + 1])), dtype)
            want[i] = results[0]
    same(clean(name, [out, a, b], dtype=dtype, form=form, ints=[*mask, repeats, *strides])[0], want)


@pytest.mark.parametrize("count", [1, 100, 1000])
@pytest.mark.parametrize("name,dtype", pairs(UNARY))
def test_unary_count(name, dtype, count):
    function, _, ulps = UNARY[name]
    a, out = values(dtype, count, 6), poisoned(count + 16, dtype)
    got = clean(name, [out, a], dtype=dtype, ints=[count])[0]
    close(got[:count], narrow(function(wide(a)), dtype), ulps)
    same(got[count:], out[count:])


def test_count_of_more_than_255_repeats():
    a = values("float32", 16385, 9)
    same(clean("Abs", [poisoned(16385, "float32"), a], ints=[16385])[0], np.abs(a))


@pytest.mark.parametrize("form,mask", MASKS)
@pytest.mark.parametrize("name,dtype", pairs(UNARY))
def test_unary_level0(name, dtype, form, mask):
    function, _, ulps = UNARY[name]
    size, strides = 3 * 16 * 32 // np.dtype(dtype).itemsize, (2, 1, 16, 8)
    a, out = values(dtype, size, 7), poisoned(size, dtype)
    want, computed = out.copy(), narrow(function(wide(a)), dtype)
    for repeat in range(3):
        for lane in lanes_of(form, dtype, mask):
            i, j = (places(lane, repeat, strides[n], strides[n + 2], dtype) for n in range(2))
            want[i] = computed[j]
    got = clean(name, [out, a], dtype=dtype, form=form, ints=[*mask, 3, *strides])[0]
    close(got, want, ulps)


@pytest.mark.parametrize("form,mask", [(COUNT, [100]), (MASK, [40, 0]), (BITS, [0xF0F0, 0])])
@pytest.mark.parametrize("name,dtype", pairs(SCALAR))
def test_scalar(name, dtype, form, mask):
    function, _, scalar = SCALAR[name]
    a, out = values(dtype, 128, 8), poisoned(128, dtype)
    lanes = range(100) if form == COUNT else lanes_of(form, dtype, mask)
    typed = wide(np.array([scalar], dtype))
    want, computed = out.copy(), narrow(function(wide(a), typed), dtype)
    want[list(lanes)] = computed[list(lanes)]
    got = clean(name, [out, a], dtype=dtype, form=form, ints=[*mask, 1, 1, 1, 8, 8], floats=[scalar])[0]
    same(got, want)


def test_shift_right_rounds_up_when_the_last_bit_out_is_one():
    a = np.array([17, 16, -17, -16, 15, 31, 7, -1], np.int32)
    got = clean("ShiftRightRounded", [poisoned(8, "int32"), a], ints=[8, 0, 1, 1, 1, 8, 8], floats=[5])[0]
    same(got, (a >> 5) + ((a >> 4) & 1))


def test_logic_of_32_bit_types_counts_16_bit_lanes():
    a, b = values("int32", 32, 9), values("int32", 32, 10)
    out = poisoned(32, "int32")
    want = out.copy()
    want[:16] = (a & b)[:16]
    same(clean("And32", [out, a, b], ints=[32])[0], want)


@pytest.mark.parametrize(
    "dtype,source", [("float32", "float32"), ("float16", "float16"), ("float32", "float16")]
)
@pytest.mark.parametrize("form,mask", [(COUNT, [60]), (MASK, [40, 0]), (BITS, [0xF0F0, 0])])
def test_multiply_add(dtype, source, form, mask):
    a, b, old = values(source, 64, 11), values(source, 64, 12), values(dtype, 64, 13)
    lanes = list(range(60)) if form == COUNT else lanes_of(form, "float32", mask)
    # The product is rounded to the type of dst, and then the sum.
    product = (wide(a) * wide(b)).astype(dtype)
    want = old.copy()
    want[lanes] = (wide(product) + wide(old)).astype(dtype)[lanes]
    repeat = 4 if source != dtype else 8
    got = clean(
        "MulAddDst",
        [old, a, b],
        dtype=dtype,
        dtype2=source,
        form=form,
        ints=[*mask, 1, 1, 1, 1, 8, repeat, repeat],
    )
    same(got[0], want)
    factor = np.array([1.1], source)
    want = old.copy()
    product = (wide(a) * wide(factor)).astype(dtype)
    want[lanes] = (wide(product) + wide(old)).astype(dtype)[lanes]
    got = clean(
        "Axpy",
        [old, a],
        dtype=dtype,
        dtype2=source,
        form=form,
        ints=[*mask, 1, 1, 1, 8, repeat],
        floats=[1.1],
    )
    same(got[0], want)


def test_product_overflows_before_the_sum():
    big = np.full(8, 3.4028235e38, np.float32)
    old = np.full(8, -np.inf, np.float32)
    assert np.isnan(clean("MulAddDst", [old, big, big], dtype2="float32", ints=[8])[0]).all()


@pytest.mark.parametrize("dtype", FLOATS)
@pytest.mark.parametrize("name", ["FusedMulAdd", "FusedMulAddRelu", "MulAddRelu"])
def test_fused(name, dtype):
    a, b, old = values(dtype, 100, 14), values(dtype, 100, 15), values(dtype, 100, 16)
    result = (wide((wide(a) * wide(old)).astype(dtype)) + wide(b)).astype(dtype)
    same(clean(name, [old, a, b], dtype=dtype, ints=[100])[0], relu(result) if "Relu" in name else result)


@pytest.mark.parametrize("dtype", ["float32", "float16", "int16", "uint16", "int32", "uint32", BFLOAT16])
@pytest.mark.parametrize(
    "form,ints", [(COUNT, [37]), (MASK, [37, 0, 1, 1, 0, 8]), (BITS, [0x1234, 0, 1, 1, 0, 8])]
)
def test_duplicate(dtype, form, ints):
    out = poisoned(64, dtype)
    lanes = list(range(37)) if form != BITS else [i for i in range(16) if (0x1234 >> i) & 1]
    want = out.copy()
    want[lanes] = np.array(3, np.dtype(dtype))
    same(clean("Duplicate", [out], dtype=dtype, form=form, ints=ints, floats=[3])[0], want)


@pytest.mark.parametrize("dtype", NUMBERS)
@pytest.mark.parametrize("form,ints", [(COUNT, [70]), (MASK, [30, 0, 2, 1, 0, 8])])
def test_create_vec_index(dtype, form, ints):
    out = poisoned(300, dtype)
    lanes = 256 // np.dtype(dtype).itemsize
    places_ = list(range(70)) if form == COUNT else [r * lanes + i for r in range(2) for i in range(30)]
    want = out.copy()
    want[places_] = (np.array(places_) + 5).astype(dtype)
    same(clean("CreateVecIndex", [out], dtype=dtype, form=form, ints=ints, floats=[5])[0], want)


@pytest.mark.parametrize("dtype", NUMBERS)
@pytest.mark.parametrize("count", [5, 37, 128, 300])
def test_create_vec_index_issues_what_cann_issues(dtype, count):
    """After a data block that the scalar unit writes, Adds; CANN 8.1, dav_c220/…_vec_createvecindex_impl.h."""
    block, repeat = 32 // np.dtype(dtype).itemsize, 256 // np.dtype(dtype).itemsize
    blocks = -(-(min(count, repeat) - block) // block)
    repeats = -(-(count - repeat) // repeat)
    steps = ["V Adds", "barrier V"] * (max(blocks, 0) + max(repeats, 0))
    if repeats > 0 and count % repeat > 0:
        steps.pop()
    want = ["flag S V", "wait S V", *steps]
    assert (
        issued("CreateVecIndex", [poisoned(512, dtype)], dtype=dtype, form=COUNT, ints=[count], floats=[5])
        == want
    )


@pytest.mark.parametrize("dtype", NUMBERS)
def test_arange(dtype):
    want = poisoned(64, dtype)
    want[:50] = (2 + 3 * np.arange(50)).astype(dtype)
    got = clean("Arange", [poisoned(64, dtype)] * 2, dtype=dtype, ints=[50], floats=[2, 3])
    same(got[0], want)
    same(got[1], want)


def test_mask_registers():
    a, b, out = values("float32", 128, 17), values("float32", 128, 18), poisoned(128, "float32")
    bits = 0xFF00FF0F
    want = out.copy()
    chosen = [r * 64 + i for r in range(2) for i in range(64) if (bits >> i) & 1]
    want[chosen] = (a + b)[chosen]
    same(clean("AddOuterMask", [out, a, b], ints=[bits, 0, 2, 1, 1, 1, 8, 8, 8])[0], want)
    want = out.copy()
    want[:100] = (a + b)[:100]
    same(clean("AddCounter", [out, a, b], ints=[100, 0, 1, 1, 1, 1, 8, 8, 8])[0], want)


def test_counts_of_zero_do_nothing():
    out = poisoned(8, "float32")
    same(clean("Add", [out, out, out], ints=[0])[0], out)
    same(clean("Add", [out, out, out], form=MASK, ints=[64, 0, 0, 1, 1, 1, 8, 8, 8])[0], out)


def test_faults():
    a = values("float32", 64)
    out = poisoned(64, "float32")
    fault("mask must be in [1, 64], got 65", "Add", [out, a, a], form=MASK, ints=[65, 0, 1, 1, 1, 1, 8, 8, 8])
    fault(
        "mask must be in [1, 128], got 0",
        "Add",
        [out, a, a],
        dtype="float16",
        form=MASK,
        ints=[0, 0, 1, 1, 1, 1, 8, 8, 8],
    )
    fault("mask must have a bit set", "Add", [out, a, a], form=BITS, ints=[0, 7, 1, 1, 1, 1, 8, 8, 8])
    fault("count must be >= 0, got -1", "Add", [out, a, a], ints=[-1])
    fault("dst takes 260 bytes", "Add", [out, a, a], ints=[65])
    fault("src1 takes", "Add", [out, a, a[:32]], ints=[64])
    fault("src takes 768 bytes", "Abs", [poisoned(192, "float32"), a], form=MASK, ints=[64, 0, 3, 1, 1, 8, 8])
    fault(
        "scalarValue must be in [0, 16], got 17", "ShiftLeft", [out, a], dtype="int16", ints=[4], floats=[17]
    )


def test_counters():
    a = values("float32", 1000)
    _, _, report = run("Add", [poisoned(1000, "float32"), a, a], ints=[1000])
    pipes = report["pipes"]
    vector = pipes["V"] if isinstance(pipes, dict) else next(pipe for pipe in pipes if "V" in pipe.values())
    assert vector["repeats"] == 16 and vector["instructions"] == 1
