# SPDX-License-Identifier: Apache-2.0
"""Intrinsics that compute lane by lane, under every kind of mask and stride, against NumPy."""

from __future__ import annotations

import numpy as np
import pytest

from tests.sim.api.harness import BFLOAT16, BITS, COUNT, maximum, minimum, same, values

from .model import ALL, BUFFER, DENSE, WAYS, Lanes, clean, computed, fault


def operand(dtype, seed):
    return values(dtype, BUFFER // np.dtype(dtype).itemsize, seed)


def wide(function):
    """The function of lanes of half computes in float and rounds once."""

    def rounded(*lanes):
        if lanes[0].dtype != np.float16:
            return function(*lanes)
        return function(*(a.astype(np.float32) for a in lanes)).astype(np.float16)

    return rounded


def relu(a):
    return np.where(a <= 0, np.zeros_like(a), a)


BINARY = [
    ("vadd", "int16", lambda a, b: a + b),
    ("vadd", "float16", lambda a, b: a + b),
    ("vmin", "float32", minimum),
    ("vaddrelu", "int16", lambda a, b: relu(a + b)),
    ("vsubrelu", "float16", lambda a, b: relu(a - b)),
    ("vor", "uint16", lambda a, b: a | b),
]


@pytest.mark.parametrize("way", WAYS)
@pytest.mark.parametrize("name, dtype, function", BINARY)
def test_two_sources(name, dtype, function, way):
    lanes, dst_stride, stride = WAYS[way]
    dst, a, b = (operand(dtype, seed) for seed in range(3))
    got, *_ = clean(
        name, [dst, a, b], dtype=dtype, form=lanes.form, ints=lanes.numbers(dst_stride, DENSE, stride)
    )
    want = computed(lanes, wide(function), dst, a, b, dst_stride=dst_stride, strides=[DENSE, stride])
    same(got, want)


UNARY = [
    ("vabs", "float16", np.abs),
    ("vrelu", "int32", relu),
    ("vnot", "uint16", np.invert),
    ("vsqrt", "float32", np.sqrt),
]


@pytest.mark.parametrize("way", WAYS)
@pytest.mark.parametrize("name, dtype, function", UNARY)
def test_one_source(name, dtype, function, way):
    lanes, dst_stride, stride = WAYS[way]
    dst, a = operand(dtype, 1), operand(dtype, 2)
    got, *_ = clean(name, [dst, a], dtype=dtype, form=lanes.form, ints=lanes.numbers(dst_stride, stride))
    same(got, computed(lanes, wide(function), dst, a, dst_stride=dst_stride, strides=[stride]))


SCALAR = [
    ("vadds", "int32", 3, lambda a: a + np.int32(3)),
    ("vmuls", "float16", -3, lambda a: a * -3),
    ("vmaxs", "float32", 2, lambda a: maximum(a, np.float32(2))),
    ("vmaxs_flags", "float32", 2, lambda a: maximum(a, np.float32(2))),
    ("vmins", "int16", 2, lambda a: np.minimum(a, np.int16(2))),
    ("vlrelu", "float32", 0.25, lambda a: np.where(np.signbit(a), a * np.float32(0.25), a)),
    ("vshl", "uint32", 5, lambda a: a << 5),
    ("vector_dup", "bfloat16", 1.5, None),
    ("vector_dup", "int16", -7, None),
]


@pytest.mark.parametrize("way", WAYS)
@pytest.mark.parametrize("name, dtype, scalar, function", SCALAR)
def test_scalar(name, dtype, scalar, function, way):
    lanes, dst_stride, stride = WAYS[way]
    dtype = BFLOAT16 if dtype == "bfloat16" else np.dtype(dtype)
    dst, a = operand(dtype, 1), operand(dtype, 2)
    got, *_ = clean(
        name,
        [dst, a],
        dtype=dtype,
        form=lanes.form,
        ints=lanes.numbers(dst_stride, stride),
        floats=[scalar],
    )
    function = wide(function) if function else (lambda lane: np.full_like(lane, scalar))
    same(got, computed(lanes, function, dst, a, dst_stride=dst_stride, strides=[stride]))


@pytest.mark.parametrize("rounds", [False, True])
@pytest.mark.parametrize("dtype", ["int16", "uint32"])
def test_shift_right(dtype, rounds):
    lanes = Lanes(COUNT, 150)
    dst, a = operand(dtype, 1), operand(dtype, 2)
    got, *_ = clean(
        "vshr", [dst, a], dtype=dtype, form=COUNT, ints=lanes.numbers(DENSE, DENSE), floats=[3, rounds]
    )

    def shifted(lane):
        return (lane >> 3) + (lane >> 2 & 1 if rounds else 0).astype(dtype) if rounds else lane >> 3

    same(got, computed(lanes, shifted, dst, a, strides=[DENSE]))


def test_shift_beyond_the_element_is_a_fault():
    dst = operand("int16", 1)
    numbers = Lanes(COUNT, 16).numbers(DENSE, DENSE)
    fault(
        "scalarValue must be in [0, 16], got 17", "vshl", [dst, dst], dtype="int16", ints=numbers, floats=[17]
    )


# --- dst is a source too; a source may be narrower ---
def product_plus(addend, a, b):
    """The product is rounded to the type of the addend before the sum."""
    dtype = addend.dtype
    product = (a.astype(np.float32) * np.asarray(b, np.float32)).astype(dtype)
    return (product.astype(np.float32) + addend.astype(np.float32)).astype(dtype)


MASKED = [Lanes(COUNT, 150), Lanes(BITS, 0xF00F_0000_0000_8001, 3), Lanes(BITS, ALL, 2)]


@pytest.mark.parametrize("lanes", MASKED)
@pytest.mark.parametrize("name, dtype", [("vmla", "float32"), ("vmla_mixed", "float16")])
def test_multiply_add(name, dtype, lanes):
    """Sources of half take four data blocks where dst takes eight: 64 lanes in a repeat."""
    stride = (1, 4) if dtype == "float16" else DENSE
    dst, a, b = operand("float32", 0), operand(dtype, 1), operand(dtype, 2)
    numbers = lanes.numbers(DENSE, stride, stride)
    got, *_ = clean(name, [dst, a, b], form=lanes.form, ints=numbers)
    same(got, computed(lanes, product_plus, dst, a, b, strides=[stride, stride], in_dst=True))


@pytest.mark.parametrize("lanes", MASKED)
@pytest.mark.parametrize(
    "name, to, dtype", [("vaxpy", "float16", "float16"), ("vaxpy_mixed", "float32", "float16")]
)
def test_axpy(name, to, dtype, lanes):
    stride = (1, 4) if to != dtype else DENSE
    dst, a = operand(to, 0), operand(dtype, 1)
    got, *_ = clean(name, [dst, a], form=lanes.form, ints=lanes.numbers(DENSE, stride), floats=[1.5])
    want = computed(lanes, lambda old, a: product_plus(old, a, 1.5), dst, a, strides=[stride], in_dst=True)
    same(got, want)


@pytest.mark.parametrize("name, after", [("vmadd", lambda a: a), ("vmaddrelu", relu)])
def test_fused(name, after):
    """dst = src0 * dst + src1"""
    lanes = Lanes(BITS, 0x0F0F, 2)
    dst, a, b = (operand("float32", seed) for seed in range(3))
    got, *_ = clean(name, [dst, a, b], form=BITS, ints=lanes.numbers(DENSE, DENSE, DENSE))
    want = computed(
        lanes,
        lambda old, a, b: after(product_plus(b, a, old)),
        dst,
        a,
        b,
        strides=[DENSE, DENSE],
        in_dst=True,
    )
    same(got, want)


def test_no_lane_is_a_fault():
    """High bits are no lanes of float, of which a repeat has 64."""
    dst = operand("float32", 1)
    numbers = Lanes(BITS, 1 << 64, 1).numbers(DENSE, DENSE)
    fault("mask must have a bit set", "vabs", [dst, dst], form=BITS, ints=numbers)


def test_operand_beyond_the_memory_is_a_fault():
    """Nobody says how long an operand is, so that only the end of UB bounds it."""
    dst = operand("float32", 1)
    numbers = Lanes(BITS, ALL, 255).numbers((1, 255), DENSE)
    fault("UB", "vabs", [dst, dst], form=BITS, ints=numbers)
