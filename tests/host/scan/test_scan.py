# SPDX-License-Identifier: Apache-2.0
"""Tiling of scans: what must hold for every shape on every device, beside what tests/test_tilings.py demands."""

import math
import random
from types import SimpleNamespace

import numpy as np
import pytest

LANES = 16
KERNELS = ["corner_pool", "corner_pool_backward", "cummax", "cummaxmin_backward"]
RUNNING = ("corner_pool", "cummax")
ITEM = {"float32": 4, "float16": 2, "bfloat16": 2, "int32": 4, "int64": 8}


def plan_of(kernel, shape, axis, dtype, cores=48, ub_bytes=196608):
    from ascend_vision_ops import _native

    given, device = (tuple(shape), dtype), (None, cores, ub_bytes)
    if kernel == "corner_pool":
        plan = _native.tiling.corner_pool(given, 2 * axis - 4, *device)
    elif kernel == "corner_pool_backward":
        plan = _native.tiling.corner_pool_backward(given, given, given, 2 * axis - 4, *device)
    elif kernel == "cummaxmin_backward":
        plan = _native.tiling.cummaxmin_backward(given, (tuple(shape), "int64"), axis, *device)
    else:
        plan = _native.tiling.cummax(given, axis, *device)
    fields = {"groups": 0, "partLength": shape[axis], "runLength": None}
    fields |= {field["name"]: field["value"] for field in plan["fields"]}
    return SimpleNamespace(
        key=plan["tiling_key"], blocks=plan["block_dim"], workspace=plan["workspace"], **fields
    )


def up(value, step):
    return -(-value // step) * step


def check_indexed_rows(plan, dtype):
    """Positions are dealt out to eight planes, and rows of a tile are whole transpositions of 16 lanes."""
    assert ITEM[dtype] < 8 and plan.groups == 0 and plan.workspace == 0
    # Numbers of positions fit 16 bits, those behind the end of a row too.
    assert up(plan.length, plan.tileLength) <= 2**15
    assert plan.tileLength % LANES == 0 and plan.tileLength // 8 <= 255
    assert plan.indexLength % LANES == 0 and plan.outQueue >= 2
    # The 16 rows of a transposition lie in 16 bank groups, on the way in and on the way out.
    assert plan.rowPitch >= plan.tileLength and plan.rowPitch * ITEM[dtype] // 32 % 2 == 1
    assert plan.indexPitch > plan.indexLength and plan.indexPitch * 8 // 32 % 2 == 1
    assert plan.tileOuter <= 4095


def width_of(plan, dtype):
    """Elements of a position in the Unified Buffer."""
    if plan.key == "rows":
        return up(plan.tileOuter, LANES)
    return plan.tileOuter * up(plan.tileColumns, 32 // min(ITEM[dtype], 4))


def ends_of(kernel, plan, dtype):
    """Keys of the end of a part, and how many tensors of ends the workspace holds: planes of values, and indices."""
    unit = 8 if plan.key == "rows" else width_of(plan, dtype) // plan.tileOuter
    return unit, (2 if ITEM[dtype] == 8 else 1) + (kernel == "cummax")


def check_parts(kernel, plan, dtype):
    """The parts of a line follow each other over its tiles. Each tile has at least one part with elements."""
    assert kernel in RUNNING
    assert plan.outerTiles == plan.outer * plan.groups
    tile = plan.tileOuter * plan.partLength
    assert (plan.groups - 1) * tile < plan.length <= plan.groups * tile
    assert plan.tileLength <= plan.partLength < plan.length
    unit, tensors = ends_of(kernel, plan, dtype)
    assert plan.workspace == 4 * tensors * unit * plan.outerTiles * plan.columnTiles * plan.tileOuter
    # The ends of the tiles of a line are rows of one copy.
    assert plan.groups <= 4095
    # Pairs of positions are the repeats of an instruction.
    assert 2 * width_of(plan, dtype) // 8 <= 255
    if plan.key == "rows":
        assert plan.tileOuter % LANES == 0 and plan.tileOuter <= 255 * 8
        # Parts take whole transpositions. Ends are scanned in runs of 16, those of int64 through a scratch buffer of
        # the size of the tile.
        repeats = max(16, -(-(plan.groups + plan.tileOuter) // 16))
        assert ITEM[dtype] < 8 or 64 * repeats <= up(plan.tileOuter * up(plan.tileLength, LANES), 64)


def check(kernel, shape, axis, dtype, cores, ub_bytes):
    plan = plan_of(kernel, shape, axis, dtype, cores, ub_bytes)
    outer, length, inner = math.prod(shape[:axis]), shape[axis], math.prod(shape[axis + 1 :])
    assert (plan.outer, plan.length, plan.inner) == (outer, length, inner)
    # 16 rows are more than the smallest Unified Buffers hold.
    rows = ("rows", "indexed_rows") if kernel == "cummax" else ("rows",)
    assert plan.key in (rows if inner == 1 else ("columns",)) or (plan.key == "columns" and ub_bytes <= 24576)
    assert 1 <= plan.blocks <= min(cores, plan.outerTiles * plan.columnTiles)
    # Tiles form a grid of slices and columns, so they are disjoint and cover each output once.
    if plan.groups > 0:
        check_parts(kernel, plan, dtype)
    else:
        assert plan.workspace == 0
        assert (plan.outerTiles - 1) * plan.tileOuter < outer <= plan.outerTiles * plan.tileOuter
    assert (plan.columnTiles - 1) * plan.tileColumns < inner <= plan.columnTiles * plan.tileColumns
    if plan.key == "indexed_rows":
        check_indexed_rows(plan, dtype)
        return
    assert 1 <= plan.tileLength <= length
    if plan.key == "rows":
        # One transposition has at most 255 repeats of eight positions; its 16 rows lie in 16 bank groups.
        assert up(plan.tileLength, LANES) <= min(255 * 8, plan.rowPitch)
        assert plan.rowPitch * min(ITEM[dtype], 4) // 32 % 2 == 1
        assert plan.tileOuter <= 4095
        assert plan.tileOuter == 1 or plan.partLength * ITEM[dtype] < 2**32
    else:
        assert plan.tileLength <= 4095
        assert plan.tileLength == 1 or inner * ITEM[dtype] < 2**32
    if plan.runLength is not None and plan.runLength < plan.tileLength:
        # Runs are the repeats of an instruction, in data blocks of 8 elements.
        runs, width = -(-plan.tileLength // plan.runLength), width_of(plan, dtype)
        assert runs <= 255 and plan.runLength <= 255
        assert plan.runLength * width // 8 <= 255
        # int64 is combined in a scratch buffer of the size of the tile.
        assert ITEM[dtype] < 8 or 64 * max(runs, plan.runLength) <= up(width * up(plan.tileLength, LANES), 64)


@pytest.mark.parametrize("kernel", KERNELS)
def test_scans_cover_and_fit(kernel):
    rng = random.Random(0)
    dtypes = list(ITEM) if kernel == "cummax" else list(ITEM)[:3]
    for _ in range(600):
        shape = [int(2 ** rng.uniform(0, 12)) for _ in range(4)]
        check(
            kernel,
            shape,
            rng.choice([2, 3]),
            rng.choice(dtypes),
            rng.randint(1, 48),
            rng.choice([12288, 24576, 65536, 196608]),
        )


@pytest.mark.parametrize("kernel", KERNELS)
@pytest.mark.parametrize("dtype", ["float32", "float16"])
def test_long_axes(kernel, dtype):
    longest = 2**31 - 1
    for shape, axis in [
        ((1, 1, longest, 1), 2),
        ((1, 1, 2, longest), 2),
        ((1, 2, 3, longest), 3),
        ((1, 1, longest, 5), 2),
    ]:
        check(kernel, shape, axis, dtype, 48, 196608)


def test_all_cores_work():
    for axis in (2, 3):
        for kernel in KERNELS:
            assert plan_of(kernel, (4, 128, 128, 128), axis, "float32").blocks == 48


@pytest.mark.parametrize("dtype", [dtype for dtype in ITEM if ITEM[dtype] < 8])
def test_many_rows_have_indices_of_16_bits(dtype):
    assert plan_of("cummax", (1, 1, 1024, 1024), 3, dtype).key == "indexed_rows"
    # Too many positions for 16 bits; and keys of two planes.
    assert plan_of("cummax", (1, 1, 1024, 40_000), 3, dtype).key == "rows"
    assert plan_of("cummax", (1, 1, 1024, 1024), 3, "int64").key == "rows"


@pytest.mark.parametrize("kernel", RUNNING)
def test_cores_share_long_lines(kernel):
    for shape, axis in [
        ((1, 1, 1, 10_000_000), 3),
        ((1, 1, 10_000_000, 1), 2),
        ((1, 1, 1_000_000, 3), 2),
        ((1, 1, 100_000, 2000), 2),
        ((1, 2, 4, 1_000_000), 3),
    ]:
        plan = plan_of(kernel, shape, axis, "float32")
        assert plan.groups > 0
        assert plan.blocks >= 40
        # One core shares with nobody, and a short line is not worth it.
        assert plan_of(kernel, shape, axis, "float32", cores=1).blocks == 1
        shape = [min(extent, 30) for extent in shape]
        assert plan_of(kernel, shape, axis, "float32").groups == 0


@pytest.mark.parametrize("dtype", ["float32", "int64"])
def test_parts_give_the_bits_of_whole_lines(dtype):
    """A line alone, which cores share, gives the bits of the same line among so many that each stays on one core."""
    from ascend_vision_ops import aclnn

    lines, length = 1024, 3001
    assert plan_of("cummax", (lines, 1, length, 1), 2, dtype).groups == 0
    assert plan_of("cummax", (1, 1, length, 1), 2, dtype).groups > 0
    rng = np.random.default_rng(0)
    if dtype == "int64":
        many = rng.choice([-(2**63), -1, 0, 1, 2**32, 2**63 - 1, 2**63 - 2], (lines, length))
    else:
        # Zeros of both signs, and a few NaNs that differ in their bits.
        many = rng.choice(np.array([-1.0, -0.0, 0.0], np.float32), (lines, length))
        nans = np.array([0x7FC00000, 0x7FC00001, 0xFFC12345], np.uint32).view(np.float32)
        many = np.where(rng.random(many.shape) < 3e-4, rng.choice(nans, many.shape), many)
    whole = [aclnn.cummax(many, 1), aclnn.cummin(many, 1)]
    for line in range(4):
        for scan, of_many in zip((aclnn.cummax, aclnn.cummin), whole, strict=True):
            for alone, among in zip(scan(many[line], 0), of_many, strict=True):
                assert alone.tobytes() == among[line].tobytes()


@pytest.mark.parametrize("shape, dim", [((50001,), 0), ((3, 4001), 1), ((5, 700, 40), 1), ((9001, 3), 0)])
def test_int64_to_the_last_bit(shape, dim):
    """Compared with torch, because float64 does not tell these neighbours apart."""
    import torch

    from ascend_vision_ops import aclnn

    rng = np.random.default_rng(0)
    high, low = rng.integers(-3, 4, shape) * 2**61, rng.integers(0, 2**33, shape)
    for values in (high + low, np.sort(low, dim), rng.integers(0, 3, shape)):
        for scan, theirs in ((aclnn.cummax, torch.cummax), (aclnn.cummin, torch.cummin)):
            want = theirs(torch.from_numpy(values), dim)
            for ours, other in zip(scan(values, dim), want, strict=True):
                np.testing.assert_array_equal(ours, other.numpy())
