# SPDX-License-Identifier: Apache-2.0
"""Tiling of ArgMax: what must hold for every shape on every device, beside what tests/test_tilings.py demands."""

import math
import random
from types import SimpleNamespace

import pytest

ITEM = {"float32": 4, "float16": 2, "bfloat16": 2, "int64": 8, "int32": 4, "int16": 2, "int8": 1, "uint8": 1}
REPEAT = 64


def plan_of(shape, dim, dtype, cores=48, ub_bytes=196608):
    from ascend_vision_ops import _native

    plan = _native.tiling.argmax((tuple(shape), dtype), dim, False, False, None, None, cores, ub_bytes)
    fields = {field["name"]: field["value"] for field in plan["fields"]}
    return SimpleNamespace(
        key=plan["tiling_key"], blocks=plan["block_dim"], workspace=plan["workspace"], **fields
    )


def up(value, step):
    return -(-value // step) * step


def check(shape, dim, dtype, cores, ub_bytes):
    plan = plan_of(shape, dim, dtype, cores, ub_bytes)
    if dim is None:
        outer, length, inner = 1, math.prod(shape), 1
    else:
        outer, length, inner = math.prod(shape[:dim]), shape[dim], math.prod(shape[dim + 1 :])
    item = ITEM[dtype]
    assert (plan.outer, plan.length, plan.inner) == (outer, length, inner)
    assert plan.key in (("lines", "short_lines") if inner == 1 else ("columns", "half_columns"))
    parts = plan.parts if "columns" in plan.key else 1  # tiles of lines are counted by parts already
    assert 1 <= plan.blocks <= min(cores, plan.outerTiles * plan.columnTiles * parts)
    unit = 32 // min(item, 4)
    assert plan.pitch % unit == 0
    if plan.key == "short_lines":
        assert (plan.outerTiles - 1) * plan.tileOuter < outer <= plan.outerTiles * plan.tileOuter
        # Lines of a group begin at the same offset in a data block of 8 keys.
        assert plan.apart * length % 8 == 0 and plan.apart <= 8
        group_lanes = plan.pitch // plan.apart // 16 * 16
        # Rows are an odd number of repeats, and an instruction strides over them by data blocks of keys.
        assert plan.pitch % (2 * REPEAT) == REPEAT and plan.pitch <= 255 * 8
        assert -(-plan.tileOuter // plan.apart) <= group_lanes
        # The positions of a lane are the repeats of an instruction.
        assert length <= 255 and plan.workspace == 0
    elif plan.key == "lines":
        check_parts(plan)
        assert plan.partLength == length or plan.partLength % REPEAT == 0
        # Indices within a part are exact in float32.
        assert plan.partLength < 2**24
        assert (plan.outerTiles - 1) * plan.tileOuter < outer * plan.parts <= plan.outerTiles * plan.tileOuter
        assert 1 <= plan.tileLength <= plan.pitch
        assert plan.tileOuter == 1 or plan.parts > 1 or length * item < 2**32
        results = 4 * (4 if item == 8 else 2) + 4  # bytes of the limbs and the index of a part
        assert plan.workspace == (results * outer * plan.parts if plan.parts > 1 else 0)
        assert plan.partsAtOnce % 8 == 0 and plan.partsAtOnce >= min(plan.parts, 1024)
        if item == 8:
            assert plan.tileLength == plan.partLength or plan.tileLength % REPEAT == 0
            assert plan.tileOuter <= 255 and plan.pitch <= 255 * 8 and plan.top == 0
        else:
            check_tree(plan, 4 if item == 4 or dtype in ("bfloat16", "int16") else 2)
    else:
        check_parts(plan)
        half = plan.key == "half_columns"
        if half:
            # Lanes are compared as float16, and indices fit 16 bits. Positions begin in the same bank group.
            assert dtype == "float16" and plan.parts == 1 and length <= 2**15 and plan.pitch % 256 == 0
        # Cores exchange a key of one or two planes and an index for each lane and part.
        stored = 4 * (3 if item == 8 else 2) * outer * inner * plan.parts
        assert plan.workspace == (stored if plan.parts > 1 else 0)
        # Tiles form a grid of slices and columns, so they are disjoint and cover each output once.
        assert (plan.outerTiles - 1) * plan.tileOuter < outer <= plan.outerTiles * plan.tileOuter
        assert (plan.columnTiles - 1) * plan.tileColumns < inner <= plan.columnTiles * plan.tileColumns
        assert plan.tileOuter * up(plan.tileColumns, unit) <= plan.pitch <= 255 * REPEAT * (2 if half else 1)
        assert 1 <= plan.tileLength <= min(plan.partLength, 4095)
        assert plan.tileLength == 1 or inner * item < 2**32


def check_parts(plan):
    """Parts cover the line. The last part may overlap the one before it, but it has elements of its own."""
    assert (plan.parts - 1) * plan.partLength < plan.length <= plan.parts * plan.partLength


def check_tree(plan, key):
    """Lines are halved from whole data blocks of keys of `key` bytes to a top of at most eight."""
    assert plan.pitch * key == 32 * plan.top << plan.levels
    assert plan.tileLength <= plan.pitch and 1 <= plan.top <= 8 and plan.levels >= 1
    # A line that does not fit goes alone.
    assert plan.tileLength == plan.partLength or (plan.tileOuter == 1 and plan.tileLength % REPEAT == 0)
    assert plan.tileOuter <= 248 and plan.queue in (1, 2)
    assert plan.piece >= 16 and plan.piece & (plan.piece - 1) == 0


@pytest.mark.parametrize("dtype", list(ITEM))
def test_tiles_cover_and_fit(dtype):
    rng = random.Random(dtype)
    for _ in range(150):
        shape = [int(2 ** rng.uniform(0, 12)) for _ in range(3)]
        check(
            shape, rng.choice([0, 1, 2, None]), dtype, rng.randint(1, 48), rng.choice([24576, 65536, 196608])
        )


@pytest.mark.parametrize("dtype", ["float32", "int64", "int8"])
def test_long_axes(dtype):
    longest = 2**31 - 1
    for shape, dim in [
        ((longest,), 0),
        ((longest, 2), 0),
        ((2, longest), 0),
        ((3, longest), 1),
        ((1, longest), None),
    ]:
        check(shape, dim, dtype, 48, 196608)


def test_all_cores_work():
    for shape, dim in [((8, 19, 512, 1024), 1), ((64, 32000), 1), ((10_000_000,), 0), ((1009, 1021), 0)]:
        assert plan_of(shape, dim, "float32").blocks >= 40


def test_float16_is_compared_as_it_is():
    assert plan_of((2, 19, 512, 1024), 1, "float16").key == "half_columns"
    assert plan_of((2, 19, 512, 1024), 1, "bfloat16").key == "columns"
    # Indices need more than 16 bits.
    assert plan_of((40_000, 1024), 0, "float16").key == "columns"


@pytest.mark.parametrize("dtype", list(ITEM))
def test_many_short_lines_are_lanes(dtype):
    assert plan_of((100_000, 20), 1, dtype).key == "short_lines"
    assert plan_of((64, 32_000), 1, dtype).key == "lines"
