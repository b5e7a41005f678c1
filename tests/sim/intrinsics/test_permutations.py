# SPDX-License-Identifier: Apache-2.0
"""Gathers, selections, sorts and transpositions, against NumPy."""

import numpy as np
import pytest

from tests.sim.api.harness import BITS, COUNT, Global, poisoned, same

from .model import clean, fault
from .test_reductions import lanes_of, mask_words

WORDS = ["uint16", "uint32"]
FLOATS = ["float16", "float32"]
ALL = 0xFFFF_FFFF_FFFF_FFFF
REGISTER = (1, np.uint64)


def numbers(dtype, count, seed=0):
    return np.random.default_rng(seed).integers(0, np.iinfo(dtype).max, count, dtype, endpoint=True)


@pytest.mark.parametrize("dtype", WORDS)
def test_gather_with_holes(dtype):
    """The base of the table need not be the start of a data block."""
    words, bits = mask_words(dtype)
    lanes, size = lanes_of(dtype), np.dtype(dtype).itemsize
    table = numbers(dtype, 600)
    base = 9 * size
    offsets = np.random.default_rng(1).integers(0, 500, 2 * lanes).astype(np.uint32) * size
    offsets[~np.tile(bits, 2)] = 0xFFFF_FFF1  # nobody reads these
    dst = poisoned(32 * 9 // size + lanes, dtype)
    want = dst.copy()
    for r in range(2):
        chosen = offsets[r * lanes : (r + 1) * lanes][bits]
        want[r * 9 * 32 // size :][:lanes][bits] = table[(base + chosen) // size]
    got, *_ = clean("vgather", [dst, table, offsets], dtype=dtype, form=BITS, ints=[*words, base, 9, 0, 2])
    same(got, want)


def test_gather_of_counted_lanes():
    table = numbers("uint32", 200)
    offsets = (np.arange(100)[::-1] * 4).astype(np.uint32)
    dst = poisoned(128, "uint32")
    want = dst.copy()
    want[:100] = table[:100][::-1]
    got, *_ = clean("vgather", [dst, table, offsets], dtype="uint32", form=COUNT, ints=[100, 0, 0, 8, 0, 1])
    same(got, want)


def test_gather_outside_the_memory_is_a_fault():
    buffers = [poisoned(64, "uint32"), numbers("uint32", 64), np.full(64, 1 << 20, np.uint32)]
    fault("srcOffset", "vgather", buffers, dtype="uint32", form=BITS, ints=[ALL, 0, 0, 8, 0, 1])
    buffers[2] = np.full(64, 2, np.uint32)
    fault("multiple of sizeof(T)", "vgather", buffers, dtype="uint32", form=BITS, ints=[ALL, 0, 0, 8, 0, 1])


@pytest.mark.parametrize("dtype", WORDS)
def test_gather_of_blocks(dtype):
    """The mask registers have no part in it."""
    per = 32 // np.dtype(dtype).itemsize
    table = numbers(dtype, 20 * per)
    blocks = np.random.default_rng(2).integers(0, 19, 16)
    dst = poisoned(40 * per, dtype)
    want = dst.copy()
    for i, block in enumerate(blocks):
        at = (i // 8 * 18 + i % 8 * 2) * per
        want[at : at + per] = table[(block + 1) * per :][:per]
    offsets = (blocks * 32).astype(np.uint32)
    got, *_ = clean("vgatherb", [dst, table, offsets], dtype=dtype, form=BITS, ints=[1, 0, 32, 18, 2, 2])
    same(got, want)


@pytest.mark.parametrize("pattern", range(8))
@pytest.mark.parametrize("dtype", WORDS)
@pytest.mark.parametrize("counted", [0, 37])
def test_selection(dtype, pattern, counted):
    """Repeats of 256 bytes, or with a count of so many elements; pattern 0 takes bits from src1."""
    size = np.dtype(dtype).itemsize
    lanes = counted or lanes_of(dtype)
    source = numbers(dtype, 3 * 20 * 32 // size)
    bits = numbers("uint8", 3 * 32, 3)
    element = np.arange(lanes)
    want = []
    for r in range(3):
        chosen = {
            0: np.unpackbits(bits[r * 32 :][:32], bitorder="little")[:lanes].astype(bool),
            1: element % 2 == 0,
            2: element % 2 == 1,
            7: element >= 0,
        }.get(pattern, element % 4 == pattern - 3)
        at = (r * 20 + element * size // 32 * 2) * 32 // size + element % (32 // size)
        want.append(source[at][chosen])
    want = np.concatenate(want)
    dst = poisoned(3 * lanes, dtype)
    got, _, _, kept = clean(
        "vreducev2",
        [dst, source, bits.view(dtype), Global(np.zeros(*REGISTER))],
        dtype=dtype,
        form=COUNT if counted else BITS,
        ints=[counted, 0, 3, 2, pattern, 20, 1],
    )
    same(got[: len(want)], want)
    same(got[len(want) :], dst[len(want) :])
    assert int(kept[0]) == len(want)


@pytest.mark.parametrize("dtype", WORDS)
def test_broadcast_to_blocks(dtype):
    per = 32 // np.dtype(dtype).itemsize
    source = numbers(dtype, 16)
    dst = poisoned(2 * 20 * per, dtype)
    want = dst.copy()
    for i, value in enumerate(source):
        want[(i // 8 * 20 + i % 8 * 2) * per :][:per] = value
    got, *_ = clean("vbrcb", [dst, source], dtype=dtype, form=BITS, ints=[1, 0, 2, 20, 2])
    same(got, want)


@pytest.mark.parametrize("dtype", WORDS)
def test_copy_under_a_mask(dtype):
    words, bits = mask_words(dtype)
    lanes, per = lanes_of(dtype), 32 // np.dtype(dtype).itemsize
    source = numbers(dtype, 40 * per)
    lane = np.arange(lanes)
    dst = poisoned(40 * per, dtype)
    want = dst.copy()
    for r in range(2):
        want[(r * 10 + lane // per) * per + lane % per * 1] = np.where(
            bits,
            source[(r * 17 + lane // per * 2) * per + lane % per],
            want[(r * 10 + lane // per) * per + lane % per],
        )
    got, *_ = clean("vcopy", [dst, source], dtype=dtype, form=BITS, ints=[*words, 2, 1, 2, 10, 17])
    same(got, want)


def test_copy_counts_the_elements_of_a_repeat():
    source = numbers("uint32", 64)
    dst = poisoned(64, "uint32")
    want = dst.copy()
    for r in range(3):
        want[r * 16 :][:10] = source[r * 8 :][:10]
    got, *_ = clean("vcopy", [dst, source], dtype="uint32", form=COUNT, ints=[10, 0, 3, 1, 1, 2, 1])
    same(got, want)


def test_copy_counts_more_elements_than_a_repeat_has_lanes():
    """100 elements in each of two repeats, and every other data block of the source."""
    source = numbers("uint32", 512)
    dst = poisoned(256, "uint32")
    want = dst.copy()
    for r in range(2):
        blocks = source.reshape(-1, 8)[r::2]
        want[r * 104 :][:100] = blocks.reshape(-1)[:100]
    got, *_ = clean("vcopy", [dst, source], dtype="uint32", form=COUNT, ints=[100, 0, 2, 1, 2, 13, 1])
    same(got, want)


def pairs_of(scores, indices):
    """(score, index) of 8 bytes each; the bytes between a half and its index are zero."""
    out = np.zeros((len(scores), 8), np.uint8)
    out[:, : scores.itemsize] = scores.reshape(-1, 1).view(np.uint8)
    out[:, 4:] = indices.astype(np.uint32).reshape(-1, 1).view(np.uint8)
    return out.reshape(-1)


@pytest.mark.parametrize("dtype", FLOATS)
def test_sort_of_32(dtype):
    scores = np.round(np.random.default_rng(3).standard_normal(64) * 4).astype(dtype)
    indices = np.random.default_rng(4).permutation(64).astype(np.uint32)
    want = []
    for start in (0, 32):
        order = start + np.argsort(-scores[start : start + 32].astype(np.float64), kind="stable")
        want.append(pairs_of(scores[order], indices[order]))
    dst = poisoned(512, "uint8")
    got, *_ = clean("vbitsort", [dst, scores, indices], dtype=dtype, ints=[0, 0, 2])
    same(got, np.concatenate(want))


def merged(lists, stop):
    """Merges lists of (score, index), each from large to small, and says how many each gave."""
    taken, out = [0] * 4, []
    while True:
        left = [i for i, list_ in enumerate(lists) if taken[i] < len(list_)]
        ended = [i for i, list_ in enumerate(lists) if list_ and taken[i] == len(list_)]
        if not left or (stop and ended):
            return out, taken
        best = max(left, key=lambda i: (lists[i][taken[i]][0], -i))
        out.append(lists[best][taken[best]])
        taken[best] += 1


@pytest.mark.parametrize("stop", [False, True])
@pytest.mark.parametrize("lengths", [(5, 40, 17, 9), (12, 3, 0, 0), (8, 8, 30, 0)])
@pytest.mark.parametrize("dtype", FLOATS)
def test_merge(dtype, lengths, stop):
    rng = np.random.default_rng(5)
    lists = [
        sorted(
            ((float(np.round(rng.standard_normal() * 8)), 100 * i + k) for k in range(length)),
            key=lambda pair: -pair[0],
        )
        for i, length in enumerate(lengths)
    ]
    want, taken = merged(lists, stop)
    buffers = [
        pairs_of(np.array([p[0] for p in list_] or [0], dtype), np.array([p[1] for p in list_] or [0]))
        for list_ in lists
    ]
    packed = sum(length << 16 * i for i, length in enumerate(lengths))
    config = 1 | ((1 << sum(n > 0 for n in lengths)) - 1) << 8 | int(stop) << 12
    dst = poisoned(sum(lengths) * 8, "uint8")
    got, *_, register = clean(
        "vmrgsort4",
        [dst, *buffers, Global(np.zeros(*REGISTER))],
        dtype=dtype,
        ints=[0, 0, packed, config],
    )
    out = pairs_of(np.array([p[0] for p in want], dtype), np.array([p[1] for p in want]))
    same(got[: len(out)], out)
    same(got[len(out) :], dst[len(out) :])
    assert [int(register[0]) >> 16 * i & 0xFFFF for i in range(4)] == taken


def spread(seed, count=16):
    """Offsets of data blocks in no order."""
    return np.random.default_rng(seed).permutation(count) * 32


def blocks_at(buffer, offsets, repeat, stride):
    return np.stack([buffer[at + repeat * stride * 32 :][:32] for at in offsets])


@pytest.mark.parametrize("high", [(0, 0), (0, 1), (1, 0), (1, 1)])
def test_transposition_of_bytes(high):
    """Only one half of each data block is read, and one half written."""
    to, at = spread(1), spread(2)
    source = numbers("uint8", 3 * 512, 1)
    dst = poisoned(3 * 512, "uint8")
    want = dst.copy()
    for r in range(2):
        half = blocks_at(source, at, r, 17)[:, 16 * high[1] :][:, :16]
        for j in range(16):
            want[to[j] + r * 16 * 32 + 16 * high[0] :][:16] = half[:, j]
    ints = [0, 0, 2, 16, 17, *high, *to, *at]
    got, *_ = clean("scatter_vnchwconv_b8", [dst, source], ints=ints)
    same(got, want)


def transposed(size, blocks):
    """Element j of block i goes to element i of block j; of 32-bit types to blocks 2j and 2j + 1."""
    elements = np.ascontiguousarray(blocks).view(f"u{size}")
    return np.ascontiguousarray(elements.T).view(np.uint8).reshape(16, 32)


@pytest.mark.parametrize("size", [2, 4])
def test_transposition_of_words(size):
    to, at = spread(3), spread(4)
    source = numbers("uint8", 3 * 512, 2)
    dst = poisoned(3 * 512, "uint8")
    want = dst.copy()
    for r in range(2):
        for j, block in enumerate(transposed(size, blocks_at(source, at, r, 17))):
            want[to[j] + r * 18 * 32 :][:32] = block
    got, *_ = clean(f"scatter_vnchwconv_b{size * 8}", [dst, source], ints=[0, 0, 2, 18, 17, 0, 0, *to, *at])
    same(got, want)


def test_addresses_from_memory():
    """Buffers lie 256 bytes after each other's end, from 0 on, so that their addresses are known."""
    to, at = spread(5), spread(6)
    source = numbers("uint8", 512, 3)
    dst = poisoned(512, "uint8")
    addresses = np.concatenate([to, 768 + at]).astype(np.uint64)
    want = dst.copy()
    for j, block in enumerate(transposed(2, blocks_at(source, at, 0, 0))):
        want[to[j] :][:32] = block
    got, *_ = clean("vld_va_reg", [dst, source, addresses], ints=[0, 0, 1, 0, 0])
    same(got, want)


def test_square():
    source = numbers("uint16", 256)
    got, *_ = clean("vtranspose", [poisoned(256, "uint16"), source])
    same(got, source.reshape(16, 16).T.reshape(-1))
