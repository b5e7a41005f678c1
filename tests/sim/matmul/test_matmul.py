# SPDX-License-Identifier: Apache-2.0
"""Compares Matmul in mixed kernels with NumPy: two vector cores call it, the cube core of their block computes."""

from __future__ import annotations

from functools import partial

import numpy as np
import pytest

from tests.sim.api import harness
from tests.sim.api.harness import BFLOAT16, Global, poisoned, same
from tests.sim.api.test_cube import whole

PROGRAM = harness.BUILD / "tests" / "sim_matmul"
clean = partial(harness.clean, program=PROGRAM)
fault = partial(harness.fault, program=PROGRAM)

SUMS = {"float16": "float32", BFLOAT16: "float32", "float32": "float32", "int8": "int32"}
ALL, ASYNC, TILES, SEQUENTIAL, TWICE = range(5)


def factors(shape, dtype, trans=(0, 0), seed=1):
    m, n, k = shape
    a, b = whole((m, k), dtype, seed), whole((k, n), dtype, seed + 1)
    stored = [Global(np.ascontiguousarray(x.T if t else x)) for x, t in zip((a, b), trans, strict=True)]
    return a.astype(np.float64) @ b.astype(np.float64), stored


def call(name, shape, base, buffers, *, dtype="float16", trans=(0, 0), bias=0, way=ALL, out=None):
    return clean(name, buffers, dtype=dtype, dtype2=out or "-", ints=[*shape, *trans, *base, bias, way])


@pytest.mark.parametrize("way", [ALL, ASYNC, TILES])
@pytest.mark.parametrize("trans", [(0, 0), (0, 1), (1, 0), (1, 1)])
@pytest.mark.parametrize("dtype", list(SUMS))
def test_two_vector_cores_share_a_cube_core(dtype, trans, way):
    shape, base = (90, 75, 100), (32, 32, 32)
    want, buffers = factors(shape, dtype, trans)
    buffers.append(Global(poisoned((90, 75), SUMS[dtype])))
    same(
        call("MixedMatmul", shape, base, buffers, dtype=dtype, trans=trans, way=way)[2],
        want.astype(SUMS[dtype]),
    )


@pytest.mark.parametrize("dtype,out", [("float16", None), ("float16", "float16"), ("int8", None)])
def test_bias_and_types_of_the_result(dtype, out):
    shape = (40, 48, 64)
    want, buffers = factors(shape, dtype)
    kind = out or SUMS[dtype]
    bias = whole(48, kind, 7)
    buffers += [Global(poisoned((40, 48), kind)), Global(bias)]
    got = call("MixedMatmul", shape, (16, 32, 32), buffers, dtype=dtype, bias=1, out=out)[2]
    same(got, (want + bias.astype(np.float64)).astype(kind))


def test_a_second_product_is_added():
    want, buffers = factors((64, 64, 32), "float16")
    buffers.append(Global(poisoned((64, 64), "float32")))
    got = call("MixedMatmul", (64, 64, 32), (32, 32, 32), buffers, way=TWICE)[2]
    same(got, (2 * want).astype(np.float32))


@pytest.mark.parametrize("name", ["MixedEpilogue", "MixedEpilogueAsync"])
def test_epilogue_in_ub(name):
    shape, base = (128, 96, 64), (32, 48, 32)
    want, buffers = factors(shape, "float16")
    buffers += [Global(poisoned((128, 96), "float32")), Global(poisoned((128, 96), "float32"))]
    got = call(name, shape, base, buffers)[2]
    same(got, np.where(want < 0, want / 2, want).astype(np.float32))


@pytest.mark.parametrize(
    "name",
    [
        "MixedWrittenBefore",
        "MixedFromUb",
        "MixedFromTscm",
        "MixedUbToTscm",
        "MixedRowsFromUb",
        "MixedRowsFromUbAsync",
    ],
)
def test_operands_that_the_vector_core_has_just_written(name):
    want, buffers = factors((32, 48, 64), "float16")
    buffers += [Global(poisoned((32, 48), "float32")), Global(poisoned((32, 64), "float16"))]
    same(call(name, (32, 48, 64), (16, 48, 32), buffers)[2], want.astype(np.float32))


def test_partial_sums():
    want, buffers = factors((32, 32, 64), "float16")
    buffers.append(Global(poisoned((32, 32), "float32")))
    same(call("MixedPartialSums", (32, 32, 64), (16, 32, 32), buffers)[2], want.astype(np.float32))


def test_one_vector_core_for_each_cube_core():
    want, buffers = factors((90, 48, 64), "float16")
    buffers.append(Global(poisoned((90, 48), "float32")))
    same(call("MixedOneToOne", (90, 48, 64), (32, 48, 32), buffers)[2], want.astype(np.float32))


def test_partial_output():
    want, buffers = factors((32, 48, 80), "float16")
    buffers += [Global(np.zeros((32, 48), "float32")), Global(np.zeros(32, "int32"))]
    got = call("MixedPartialOutput", (32, 48, 80), (16, 48, 32), buffers)
    same(got[2], want.astype(np.float32))
    assert got[3][0] == got[3][16] == 3


@pytest.mark.parametrize("name", ["MixedShared", "MixedDualMaster"])
def test_one_product_for_both_vector_cores(name):
    want, buffers = factors((32, 48, 64), "float16")
    buffers += [Global(poisoned((32, 48), "float32")), Global(poisoned((32, 48), "float32"))]
    got = call(name, (32, 48, 64), (32, 48, 32), buffers)
    same(got[2], want.astype(np.float32))
    if name == "MixedShared":
        same(got[3], want.astype(np.float32))


def test_a_shared_product_from_ub_waits_for_one_call_at_a_time():
    """Three calls, each of a row of A that the first vector core has in UB; two of them run at once."""
    want, buffers = factors((48, 48, 64), "float16")
    buffers.append(Global(poisoned((48, 48), "float32")))
    got = call("MixedSharedFromUb", (48, 48, 64), (16, 48, 32), buffers)[2]
    same(got, want.astype(np.float32))


def test_two_objects_take_turns():
    want, buffers = factors((200, 256, 64), "float16")
    buffers += [Global(poisoned((200, 256), "float32")), Global(poisoned((200, 256), "float16"))]
    got = call("MixedTwoObjects", (200, 256, 64), (112, 256, 64), buffers)
    same(got[2], want.astype(np.float32))
    same(got[3], want.astype(np.float16))


# The axes of A, B and C in memory, as letters of einsum: z is b, h heads, g groups, s and t rows, d columns.
LAYOUTS = {
    "BSNGD": ("zshgd", "zthgd", "zshgt"),
    "SBNGD": ("szhgd", "tzhgd", "szhgt"),
    "BNGS1S2": ("zhgsd", "zhgtd", "zhgst"),
    "NORMAL": ("zhgsd", "zhgtd", "zhgst"),
}


@pytest.mark.parametrize("groups_b", [2, 1])
@pytest.mark.parametrize("layout", list(LAYOUTS))
def test_batches(layout, groups_b):
    sizes = {"z": 2, "h": 3, "g": 2, "s": 33, "t": 40, "d": 48}
    of_b = {**sizes, "g": groups_b}
    in_a, in_b, in_c = LAYOUTS[layout]
    a = whole([sizes[axis] for axis in in_a], "float16", 21)
    b = whole([of_b[axis] for axis in in_b], "float16", 22)
    bias = whole([sizes[axis] for axis in "zhgt"], "float32", 23)
    everywhere = np.repeat(b, 2 // groups_b, in_b.index("g")).astype(np.float64)
    want = np.einsum(f"{in_a},{in_b}->{in_c}", a.astype(np.float64), everywhere)
    want += np.einsum(f"zhgt,s->{in_c}", bias, np.ones(sizes["s"]))
    buffers = [Global(a), Global(b), Global(poisoned(want.shape, "float32")), Global(bias)]
    got = clean(f"Batch{layout}", buffers, ints=[2, 33, 40, 48, 3, 2, groups_b, 1])[2]
    same(got, want.astype(np.float32))


@pytest.mark.parametrize("name", ["Batches", "BatchesAsync"])
def test_several_batches(name):
    b, m, n, k, heads = 3, 20, 32, 48, 2
    a, bt = whole((b, heads, m, k), "float16", 31), whole((b, heads, n, k), "float16", 32)
    bias = whole(n, "float32", 33)
    want = a.astype(np.float64) @ bt.swapaxes(2, 3).astype(np.float64) + bias
    results = [Global(poisoned(want.shape, "float32")) for _ in range(2)]
    buffers = [Global(a), Global(bt), results[0], Global(bias), results[1]]
    got = clean(name, buffers, ints=[b, m, n, k, heads, 1, 1, 1])
    same(got[2], want.astype(np.float32))
    same(got[4], want.astype(np.float32))


def test_mistakes_with_batches():
    buffers = [Global(np.zeros((32, 32), "float16"))] * 2 + [Global(poisoned((32, 32), "float32"))]
    ints = [1, 32, 32, 32, 1, 1, 1, 0]
    fault("the results need SetWorkspace before", "BatchesNoWorkspace", buffers, ints=ints)
    fault("there is no batch left of IterateNBatch<false>", "BatchesTooMany", buffers, ints=ints)
    # Two groups of A and B, and one of C.
    buffers = [Global(np.zeros((2, 32, 32), "float16"))] * 2 + [Global(poisoned((2, 32, 32), "float32"))]
    fault("CLayoutInfoG must be 2, the G of A or B, got 1", "BatchBNGS1S2", buffers,
          ints=[1, 32, 32, 32, 1, 2, 2, 0, 1])  # fmt: skip


def test_mistakes():
    shape, base = (32, 32, 32), (16, 32, 32)
    want, buffers = factors(shape, "float16")
    buffers.append(Global(poisoned((32, 32), "float32")))
    ints = [*shape, 0, 0, *base]
    for name, text in (
        ("MixedReadsAtOnce", "BlockConflict"),
        ("MixedNotRegistered", "the object is not registered: missing REGIST_MATMUL_OBJ"),
        ("MixedOneLeaves", "the cube core waits for 1 vector cores of its block"),
        ("MixedWaitsForNothing", "there is no call of IterateAll<false> with waitIterateAll"),
        ("MixedUsesEmptyTiling", "the object has no tiling, or one of zeros: missing Init"),
        ("MixedLargeTscm", "TSCM of a vector core holds 131072 bytes here, the tensor ends at byte 163840"),
        ("MixedOnVector", "the kernel has no cube cores that could compute this"),
        ("MixedOnCube", "the kernel has no vector cores that could call Matmul"),
    ):
        fault(text, name, buffers, ints=ints)
    same(clean("MixedEmptyTiling", buffers, ints=ints)[2], want.astype(np.float32))
    same(clean("MixedReadsAfterWait", buffers, ints=ints)[2], want.astype(np.float32))
