# SPDX-License-Identifier: Apache-2.0
"""Reductions of repeats, of data blocks and of pairs, against NumPy."""

import numpy as np
import pytest

from tests.sim.api.harness import BITS, COUNT, Global, poisoned, same

from .model import clean

VALUE_INDEX, INDEX_VALUE, ONLY_VALUE, ONLY_INDEX = range(4)
FLOATS = ["float16", "float32"]
HOLES = 0xF0F1_0FF3_AAAA_8001  # bits 1 to 14 of the first 16 lanes are off


def lanes_of(dtype):
    return 256 // np.dtype(dtype).itemsize


def mask_words(dtype):
    """A mask with holes, as words and as lanes."""
    words = [HOLES, HOLES >> 1 if lanes_of(dtype) == 128 else 0]
    bits = np.array([words[lane // 64] >> (lane % 64) & 1 for lane in range(lanes_of(dtype))], bool)
    return words, bits


def rows(source, dtype, repeat, block, stride):
    """The lanes of each repeat, from a source with strides in data blocks."""
    per = 32 // np.dtype(dtype).itemsize
    lane = np.arange(lanes_of(dtype))
    at = np.arange(repeat)[:, None] * stride * per + lane // per * block * per + lane % per
    return source[at]


def tree(row):
    """Adds neighbours, then neighbours of these sums; each sum is rounded to the element type."""
    while len(row) > 1:
        row = row[0::2] + row[1::2]
    return row[0]


def source_of(dtype, repeat, block, stride, seed):
    per = 32 // np.dtype(dtype).itemsize
    return np.random.default_rng(seed).standard_normal((repeat * stride + 8 * block) * per).astype(dtype)


@pytest.mark.parametrize("dtype", FLOATS)
def test_sum_of_repeats_with_strides_and_holes(dtype):
    words, bits = mask_words(dtype)
    source = source_of(dtype, 3, 2, 17, 1)
    dst = poisoned(8, dtype)
    got, _, register = clean(
        "vcadd",
        [dst, source, Global(np.zeros(1, np.uint64))],
        dtype=dtype,
        form=BITS,
        ints=[*words, 3, 2, 2, 17, 0],
    )
    want = dst.copy()
    lanes = np.where(bits, rows(source, dtype, 3, 2, 17), np.dtype(dtype).type(0))
    want[[0, 2, 4]] = [tree(row) for row in lanes]
    same(got, want)
    same(register.view(dtype)[:1], want[4:5])


@pytest.mark.parametrize("dtype", FLOATS)
def test_sum_of_counted_lanes(dtype):
    """With `total` one element comes out; 150 lanes are two or three repeats, the last one in part."""
    source = source_of(dtype, 3, 1, 8, 2)
    dst = poisoned(4, dtype)
    got, _, register = clean(
        "vcadd",
        [dst, source, Global(np.zeros(1, np.uint64))],
        dtype=dtype,
        form=COUNT,
        ints=[150, 0, 1, 1, 1, 8, 1],
    )
    lanes = source.copy()
    lanes[150:] = 0
    want = dst.copy()
    total = None
    for row in rows(lanes, dtype, -(-150 // lanes_of(dtype)), 1, 8):
        total = tree(row) if total is None else total + tree(row)
    want[0] = total
    same(got, want)
    same(register.view(dtype)[:1], want[:1])


@pytest.mark.parametrize("order", [VALUE_INDEX, INDEX_VALUE, ONLY_VALUE, ONLY_INDEX])
@pytest.mark.parametrize("name", ["vcmax", "vcmin"])
@pytest.mark.parametrize("dtype", FLOATS)
def test_extremes_and_their_lanes(dtype, name, order):
    """Of equal elements the first counts, and of lanes that the mask leaves out none."""
    words, bits = mask_words(dtype)
    index = np.uint16 if dtype == "float16" else np.uint32
    source = np.round(source_of(dtype, 3, 1, 8, 3) * 2)  # many are equal
    lanes = rows(source, dtype, 3, 1, 8).astype(np.float64)
    sign = 1 if name == "vcmax" else -1
    best = np.where(bits, sign * lanes, -np.inf).argmax(1)
    value = lanes[np.arange(3), best].astype(dtype)
    result = {
        VALUE_INDEX: np.stack([value.view(index), best.astype(index)], 1).reshape(-1),
        INDEX_VALUE: np.stack([best.astype(index), value.view(index)], 1).reshape(-1),
        ONLY_VALUE: value.view(index),
        ONLY_INDEX: best.astype(np.uint32),
    }[order]
    dst = poisoned(16, dtype)
    got, _, register = clean(
        name,
        [dst, source, Global(np.zeros(1, np.uint64))],
        dtype=dtype,
        form=BITS,
        ints=[*words, 3, 1, 1, 8, order],
    )
    want = dst.copy().view(np.uint8)
    want[: result.nbytes] = result.view(np.uint8)
    same(got.view(np.uint8), want)
    assert int(register[0]) >> 32 == best[2]
    same(register.view(dtype)[:1], value[2:])


def test_a_nan_is_the_extreme():
    source = np.array([1, 5, np.nan, 7, np.nan] + [9] * 59, np.float32)
    got, _, register = clean(
        "vcmax",
        [poisoned(8, "float32"), source, Global(np.zeros(1, np.uint64))],
        form=BITS,
        ints=[0xFFFF_FFFF_FFFF_FFFF, 0, 1, 1, 1, 8, VALUE_INDEX],
    )
    assert np.isnan(got[0]) and got.view(np.uint32)[1] == 2 and int(register[0]) >> 32 == 2


@pytest.mark.parametrize("name", ["vcgadd", "vcgmax", "vcgmin"])
@pytest.mark.parametrize("dtype", FLOATS)
def test_data_blocks(dtype, name):
    """dst strides count eight results. A block without an active lane keeps its result."""
    per = 32 // np.dtype(dtype).itemsize
    words, _ = mask_words(dtype)
    words[0] &= ~(((1 << per) - 1) << per)  # no lane of block 1
    bits = np.array([words[lane // 64] >> (lane % 64) & 1 for lane in range(lanes_of(dtype))], bool)
    source = source_of(dtype, 2, 3, 30, 4)
    blocks = rows(source, dtype, 2, 3, 30).reshape(2, 8, per)
    active = bits.reshape(8, per)
    dst = poisoned(24, dtype)
    want = dst.copy()
    for r in range(2):
        for block in np.flatnonzero(active.any(1)):
            chosen = blocks[r, block][active[block]]
            want[r * 16 + block] = {
                "vcgadd": lambda r=r, block=block: tree(
                    np.where(active[block], blocks[r, block], np.dtype(dtype).type(0))
                ),
                "vcgmax": chosen.max,
                "vcgmin": chosen.min,
            }[name]()
    got, *_ = clean(name, [dst, source], dtype=dtype, form=BITS, ints=[*words, 2, 2, 3, 30])
    same(got, want)


@pytest.mark.parametrize("dtype", FLOATS)
def test_pairs(dtype):
    words, bits = mask_words(dtype)
    source = source_of(dtype, 2, 1, 9, 5)
    lanes = np.where(bits, rows(source, dtype, 2, 1, 9), np.dtype(dtype).type(0))
    half = lanes_of(dtype) // 2
    dst = poisoned(4 * half, dtype)
    want = dst.copy()
    kept = bits.reshape(half, 2).any(1)
    for r in range(2):
        sums = lanes[r, 0::2] + lanes[r, 1::2]
        want[r * 2 * half : r * 2 * half + half][kept] = sums[kept]
    got, *_ = clean("vcpadd", [dst, source], dtype=dtype, form=BITS, ints=[*words, 2, 2, 1, 9])
    same(got, want)
