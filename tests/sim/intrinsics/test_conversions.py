# SPDX-License-Identifier: Apache-2.0
"""Conversions between element types, also to halves of bytes and of data blocks, against NumPy."""

from __future__ import annotations

import numpy as np
import pytest

from tests.sim.api.harness import BFLOAT16, BITS, COUNT, same, values

from .model import ALL, BUFFER, DENSE, Lanes, clean, computed, fault


def away(a):
    return np.copysign(np.floor(np.abs(a) + 0.5), a)


DIRECTIONS = {"r": np.rint, "f": np.floor, "c": np.ceil, "a": away, "z": np.trunc, "": np.rint}


def saturated(a, dtype):
    """Floats as integers: the nearest value in range, and 0 for NaN."""
    info = np.iinfo(dtype)
    exact = np.where(np.isnan(a), 0, a).astype(np.longdouble)
    return np.clip(exact, info.min, info.max).astype(dtype)


def halves(dtype, count, seed=5):
    """Numbers of which many lie in the middle between two integers."""
    out = values(dtype, count, seed)
    out[: count // 2] = (np.arange(count // 2) - count // 4) / 2
    return out


def stride_of(dtype, widest):
    """The strides of a repeat without gaps."""
    return (1, 8 * np.dtype(dtype).itemsize // widest)


def check(name, source, to, function, lanes):
    to = np.dtype(to)
    widest = max(to.itemsize, source.itemsize)
    strides = stride_of(to, widest), stride_of(source.dtype, widest)
    dst = values(np.uint8, BUFFER, 9).view(to)
    got, *_ = clean(name, [dst, source], form=lanes.form, ints=lanes.numbers(*strides))
    want = computed(lanes, function, dst, source, dst_stride=strides[0], strides=[strides[1]])
    bits = f"u{to.itemsize}"  # untouched elements are any bits, of which some are no number
    same(got.view(bits), want.view(bits))


# Elements of 8 bytes have 32 lanes in a repeat, those of 4 bytes 64; bits of the mask beyond them have no meaning.
LANES = [Lanes(COUNT, 150), Lanes(BITS, 0xF00F_0000_0000_8001_0000_0000_C000_0421, 3), Lanes(BITS, ALL, 2)]


@pytest.mark.parametrize("lanes", LANES, ids=str)
@pytest.mark.parametrize("direction", DIRECTIONS)
@pytest.mark.parametrize(
    "name, source, to",
    [
        ("vconv_f322s32", "float32", "int32"),
        ("vconv_f322s64", "float32", "int64"),
        ("vconv_f162s8", "float16", "int8"),
        ("vconv_f162u8", "float16", "uint8"),
        ("vconv_f162s16", "float16", "int16"),
    ],
)
def test_to_integers(name, source, to, direction, lanes):
    if direction == "" and not name.endswith("8"):
        pytest.skip("this conversion has no form without a direction")
    a = halves(source, 1024)
    check(
        name + direction, a, to, lambda a: saturated(DIRECTIONS[direction](a.astype(np.float64)), to), lanes
    )


@pytest.mark.parametrize("lanes", LANES, ids=str)
@pytest.mark.parametrize(
    "name, source, to",
    [
        ("vconv_f162f32", "float16", "float32"),
        ("vconv_bf162f32", BFLOAT16, "float32"),
        ("vconv_u82f16", "uint8", "float16"),
        ("vconv_s82f16", "int8", "float16"),
        ("vconv_s162f32", "int16", "float32"),
        ("vconv_s322f32r", "int32", "float32"),
        ("vconv_s322s64", "int32", "int64"),
        ("vconv_f322f16", "float32", "float16"),
        ("vconv_f322f16r", "float32", "float16"),
        ("vconv_f322bf16r", "float32", BFLOAT16),
    ],
)
def test_to_the_nearest(name, source, to, lanes):
    a = values(source, 1024, 6)
    if a.dtype.kind == "f" or a.dtype == BFLOAT16:
        a[np.isnan(a)] = 1  # which bits a NaN keeps is a test of its own
    check(name, a, to, lambda a: a.astype(to), lanes)


@pytest.mark.parametrize("direction, toward", [("f", -np.inf), ("c", np.inf), ("z", 0)])
def test_half_in_a_direction(direction, toward):
    a = np.random.default_rng(7).standard_normal(1024).astype(np.float32)

    def directed(a):
        near = a.astype(np.float16)
        beyond = {"f": near > a, "c": near < a, "z": np.abs(near) > np.abs(a)}[direction]
        return np.where(beyond, np.nextafter(near, np.float16(toward)), near)

    check(f"vconv_f322f16{direction}", a, "float16", directed, Lanes(COUNT, 150))


def test_integers_saturate():
    a = values("int64", 1024, 8)
    a[:4] = [2**31, -(2**31) - 1, 2**31 - 1, -5]
    check(
        "vconv_s642s32",
        a,
        "int32",
        lambda a: np.clip(a, -(2**31), 2**31 - 1).astype(np.int32),
        Lanes(COUNT, 50),
    )


def test_deqscale_is_the_factor_of_vconv_deq():
    a = np.arange(-512, 512, dtype=np.int32)
    dst = np.zeros(1024, np.float16)
    got, *_ = clean(
        "vconv_deq_scaled", [dst, a], ints=Lanes(COUNT, 100).numbers((1, 4), DENSE), floats=[0.25]
    )
    same(got[:101], np.append((a[:100] * 0.25).astype(np.float16), np.float16(0)))


# --- int4b_t: two lanes in a byte ---
def nibbles(bytes_):
    """The lanes in bytes, the low half first."""
    return np.stack([bytes_ & 15, bytes_ >> 4], 1).reshape(-1)


@pytest.mark.parametrize(
    "lanes", [Lanes(COUNT, 150), Lanes(BITS, 0x80000000_00000003_00F00000_80000105, 2)], ids=str
)
@pytest.mark.parametrize("direction", DIRECTIONS)
def test_to_int4(direction, lanes):
    """Lanes that the mask leaves out keep their half of the byte."""
    a = halves("float16", 1024)
    dst = values("uint8", 512, 2)
    got, *_ = clean(f"vconv_f162s4{direction}", [dst, a], form=lanes.form, ints=lanes.numbers((1, 2), DENSE))
    want = nibbles(dst)
    for r, lane in lanes.active(2):
        value = DIRECTIONS[direction](np.float64(a[r * 128 + lane]))
        want[r * 128 + lane] = int(np.clip(0 if np.isnan(value) else value, -8, 7)) & 15
    same(nibbles(got), want)


def test_from_int4():
    source = values("uint8", 512, 3)
    dst = np.zeros(1024, np.float16)
    got, *_ = clean("vconv_s42f16", [dst, source], ints=Lanes(COUNT, 200).numbers(DENSE, (1, 2)))
    lanes = nibbles(source)[:200].astype(np.int16)
    same(got[:201], np.append(np.where(lanes >= 8, lanes - 16, lanes), 0).astype(np.float16))


# --- CastDequant: half of each data block ---
@pytest.mark.parametrize("high", [True, False])
@pytest.mark.parametrize("dtype", ["int8", "uint8"])
@pytest.mark.parametrize("lanes", [Lanes(COUNT, 150), Lanes(BITS, 0x8001_00F0_0000_0103, 2)], ids=str)
def test_dequantised(high, dtype, lanes):
    """Sixteen lanes of a data block of int16_t fill half of a data block of dst."""
    a = values("int16", 1024, 4)
    dst = values("uint8", 2048, 5)
    got, *_ = clean(
        f"vconv_deqs162b8{'h' if high else 'l'}",
        [dst, a],
        dtype=dtype,
        form=lanes.form,
        ints=lanes.numbers(DENSE, DENSE),
        floats=[0.0625, -7, dtype == "int8"],
    )
    want = dst.copy()
    for r, lane in lanes.active(2):
        value = saturated(np.rint(a[r * 128 + lane] * 0.0625 - 7), dtype)
        want[(r * 8 + lane // 16) * 32 + 16 * high + lane % 16] = value.astype(np.uint8)
    same(got, want)


def word(scale, offset, signed):
    return int(np.float32(scale).view(np.uint32)) | (offset & 0x1FF) << 37 | signed << 46


def test_dequantised_by_lane():
    """Each lane of a data block has a word of parameters. The scale has ten bits of mantissa."""
    a = values("int16", 1024, 4)
    dst = np.zeros(2048, np.uint8)
    scales = np.float32(1 + np.arange(16) / 16) / 64
    offsets = np.arange(-100, 60, 10)
    words = np.array([word(s, int(o), 1) for s, o in zip(scales, offsets, strict=True)], np.uint64)
    words[3] |= 0x1FFF  # bits of the scale that the device does not read
    got, *_ = clean(
        "vconv_vdeqs162b8l",
        [dst, a, words],
        dtype="int8",
        ints=Lanes(COUNT, 128).numbers(DENSE, DENSE),
        floats=[0, 0, 0],
    )
    lane = np.arange(128) % 16
    want = saturated(np.rint(a[:128] * scales[lane] + offsets[lane].astype(np.float32)), "int8")
    same(got[:256].reshape(8, 2, 16)[:, 0].reshape(-1), want.view(np.uint8))


def test_sign_of_the_result_must_agree():
    dst, a = np.zeros(512, np.uint8), values("int16", 256, 4)
    numbers = Lanes(COUNT, 16).numbers(DENSE, DENSE)
    fault("signMode must be true", "vconv_deqs162b8l", [dst, a], dtype="int8", ints=numbers, floats=[1, 0, 0])


# --- arithmetic first ---
@pytest.mark.parametrize(
    "name, source, to, function",
    [
        ("vaddreluconv_f162s8", "float16", "int8", lambda a, b: np.maximum(a + b, 0)),
        ("vaddreluconv_f322f16", "float32", "float16", lambda a, b: np.maximum(a + b, 0)),
        ("vsubreluconv_s162s8", "int16", "int8", lambda a, b: np.maximum(a - b, 0)),
        ("vmulconv_f162u8", "float16", "uint8", lambda a, b: a * b),
    ],
)
def test_computed(name, source, to, function):
    lanes = Lanes(COUNT, 150)
    a, b = ((values(source, 1024, seed, specials=False) // 8).astype(source) for seed in (1, 2))
    dst = values(np.uint8, BUFFER, 9).view(to)
    widest = np.dtype(source).itemsize
    stride = stride_of(to, widest)
    got, *_ = clean(name, [dst, a, b], ints=lanes.numbers(stride, DENSE, DENSE))

    def converted(a, b):
        result = function(a, b)
        return result.astype(to) if to == "float16" else saturated(np.rint(result.astype(np.float64)), to)

    want = computed(lanes, converted, dst, a, b, dst_stride=stride, strides=[DENSE, DENSE])
    same(got.view(f"u{got.itemsize}"), want.view(f"u{got.itemsize}"))
