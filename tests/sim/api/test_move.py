# SPDX-License-Identifier: Apache-2.0
"""Compares copies, gathers, transpositions and broadcasts with NumPy's indexing."""

from __future__ import annotations

import numpy as np
import pytest

from .harness import (
    BFLOAT16,
    BITS,
    COUNT,
    MASK,
    POISON,
    Empty,
    Global,
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

WIDTHS = ["float32", "float16", "uint32", "int16"]


def test_data_copy_by_blocks_and_counts():
    source = values("float32", 200, 1, specials=False)
    # 3 blocks of 2 x 32 B, 1 block apart in GM, 2 apart in UB; then 10 blocks of 32 B through UB to GM.
    start = values("float32", 80, 2)
    got = clean(
        "DataCopy", [Global(source), start, poisoned(80, "float32"), Global(start)], ints=[3, 2, 1, 2, 10]
    )
    want = start.copy()
    for block in range(3):
        want[block * 32 : block * 32 + 16] = source[block * 24 : block * 24 + 16]
    same(got[2], want)
    same(got[3], want)


def test_data_copy_out_by_blocks():
    source, out = values("float32", 64, 2), poisoned(128, "float32")
    want = out.copy()
    for block in range(3):
        want[block * 32 : block * 32 + 8] = source[block * 16 : block * 16 + 8]
    same(clean("DataCopyOut", [source, Global(out)], ints=[3, 1, 1, 3])[1], want)


@pytest.mark.parametrize("dtype", WIDTHS)
@pytest.mark.parametrize("length,gap_ub,gap_out", [(5, 0, 0), (5, 1, 3), (16, 2, 1)])
def test_data_copy_pad_out(dtype, length, gap_ub, gap_out):
    size, rows = np.dtype(dtype).itemsize, 4
    per_block = 32 // size
    source, out = values(dtype, 64 * per_block, 3), poisoned(200, dtype)
    row, want = -(-length // per_block) * per_block + gap_ub * per_block, out.copy()
    for i in range(rows):
        want[i * (length + gap_out) :][:length] = source[i * row :][:length]
    ints = [rows, length * size, gap_ub, gap_out * size]
    same(clean("DataCopyPadOut", [source, Global(out)], dtype=dtype, ints=ints)[1], want)


def test_nd_to_nz():
    source = values("float16", 5 * 20, 4)
    # 20 columns become two fractal columns of 16, five rows high in columns of eight.
    want = np.zeros((2, 8, 16), np.float16)
    want[:, :5] = np.pad(source.reshape(5, 20), ((0, 0), (0, 12))).reshape(5, 2, 16).transpose(1, 0, 2)
    _, faults, _ = run(
        "Nd2Nz", [Global(source), Global(poisoned(256, "float16"))], dtype="float16", ints=[256, 5, 20, 8]
    )
    # The rows that nothing wrote are reported when they are copied out; those written are right.
    assert faults and all("nothing wrote" in text for text in faults)
    got = run(
        "Nd2Nz", [Global(source), Global(poisoned(256, "float16"))], dtype="float16", ints=[256, 5, 20, 8]
    )[0][1]
    same(got.reshape(2, 8, 16)[:, :5], want[:, :5])


@pytest.mark.parametrize("dtype", WIDTHS)
@pytest.mark.parametrize(
    "length,gap_in,gap_ub,pad,left,right",
    [(5, 0, 0, 0, 0, 0), (5, 3, 1, 1, 0, 2), (3, 0, 0, 1, 2, 1), (8, 8, 2, 1, 0, 0)],
)
def test_data_copy_pad_in(dtype, length, gap_in, gap_ub, pad, left, right):
    size = np.dtype(dtype).itemsize
    source, rows, per_block = values(dtype, 200, 3, specials=False), 4, 32 // size
    row = -(-(left + length + right) // per_block) * per_block
    out = poisoned((row + gap_ub * per_block) * rows, dtype)
    ints = [rows, length * size, gap_in * size, gap_ub, pad, left, right]
    got = clean("DataCopyPadIn", [Global(source), out], dtype=dtype, ints=ints, floats=[9])[1]
    want = out.copy()
    for i in range(rows):
        at = i * (row + gap_ub * per_block)
        part = source[i * (length + gap_in) :][:length]
        # Without a pad value the row ends in copies of its first element.
        want[at : at + row] = np.array(9, dtype) if pad and (left or right) else part[0]
        want[at + left : at + left + length] = part
    same(got, want)


def test_padding_without_a_value_is_not_written():
    source = values("float32", 16, 4)
    out = poisoned(8, "float32")
    fault("which nothing wrote, through Abs", "PadAndUse", [Global(source), out], ints=[3])
    # Without any padding the documentation says what the last elements are.
    got = clean("PadAndUse", [Global(source), out], ints=[0])[1]
    same(got, np.abs(np.append(source[:5], [source[0]] * 3)))
    fault(
        "count * sizeof(T) should be a multiple of 32 bytes",
        "DataCopyCount",
        [Global(source), poisoned(16, "float32")],
        ints=[7],
    )


def test_set_pad_value():
    source, out = values("float32", 16, 5), poisoned(8, "float32")
    got = clean("SetPadValue", [Global(source), out], floats=[2.5])[1]
    same(got, np.concatenate([source[:5], np.full(3, 2.5, np.float32)]))


def test_data_copy_pad_faults():
    source, out = values("float32", 64, 6), poisoned(64, "float32")
    fault(
        "blockLen must be a multiple of sizeof(T) = 4",
        "DataCopyPadIn",
        [Global(source), out],
        ints=[1, 6, 0, 0, 0, 0, 0],
        floats=[0],
    )
    fault(
        "rightPadding must be in [0, 8]",
        "DataCopyPadIn",
        [Global(source), out],
        ints=[1, 8, 0, 0, 1, 0, 9],
        floats=[0],
    )
    fault(
        "blockCount must be in [0, 4095]",
        "DataCopyPadIn",
        [Global(source), out],
        ints=[4096, 8, 0, 0, 0, 0, 0],
        floats=[0],
    )
    fault(
        "of an allocation of 256 bytes",
        "DataCopyPadIn",
        [Global(source), poisoned(200, "float32")],
        ints=[2, 200, 0, 0, 0, 0, 0],
        floats=[0],
    )
    fault("dst takes", "DataCopyPadIn", [Global(source), out[:4]], ints=[2, 32, 0, 0, 0, 0, 0], floats=[0])


@pytest.mark.parametrize("form,mask", [(MASK, [20, 0]), (BITS, [0xF5, 0])])
@pytest.mark.parametrize("dtype", ["float32", "int16"])
def test_copy(dtype, form, mask):
    source, out, per_block = values(dtype, 512, 7), poisoned(512, dtype), 32 // np.dtype(dtype).itemsize
    lanes = range(20) if form == MASK else [i for i in range(8) if (0xF5 >> i) & 1]
    want = out.copy()
    for repeat in range(2):
        for lane in lanes:
            block, offset = divmod(lane, per_block)
            want[(repeat * 12 + block * 2) * per_block + offset] = source[
                (repeat * 8 + block) * per_block + offset
            ]
    same(clean("Copy", [out, source], dtype=dtype, form=form, ints=[*mask, 2, 2, 1, 12, 8])[0], want)


@pytest.mark.parametrize("dtype", WIDTHS)
@pytest.mark.parametrize("form,mask", [(COUNT, [150]), (MASK, [50, 0]), (BITS, [0x8421, 0])])
def test_gather(dtype, form, mask):
    size = np.dtype(dtype).itemsize
    table, out = values(dtype, 300, 8), poisoned(512, dtype)
    lanes = 256 // size
    index = np.random.default_rng(9).integers(0, 290, 512)
    offsets = (index * size).astype(np.uint32)
    if form == COUNT:
        places = list(range(150))
    else:
        chosen = range(50) if form == MASK else [i for i in range(16) if (0x8421 >> i) & 1]
        places = [r * lanes + i for r in range(2) for i in chosen]
    want = out.copy()
    want[places] = table[index[places] + 10]
    ints = [150, 0, 0, 0, 10 * size] if form == COUNT else [*mask, 2, 8, 10 * size]
    same(clean("Gather", [out, table, offsets], dtype=dtype, form=form, ints=ints)[0], want)


def test_gather_faults():
    table, out = values("float32", 64, 10), poisoned(64, "float32")
    good = np.zeros(64, np.uint32)
    for bad, text in [
        (254, "must be a multiple of sizeof(T) = 4, got 254"),
        (256, "a byte offset inside src, which has 256 bytes, got 256"),
    ]:
        offsets = good.copy()
        offsets[5] = bad
        fault(
            "srcBaseOffset + srcOffset[5] " + text if "multiple" in text else text,
            "Gather",
            [out, table, offsets],
            ints=[64, 0, 0, 0, 0],
        )
        clean("Gather", [out, table, offsets], ints=[5, 0, 0, 0, 0])
    fault("which nothing wrote, through Gather", "Gather", [out, Empty(256), good], ints=[64, 0, 0, 0, 0])
    fault("takes addresses from srcOffset", "Gather", [out, table, Empty(256)], ints=[64, 0, 0, 0, 0])


def test_gatherb():
    table, offsets = (
        values("uint32", 256, 11),
        (np.random.default_rng(12).integers(0, 32, 16) * 32).astype(np.uint32),
    )
    out = poisoned(256, "uint32")
    want = out.copy()
    for i, offset in enumerate(offsets):
        at = (i // 8 * 16 + i % 8 * 2) * 8
        want[at : at + 8] = table[offset // 4 : offset // 4 + 8]
    same(clean("Gatherb", [out, table, offsets], dtype="uint32", ints=[2, 2, 16])[0], want)
    fault(
        "offset must be a multiple of 32 bytes",
        "Gatherb",
        [out, table, offsets + 4],
        dtype="uint32",
        ints=[2, 2, 16],
    )


def test_gather_issues_what_cann_issues():
    """Whole repeats, then the rest; CANN 8.1 counts the repeats in 8 bits."""
    table, offsets = np.arange(64, dtype=np.float32), np.zeros(256 * 64, np.uint32)
    for count, instructions in ((200, 2), (128, 1), (40, 1)):
        buffers = [poisoned(count, "float32"), table, offsets]
        assert issued("Gather", buffers, ints=[count, 0, 0, 0, 0]) == ["V Gather"] * instructions
    out = poisoned(256 * 64, "float32")
    fault("count must be less than 16384", "Gather", [out, table, offsets], ints=[256 * 64, 0, 0, 0, 0])


@pytest.mark.parametrize("pattern", range(1, 8))
@pytest.mark.parametrize("dtype", ["float32", "uint16"])
def test_gather_mask_by_pattern(dtype, pattern):
    source = values(dtype, 256, 13)
    lanes = 256 // np.dtype(dtype).itemsize
    kept = {1: slice(0, None, 2), 2: slice(1, None, 2), 7: slice(None)}.get(
        pattern, slice(pattern - 3, None, 4)
    )
    chosen = source[: 2 * lanes][kept]
    out = poisoned(256, dtype)
    want = out.copy()
    want[: len(chosen)] = chosen
    got = clean(
        "GatherMask",
        [out, source, np.zeros(8, np.int32)],
        dtype=dtype,
        form=MASK,
        ints=[pattern, 0, 2, 1, 8, 0, 0],
    )
    same(got[0], want)
    assert got[2][0] == len(chosen)


@pytest.mark.parametrize("dtype", ["float32", "int16"])
def test_gather_mask_by_tensor_in_reduce_mode(dtype):
    # 3 repeats of 70 elements: every second data block, the same bits for each repeat.
    source = values(dtype, 1200, 14)
    per_block = 32 // np.dtype(dtype).itemsize
    bits = np.random.default_rng(15).integers(0, 256, 32, np.uint8)
    on = np.unpackbits(bits, bitorder="little").astype(bool)[:70]
    index = [
        (r * 20 + e // per_block * 2) * per_block + e % per_block
        for r in range(3)
        for e in range(70)
        if on[e]
    ]
    out = poisoned(256, dtype)
    want = out.copy()
    want[: len(index)] = source[index]
    got = clean(
        "GatherMask",
        [out, source, np.zeros(8, np.int32), bits],
        dtype=dtype,
        form=BITS,
        ints=[0, 70, 3, 2, 20, 0, 1],
    )
    same(got[0], want)
    assert got[2][0] == len(index)


@pytest.mark.parametrize("dtype", ["float32", "float16"])
def test_brcb(dtype):
    source, per_block = values(dtype, 16, 16), 32 // np.dtype(dtype).itemsize
    out = poisoned(32 * per_block, dtype)
    want = out.copy().reshape(32, per_block)
    for i in range(16):
        want[i // 8 * 16 + i % 8 * 2] = source[i]
    same(clean("Brcb", [out, source], dtype=dtype, ints=[2, 2, 16])[0], want.ravel())


def test_broadcast():
    column, row = values("float32", 5, 17), values("float32", 7, 18)
    got = clean(
        "BroadCast",
        [poisoned(35, "float32"), poisoned(35, "float32"), column, row, poisoned(256, "uint8")],
        ints=[5, 7],
    )
    same(got[0], np.repeat(column, 7))
    same(got[1], np.tile(row, 5))


def test_transpose():
    source = values("float16", 256, 19)
    same(clean("Transpose", [poisoned(256, "float16"), source])[0], source.reshape(16, 16).T.ravel())
    images = values("float32", 2 * 3 * 4 * 8, 20)
    got = clean(
        "TransposeNchw",
        [poisoned(192, "float32"), images, poisoned(192, "float32"), poisoned(8192, "uint8")],
        ints=[2, 3, 4, 8],
    )
    same(got[0], images.reshape(2, 3, 32).transpose(0, 2, 1).ravel())
    same(got[2], images)
    fault(
        "sharedTmpBuffer must be of at least",
        "TransposeNchw",
        [poisoned(192, "float32"), images, poisoned(192, "float32"), poisoned(64, "uint8")],
        ints=[2, 3, 4, 8],
    )


@pytest.mark.parametrize("dtype", ["float16", "float32", "int8"])
def test_trans_data(dtype):
    per_block = 32 // np.dtype(dtype).itemsize
    source, out = values(dtype, 64 * per_block, 21), poisoned(64 * per_block, dtype)
    high_dst, high_src = (1, 1) if dtype == "int8" else (0, 0)
    # Two repeats: sources one block apart of rows 2 blocks long, results 16 blocks apart.
    got = clean(
        "TransDataTo5HD",
        [out, source],
        dtype=dtype,
        ints=[per_block, 2 * per_block, high_dst, high_src, 2, 16, 1],
    )[0]
    want = out.copy().reshape(64, per_block)
    blocks = source.reshape(32, 2, per_block)[:16]
    for r in range(2):
        rows = blocks[:, r]
        if dtype == "int8":
            want[r * 16 : r * 16 + 16, 16:] = rows[:, 16:].T
        else:
            want[r * 16 : r * 16 + 16] = rows.T.reshape(16, per_block)
    same(got, want.ravel())


def test_elements():
    local, remote = np.arange(8, dtype=np.float32), np.array([5, 6], np.float32)
    got = clean("Elements", [local, Global(remote)])
    same(got[0][:4], np.array([0, 1, 4, 5], np.float32))
    same(got[1], np.array([5, 10], np.float32))


def test_unwritten_bytes_are_reported():
    fault(
        "which nothing wrote, through Add",
        "Add",
        [poisoned(64, "float32"), Empty(256), values("float32", 64, 22)],
        ints=[64],
    )


@pytest.mark.parametrize("dtype", ["float32", "float16", "int32", "int16", BFLOAT16])
def test_atomic_add(dtype):
    a, old = values(dtype, 64, 23, specials=False), values(dtype, 64, 24, specials=False)
    wide = a.dtype == np.float16 or a.dtype == BFLOAT16
    with np.errstate(over="ignore"):
        want = (a.astype(np.float32) + old.astype(np.float32)).astype(dtype) if wide else a + old
    same(clean("AtomicAdd", [a, Global(old)], dtype=dtype, ints=[64])[1], want)


def test_atomic_max_and_min():
    a, old = values("float32", 256, 25), values("float32", 256, 26)
    pairs = np.array([(x, y) for x in (0, -0.0, np.nan, 1) for y in (0, -0.0, np.nan, 1)], np.float32)
    a[:16], old[:16] = pairs.T
    got = clean("AtomicMax", [a, Global(old), Global(old)], ints=[256])
    same(got[1], maximum(a, old))
    same(got[2], minimum(a, old))


def test_fill():
    got = clean("Fill", [Global(poisoned(10000, "float32"))], ints=[9999], floats=[1.25])[0]
    same(got[:9999], np.full(9999, 1.25, np.float32))
    assert got.view(np.uint8)[-1] == POISON
