# SPDX-License-Identifier: Apache-2.0
"""Tiling of ArgMax: what must hold for every shape on every device."""

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


def unified_buffer_bytes(plan, dtype):
    """What the kernel's Init asks of the Unified Buffer, buffer by buffer."""
    item, lines, short = ITEM[dtype], plan.key == "lines", plan.key == "short_lines"
    planes, whole = 2 if item == 8 else 1, dtype in ("int32", "int64")
    lanes = plan.tileOuter * REPEAT if lines else plan.pitch
    loaded = up(plan.tileOuter * plan.length, 32 // min(item, 4))
    elements = (
        loaded if short else plan.tileOuter * plan.pitch + REPEAT if lines else plan.tileLength * plan.pitch
    )
    buffers = [2 * elements * item, 0 if dtype in ("float32", "int32") else 4 * planes * elements]
    buffers += [2 * elements if item == 1 else 0]
    buffers += [4 * (planes * lanes + REPEAT), 4 * lanes, 3 * up(lanes // 8, 32), 4 * lanes if whole else 0]
    if short:
        slots = planes * (plan.length + 16) * plan.pitch
        return sum(buffers) + 4 * slots + (2 * 8 + 4) * lanes + 64 * (lanes // plan.apart // 16 * 16)
    if not lines:
        return sum(buffers) + 2 * 8 * plan.pitch
    rows, found = up(plan.tileOuter, 8), 4 * (2 * planes + 1)
    buffers += [4 * lanes, 4 * lanes, 32 * rows, 8 * rows, 4 * lanes if whole else 8 * rows, found * rows]
    buffers += [4 * REPEAT, 2 * 8 * rows]
    buffers += [found * rows, found * plan.partsAtOnce] if plan.parts > 1 else []
    return sum(buffers)


def check(shape, dim, dtype, cores, ub_bytes):
    plan = plan_of(shape, dim, dtype, cores, ub_bytes)
    if dim is None:
        outer, length, inner = 1, math.prod(shape), 1
    else:
        outer, length, inner = math.prod(shape[:dim]), shape[dim], math.prod(shape[dim + 1 :])
    item = ITEM[dtype]
    assert (plan.outer, plan.length, plan.inner) == (outer, length, inner)
    assert plan.key in (("lines", "short_lines") if inner == 1 else ("columns",))
    assert unified_buffer_bytes(plan, dtype) <= ub_bytes
    assert 1 <= plan.blocks <= min(cores, plan.outerTiles * plan.columnTiles)
    unit = 32 // min(item, 4)
    assert plan.pitch % unit == 0
    if plan.key == "short_lines":
        assert (plan.outerTiles - 1) * plan.tileOuter < outer <= plan.outerTiles * plan.tileOuter
        # Lines that become lanes together begin at the same place of a block of keys.
        assert plan.apart * length % 8 == 0 and plan.apart <= 8
        each = plan.pitch // plan.apart // 16 * 16
        assert plan.pitch % (2 * REPEAT) == 0 and plan.pitch <= 255 * REPEAT
        assert -(-plan.tileOuter // plan.apart) <= each <= 255 * 8
        assert length + 8 <= 255 * 8 and plan.workspace == 0
    elif plan.key == "lines":
        # Parts cover the line; the last may overlap the one before, and is not in vain.
        assert (plan.parts - 1) * plan.partLength < length <= plan.parts * plan.partLength
        assert plan.partLength == length or plan.partLength % REPEAT == 0
        # Indices within a part are exact in float32.
        assert plan.partLength < 2**24
        assert (plan.outerTiles - 1) * plan.tileOuter < outer * plan.parts <= plan.outerTiles * plan.tileOuter
        assert 1 <= plan.tileLength <= plan.pitch <= 255 * 8
        assert plan.tileLength == plan.partLength or plan.tileLength % REPEAT == 0
        assert plan.tileOuter <= 255
        assert plan.tileOuter == 1 or plan.parts > 1 or length * item < 2**32
        found = 4 * (4 if item == 8 else 2) + 4
        assert plan.workspace == (found * outer * plan.parts if plan.parts > 1 else 0)
        assert plan.partsAtOnce % 8 == 0 and plan.partsAtOnce >= min(plan.parts, 1024)
    else:
        assert plan.workspace == 0
        # Tiles lie on a grid of slices and columns, so that they are disjoint and cover every output once.
        assert (plan.outerTiles - 1) * plan.tileOuter < outer <= plan.outerTiles * plan.tileOuter
        assert (plan.columnTiles - 1) * plan.tileColumns < inner <= plan.columnTiles * plan.tileColumns
        assert plan.tileOuter * up(plan.tileColumns, unit) <= plan.pitch <= 255 * REPEAT
        assert 1 <= plan.tileLength <= min(length, 4095)
        assert plan.tileLength == 1 or inner * item < 2**32


@pytest.mark.parametrize("dtype", list(ITEM))
def test_tiles_cover_and_fit(dtype):
    rng = random.Random(dtype)
    for _ in range(150):
        shape = [int(2 ** rng.uniform(0, 12)) for _ in range(3)]
        check(
            shape, rng.choice([0, 1, 2, None]), dtype, rng.randint(1, 48), rng.choice([16384, 65536, 196608])
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
    for shape, dim in [((8, 19, 512, 1024), 1), ((64, 32000), 1), ((10_000_000,), 0)]:
        assert plan_of(shape, dim, "float32").blocks >= 40


@pytest.mark.parametrize("dtype", list(ITEM))
def test_many_short_lines_are_lanes(dtype):
    assert plan_of((100_000, 20), 1, dtype).key == "short_lines"
    assert plan_of((64, 32_000), 1, dtype).key == "lines"
