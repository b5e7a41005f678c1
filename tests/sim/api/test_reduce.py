# SPDX-License-Identifier: Apache-2.0
"""Tests reductions, sorts and scalar functions."""

from __future__ import annotations

import numpy as np
import pytest

from .harness import BITS, COUNT, MASK, clean, fault, issued, poisoned, same, values

FLOATS = ["float32", "float16"]


@pytest.fixture(autouse=True)
def silent():
    with np.errstate(all="ignore"):
        yield


def tree(array):
    """Adds neighbours, then neighbours of the sums; rounds each sum to the type."""
    array = array.copy()
    while len(array) > 1:
        array = (array[0::2].astype(np.float32) + array[1::2].astype(np.float32)).astype(array.dtype)
    return array[0]


def active(form, mask, lanes):
    if form == MASK:
        return np.arange(lanes) < mask[0]
    return np.array([(mask[i // 64] >> (i % 64)) & 1 for i in range(lanes)], bool)


def repeats_of(source, dtype, repeat, block_stride, repeat_stride):
    per_block = 32 // np.dtype(dtype).itemsize
    lanes = 256 // np.dtype(dtype).itemsize
    e = np.arange(lanes)
    return [
        source[(r * repeat_stride + e // per_block * block_stride) * per_block + e % per_block]
        for r in range(repeat)
    ]


def best(array, on, largest):
    index = np.flatnonzero(on)
    chosen = array[index]
    if np.isnan(chosen).any():
        at = index[np.isnan(chosen)][0]
    else:
        at = index[np.argmax(chosen) if largest else np.argmin(chosen)]
    return array[at], at


FORMS = [(MASK, [64, 0]), (MASK, [19, 0]), (BITS, [0xFF0000FF00F0A5, 0])]


@pytest.mark.parametrize("form,mask", FORMS)
@pytest.mark.parametrize("dtype", FLOATS)
@pytest.mark.parametrize("name", ["BlockReduceSum", "BlockReduceMax", "BlockReduceMin"])
def test_block_reduce(name, dtype, form, mask):
    source, out = values(dtype, 1024, 1), poisoned(64, dtype)
    per_block, lanes = 32 // np.dtype(dtype).itemsize, 256 // np.dtype(dtype).itemsize
    on = active(form, mask, lanes)
    want = out.copy()
    for r, data in enumerate(repeats_of(source, dtype, 2, 2, 16)):
        for block in range(8):
            part = slice(block * per_block, (block + 1) * per_block)
            if not on[part].any():
                continue
            if name == "BlockReduceSum":
                want[r * 16 + block] = tree(np.where(on[part], data[part], np.array(0, dtype)).astype(dtype))
            else:
                want[r * 16 + block] = best(data[part], on[part], name == "BlockReduceMax")[0]
    same(clean(name, [out, source], dtype=dtype, form=form, ints=[*mask, 2, 2, 2, 16])[0], want)


@pytest.mark.parametrize("form,mask", FORMS)
@pytest.mark.parametrize("dtype", FLOATS)
@pytest.mark.parametrize("name", ["PairReduceSum", "ReducePairElem<ReduceType::SUM>"])
def test_pair_reduce(name, dtype, form, mask):
    source, out = values(dtype, 512, 2), poisoned(256, dtype)
    lanes = 256 // np.dtype(dtype).itemsize
    on = active(form, mask, lanes)
    want = out.copy()
    for r, data in enumerate(repeats_of(source, dtype, 2, 1, 8)):
        data = np.where(on, data, np.array(0, dtype)).astype(np.float32)
        sums = (data[0::2] + data[1::2]).astype(dtype)
        touched = on[0::2] | on[1::2]
        part = want[r * lanes // 2 : (r + 1) * lanes // 2]
        part[touched] = sums[touched]
    same(clean(name, [out, source], dtype=dtype, form=form, ints=[*mask, 2, 1, 1, 8])[0], want)


@pytest.mark.parametrize("dtype", FLOATS)
@pytest.mark.parametrize("name", ["WholeReduceSum", "RepeatReduceSum", "ReduceRepeat<ReduceType::SUM>"])
@pytest.mark.parametrize("form,mask", FORMS)
def test_whole_reduce_sum(name, dtype, form, mask):
    if name == "RepeatReduceSum" and form == BITS:
        pytest.skip("takes a count of lanes only")
    source, out = values(dtype, 1024, 3), poisoned(32, dtype)
    on = active(form, mask, 256 // np.dtype(dtype).itemsize)
    want = out.copy()
    for r, data in enumerate(repeats_of(source, dtype, 3, 1, 8)):
        want[2 * r] = tree(np.where(on, data, np.array(0, dtype)).astype(dtype))
    same(clean(name, [out, source], dtype=dtype, form=form, ints=[*mask, 3, 2, 1, 8])[0], want)


@pytest.mark.parametrize("order", range(4))
@pytest.mark.parametrize("form,mask", FORMS)
@pytest.mark.parametrize("dtype", FLOATS)
@pytest.mark.parametrize("name", ["WholeReduceMax", "WholeReduceMin"])
def test_whole_reduce_extreme(name, dtype, form, mask, order):
    source = values(dtype, 1024, 4, specials=False)
    source[700:] = np.nan if order else source[700:]
    out = poisoned(64, dtype)
    size = np.dtype(dtype).itemsize
    on = active(form, mask, 256 // size)
    want = out.copy().view(np.uint8)
    bits = {2: np.uint16, 4: np.uint32}[size]
    for r, data in enumerate(repeats_of(source, dtype, 3, 1, 8)):
        value, index = best(data, on, name == "WholeReduceMax")
        value, index = (
            np.array([value], dtype).tobytes(),
            np.array([index], np.uint32 if order == 3 else bits).tobytes(),
        )
        result = [value + index, index + value, value, index][order]
        at = r * len(result)
        want[at : at + len(result)] = np.frombuffer(result, np.uint8)
    got = clean(name, [out, source], dtype=dtype, form=form, ints=[*mask, 3, 1, 1, 8, order])[0]
    same(got, want.view(dtype))


@pytest.mark.parametrize("index", [0, 1])
@pytest.mark.parametrize(
    "form,ints",
    [(COUNT, [1]), (COUNT, [1000]), (COUNT, [20000]), (MASK, [30, 0, 4, 8]), (BITS, [0xA5, 0, 4, 8])],
)
@pytest.mark.parametrize("dtype", FLOATS)
@pytest.mark.parametrize("name", ["ReduceMax", "ReduceMin"])
def test_reduce_extreme(name, dtype, form, ints, index):
    lanes = 256 // np.dtype(dtype).itemsize
    count = ints[0] if form == COUNT else 4 * lanes
    source = values(dtype, count, 5, specials=False)
    source[count // 2] = source[-1] = source.max() if name == "ReduceMax" else source.min()
    on = np.ones(count, bool) if form == COUNT else np.tile(active(form, ints, lanes), 4)
    value, at = best(source, on, name == "ReduceMax")
    work = poisoned(4096, dtype)
    out = poisoned(16, dtype)
    got = clean(
        name, [out, source, work], dtype=dtype, form=form, ints=[*ints, *[0] * (4 - len(ints)), index]
    )[0]
    assert got[0] == value
    bits = got.view({2: np.uint16, 4: np.uint32}[np.dtype(dtype).itemsize])
    if index:
        assert bits[1] == at
    same(got[1 + index :], out[1 + index :])


def waits(*pairs: str) -> list[str]:
    return [f"{word} {pair}" for pair in pairs for word in ("flag", "wait")]


ONE = "V WholeReduceMax"
ROUND, RESULT = [ONE, "barrier V"], waits("S V", "S MTE3")
JOIN = [ONE, *waits("V S", "S V"), ONE, *waits("V S")]


@pytest.mark.parametrize(
    "count,index,want",
    [
        (40, 1, [ONE]),
        (40, 0, [ONE, *waits("V S"), *RESULT]),
        (64 * 8, 1, [*ROUND, *ROUND, *waits("V S"), *RESULT]),
        (64 * 40, 1, [*ROUND, ONE, *ROUND, ONE, *waits("V S"), *RESULT]),
        (64 * 8, 0, [*ROUND, *ROUND, ONE, *waits("V S"), *RESULT]),
        (64 * 8 + 3, 1, [*ROUND, *ROUND, *waits("V S"), *RESULT, *waits("V S"), *JOIN, *RESULT]),
        (
            64 * 300,
            1,
            [
                ONE,
                *ROUND,
                ONE,
                *ROUND,
                ONE,
                *waits("V S"),
                *RESULT,
            ],
        ),
    ],
)
def test_reduce_issues_what_cann_issues(count, index, want):
    """CANN 8.1, dav_c220/kernel_operator_vec_reduce_impl.h."""
    buffers = [
        poisoned(16, "float32"),
        values("float32", count, 9, specials=False),
        poisoned(4096, "float32"),
    ]
    steps = issued("ReduceMax", buffers, form=COUNT, ints=[count, 0, 0, 0, index])
    assert steps == want


def test_a_sum_of_any_count_is_one_instruction():
    count = 64 * 300 + 5
    buffers = [
        poisoned(16, "float32"),
        np.ones(count, np.float32),
        poisoned(512, "float32"),
        poisoned(8, "float32"),
    ]
    steps = issued("ReduceSum", buffers, form=COUNT, ints=[count])
    assert steps == ["V ReduceSum", *waits("V S"), *RESULT]


def test_reduce_needs_its_work_tensor():
    source, out = values("float32", 1000, 6), poisoned(16, "float32")
    fault(
        "sharedTmpBuffer must be of at least",
        "ReduceMax",
        [out, source, poisoned(8, "float32")],
        ints=[1000, 0, 0, 0, 1],
    )
    fault(
        "srcRepStride must be in [0, 65535], got 65536",
        "WholeReduceSum",
        [out, source],
        form=MASK,
        ints=[64, 0, 1, 1, 1, 65536],
    )
    fault(
        "repeatTime must be in [0, 255], got 256",
        "WholeReduceSum",
        [out, source],
        form=MASK,
        ints=[64, 0, 256, 1, 1, 8],
    )


@pytest.mark.parametrize("dtype", FLOATS)
@pytest.mark.parametrize(
    "form,ints",
    [(COUNT, [1]), (COUNT, [1000]), (COUNT, [20000]), (MASK, [30, 0, 4, 8]), (BITS, [0xA5, 0, 4, 8])],
)
def test_reduce_sum(dtype, form, ints):
    lanes = 256 // np.dtype(dtype).itemsize
    count = ints[0] if form == COUNT else 4 * lanes
    source = (values(dtype, count, 7, specials=False) % np.array(8, dtype)).astype(dtype)
    on = np.ones(count, bool) if form == COUNT else np.tile(active(form, ints, lanes), 4)
    padded = np.zeros(-(-count // lanes) * lanes, dtype)
    padded[:count] = np.where(on, source, np.array(0, dtype))
    sums = np.array([tree(part) for part in padded.reshape(-1, lanes)], dtype)
    if form == COUNT:
        total = sums[0]
        for value in sums[1:]:
            total = np.array([total.astype(np.float32) + value.astype(np.float32)]).astype(dtype)[0]
    else:
        total = tree(np.concatenate([sums, np.zeros(lanes - len(sums), dtype)]))
    got = clean(
        "ReduceSum",
        [poisoned(16, dtype), source, poisoned(512, dtype), poisoned(8, "float32")],
        dtype=dtype,
        form=form,
        ints=ints,
    )
    assert got[0][0] == total
    assert got[3][0] == np.float32(total)


def test_reduction_registers():
    source = values("float32", 64, 8, specials=False)
    got = clean("ReduceRegisters", [poisoned(8, "float32"), source, poisoned(8, "float32")])[2]
    assert got[0] == source.max() and got.view(np.uint32)[1] == source.argmax()


def pairs_of(scores, indices):
    out = np.zeros(
        len(scores),
        np.dtype(
            {
                "names": ["score", "index"],
                "formats": [scores.dtype, np.uint32],
                "offsets": [0, 4],
                "itemsize": 8,
            }
        ),
    )
    out["score"], out["index"] = scores, indices
    return out


def joined(parts):
    """Returns one array of all parts; NumPy's own concatenation would remove the gap in a pair."""
    out = np.zeros(sum(map(len, parts)), parts[0].dtype)
    at = 0
    for part in parts:
        out[at : at + len(part)] = part
        at += len(part)
    return out


def ordered(pairs):
    return pairs[np.argsort(-pairs["score"].astype(np.float64), kind="stable")]


@pytest.mark.parametrize("dtype", FLOATS)
def test_sort32(dtype):
    scores = np.round(values(dtype, 96, 9, specials=False)).astype(dtype)
    indices = np.arange(1000, 1096, dtype=np.uint32)
    want = joined([ordered(pairs_of(scores[i : i + 32], indices[i : i + 32])) for i in (0, 32, 64)])
    buffers = [poisoned(768, "uint8"), scores, indices, poisoned(96, dtype), poisoned(96, "uint32")]
    got = clean("Sort32", buffers, dtype=dtype, ints=[3])
    sorted_pairs = got[0].view(want.dtype)
    same(sorted_pairs["score"].copy(), want["score"].copy())
    same(sorted_pairs["index"].copy(), want["index"].copy())
    same(got[3], want["score"].copy())
    same(got[4], want["index"].copy())


@pytest.mark.parametrize(
    "lengths,valid,suspend",
    [([32, 40, 8, 17], 15, 0), ([10, 20, 30, 0], 7, 0), ([16, 5, 0, 0], 3, 0), ([9, 4, 6, 7], 15, 1)],
)
@pytest.mark.parametrize("dtype", FLOATS)
def test_merge_sort(dtype, lengths, valid, suspend):
    scores = np.round(values(dtype, sum(lengths), 10, specials=False)).astype(dtype)
    pairs, start, lists = pairs_of(scores, np.arange(len(scores))), 0, []
    for length in lengths:
        lists.append(ordered(pairs[start : start + length]))
        start += length
    taken, want = [0] * 4, []
    while True:
        left = [i for i in range(4) if taken[i] < len(lists[i])]
        exhausted = any(len(lists[i]) and taken[i] == len(lists[i]) for i in range(4))
        if not left or (suspend and exhausted):
            break
        i = max(left, key=lambda i: (float(lists[i][taken[i]]["score"]), -i))
        want.append(lists[i][taken[i]])
        taken[i] += 1
    want = np.array(want, pairs.dtype)
    source = joined(lists)
    buffers = [
        poisoned(len(scores) * 8, "uint8"),
        np.frombuffer(source.tobytes(), np.uint8),
        np.zeros(8, np.int32),
    ]
    got = clean("MrgSort", buffers, dtype=dtype, ints=[*lengths, valid, suspend, 1])
    merged = got[0].view(pairs.dtype)[: len(want)]
    same(merged["score"].copy(), want["score"].copy())
    same(merged["index"].copy(), want["index"].copy())
    assert list(got[2][:4]) == taken


def test_merge_sort_faults():
    buffers = [poisoned(512, "uint8"), np.zeros(512, np.uint8), np.zeros(8, np.int32)]
    fault("validBit must be 3, 7 or 15, got 5", "MrgSort", buffers, ints=[8, 8, 8, 8, 5, 0, 1])
    fault("elementLengths must be in [0, 4095], got 4096", "MrgSort", buffers, ints=[4096, 8, 8, 8, 15, 0, 1])
    fault("repeatTimes must be 1 unless", "MrgSort", buffers, ints=[8, 8, 8, 4, 15, 0, 2])


@pytest.mark.parametrize("dtype", FLOATS)
@pytest.mark.parametrize("repeat", [1, 3, 5, 16, 17])
def test_full_sort(dtype, repeat):
    count = 32 * repeat
    scores = np.round(values(dtype, count, 11, specials=False)).astype(dtype)
    indices = np.arange(count, dtype=np.uint32)
    want = ordered(pairs_of(scores, indices))
    got = clean(
        "Sort",
        [poisoned(count * 8, "uint8"), scores, indices, poisoned(count * 8, "uint8")],
        dtype=dtype,
        ints=[repeat],
    )
    merged = got[0].view(want.dtype)
    same(merged["score"].copy(), want["score"].copy())
    same(merged["index"].copy(), want["index"].copy())


@pytest.mark.parametrize(
    "bits,want",
    [
        (0b1010, [2, 62, 60, 1, 0, 59]),
        (0, [0, 64, 64, -1, 0, -1]),
        (2**64 - 1, [64, 0, 0, 0, -1, -1]),
        (0x0100000000000020, [2, 62, 7, 5, 0, 6]),
    ],
)
def test_scalar_functions(bits, want):
    assert list(clean("Scalars", [poisoned(8, "int32")], ints=[bits], floats=[2.5])[0][:7]) == [*want, 2]


@pytest.mark.parametrize("dtype", FLOATS)
def test_limits(dtype):
    got = clean("Limits", [poisoned(16, dtype)], dtype=dtype, ints=[10])[0]
    info = np.finfo(dtype)
    same(got[:6], np.array([info.max, info.min, info.tiny, -np.inf, np.nan, info.smallest_subnormal], dtype))
    same(got[6:10], np.full(4, np.inf, dtype))
