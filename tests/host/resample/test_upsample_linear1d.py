# SPDX-License-Identifier: Apache-2.0
"""Tilings of linear resampling and of its gradient.

What must hold for every operator is tested in tests/test_tilings.py. Here are the layout of tiles and exact positions.
"""

import random
from types import SimpleNamespace

import pytest

KERNELS = ("upsample_linear1d", "upsample_linear1d_backward")
ITEM = {"float32": 4, "float16": 2, "bfloat16": 2}
LONGEST = 2**31 - 1


def plan_of(
    kernel, rows, length, out_length, dtype, align_corners=False, scales=None, cores=48, ub_bytes=196608
):
    from ascend_vision_ops import _native

    device = (None, cores, ub_bytes)
    if kernel == "upsample_linear1d":
        given = ((rows, 1, length), dtype)
        plan = _native.tiling.upsample_linear1d(given, [out_length], align_corners, scales, *device)
    else:
        given = ((rows, 1, out_length), dtype)
        plan = _native.tiling.upsample_linear1d_backward(
            given, [out_length], [rows, 1, length], align_corners, scales, *device
        )
    fields = {field["name"]: field["value"] for field in plan["fields"]}
    return SimpleNamespace(
        key=plan["tiling_key"],
        blocks=plan["block_dim"],
        workspace=plan["workspace"],
        ub_bytes=plan["ub_bytes"],
        **fields,
    )


def check(kernel, plan, rows, length, out_length, dtype, cores, ub_bytes):
    written = out_length if kernel == "upsample_linear1d" else length
    items = plan.rowGroups * plan.lengthTiles
    assert 1 <= plan.blocks <= min(cores, items)
    assert plan.workspace == 0
    assert plan.ub_bytes <= ub_bytes
    if plan.key == "copy":
        # Pieces cover the tensor, and none of them is empty.
        assert (items - 1) * plan.tileUnits < rows * length <= items * plan.tileUnits
        return
    # Tiles lie on a grid of row groups and pieces of a row. So they are disjoint and cover every output once.
    assert (plan.rowGroups - 1) * plan.tileRows < rows <= plan.rowGroups * plan.tileRows
    step = 1
    if plan.key == "phases":
        step = plan.outStep if kernel == "upsample_linear1d" else plan.inStep
        assert 1 <= plan.inStep <= 31 and 1 <= plan.outStep <= 31
        # One transposition has at most 255 repeats of eight positions; its 16 rows lie in 16 bank groups.
        assert max(plan.inRow, plan.outRow) <= 255 * 8
        assert plan.inRow * ITEM[dtype] // 32 % 2 == 1 and plan.outRow * ITEM[dtype] // 32 % 2 == 1
    assert (
        (plan.lengthTiles - 1) * plan.tileUnits * step < written <= plan.lengthTiles * plan.tileUnits * step
    )
    # Rows in UB hold what a tile needs, on their 32 B grid.
    assert plan.outRow >= plan.tileUnits * step
    assert plan.inRow * ITEM[dtype] % 32 == 0 and plan.outRow * ITEM[dtype] % 32 == 0
    assert plan.tileRows <= 4095


def random_length(rng, limit=LONGEST):
    return min(limit, max(1, int(2 ** rng.uniform(0, 31))))


@pytest.mark.parametrize("cores", [1, 3, 40, 48])
@pytest.mark.parametrize("ub_bytes", [4096, 196608])
@pytest.mark.parametrize("kernel", KERNELS)
def test_tiling_of_random_shapes(kernel, cores, ub_bytes):
    rng = random.Random(f"{kernel} {cores} {ub_bytes}")
    keys = set()
    for _ in range(600):
        length = random_length(rng)
        if rng.random() < 0.5:
            out_length = max(1, min(LONGEST, length * rng.randint(1, 16) // rng.randint(1, 16)))
        else:
            out_length = random_length(rng)
        rows = rng.choice([1, 2, 15, 16, 17, 80, 4096, rng.randint(1, 10**6)])
        dtype = rng.choice(list(ITEM))
        plan = plan_of(kernel, rows, length, out_length, dtype, rng.random() < 0.5, None, cores, ub_bytes)
        check(kernel, plan, rows, length, out_length, dtype, cores, ub_bytes)
        keys.add(plan.key)
    assert keys == {"phases", "gather", "copy"} or ub_bytes == 4096


def position(plan, index):
    """The position that the kernel's scalar unit computes, in units of 2^-32 and exact beyond."""
    high = index * plan.stepHigh
    low = index * plan.stepLow >> 32
    total = (high & 0xFFFFFFFF) + low + (plan.offset & 0xFFFFFFFF)
    return ((index * plan.stepWhole + (high >> 32) + (plan.offset >> 32)) << 32) + total


@pytest.mark.parametrize("align_corners", [False, True])
def test_positions_are_exact_up_to_the_longest_signal(align_corners):
    from fractions import Fraction

    rng = random.Random(1)
    for _ in range(500):
        length, out_length = random_length(rng), random_length(rng)
        if length == out_length or out_length < 2:
            continue
        plan = plan_of("upsample_linear1d", 1, length, out_length, "float32", align_corners)
        assert plan.key == "gather"
        for index in (0, 1, out_length // 3, out_length - 1):
            if align_corners:
                exact = Fraction(index * (length - 1), out_length - 1)
            else:
                exact = Fraction((2 * index + 1) * length - out_length, 2 * out_length)
            assert abs(Fraction(position(plan, index), 2**32) - exact) < Fraction(1, 2**30)
            # Products stay within the 64 bits of the scalar unit.
            assert index * plan.stepHigh < 2**63 and index * plan.stepLow < 2**63


@pytest.mark.parametrize("kernel", KERNELS)
def test_work_is_spread_over_the_cores(kernel):
    for rows, length, out_length in ((4096, 1024, 4096), (2048, 16000, 48000), (1, 4800000, 4410000)):
        assert plan_of(kernel, rows, length, out_length, "float32").blocks == 48, (rows, length, out_length)
    # A small call takes fewer blocks: from some number on, a block takes longer to dispatch than it saves.
    assert 16 <= plan_of(kernel, 80, 1500, 3000, "float32").blocks <= 48
    assert plan_of(kernel, 1, 4, 8, "float32").blocks == 1


def test_no_rows_launch_nothing():
    assert plan_of("upsample_linear1d", 0, 8, 16, "float32").blocks == 0
