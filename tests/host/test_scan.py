# SPDX-License-Identifier: Apache-2.0
"""Tiling of directional scans: what must hold for every shape on every device."""

import math
import random
from types import SimpleNamespace

import pytest

LANES = 16
KERNELS = ["corner_pool", "corner_pool_backward", "cummax", "cummaxmin_backward"]
ITEM = {"float32": 4, "float16": 2, "bfloat16": 2, "int32": 4}


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
    fields = {field["name"]: field["value"] for field in plan["fields"]}
    return SimpleNamespace(
        key=plan["tiling_key"], blocks=plan["block_dim"], workspace=plan["workspace"], **fields
    )


def up(value, step):
    return -(-value // step) * step


def unified_buffer_bytes(kernel, plan, dtype):
    """What the kernel's Init asks of the Unified Buffer, buffer by buffer."""
    item, rows = ITEM[dtype], plan.key == "rows"
    width = up(plan.tileOuter, LANES) if rows else plan.tileOuter * up(plan.tileColumns, 32 // item)
    tile = up(width * (up(plan.tileLength, LANES) if rows else plan.tileLength), 64)
    direct = not rows and item == 4
    buffers = [4 * item * (width * plan.rowPitch if rows else tile), 4 * width]
    if rows and item == 2:
        buffers.append(item * tile)
    copied = width * plan.rowPitch if rows else tile
    if kernel == "corner_pool":
        buffers.append(0 if direct else 4 * tile)
    elif kernel == "cummaxmin_backward":
        buffers += [4 * tile, 0 if direct else 4 * tile, 2 * 8 * copied, 4 * tile, 4 * copied]
    elif kernel == "corner_pool_backward":
        whole = up(copied, 64)
        buffers += [4 * tile, 0 if direct else 4 * tile, 2 * item * whole, 4 * whole, 2 * up(whole // 8, 32)]
        buffers += [4 * whole if item == 2 else 0]
    else:
        indices = width * plan.indexPitch if rows else tile
        buffers += [2 * 8 * indices, 4 * width, 4 * tile, 4 * tile, up(tile // 8, 32), up(tile // 8, 32)]
        buffers += [] if direct else [4 * tile, 4 * max(tile, indices)]
    return sum(buffers)


def check(kernel, shape, axis, dtype, cores, ub_bytes):
    plan = plan_of(kernel, shape, axis, dtype, cores, ub_bytes)
    outer, length, inner = math.prod(shape[:axis]), shape[axis], math.prod(shape[axis + 1 :])
    assert (plan.outer, plan.length, plan.inner) == (outer, length, inner)
    assert plan.key == ("rows" if inner == 1 else "columns")
    assert plan.workspace == 0
    assert 1 <= plan.blocks <= min(cores, plan.outerTiles * plan.columnTiles)
    assert unified_buffer_bytes(kernel, plan, dtype) <= ub_bytes
    # Tiles lie on a grid of slices and columns, so that they are disjoint and cover every output once.
    assert (plan.outerTiles - 1) * plan.tileOuter < outer <= plan.outerTiles * plan.tileOuter
    assert (plan.columnTiles - 1) * plan.tileColumns < inner <= plan.columnTiles * plan.tileColumns
    assert 1 <= plan.tileLength <= length
    if plan.key == "rows":
        # One transposition has at most 255 repeats of eight positions; its 16 rows lie in 16 bank groups.
        assert up(plan.tileLength, LANES) <= min(255 * 8, plan.rowPitch)
        assert plan.rowPitch * ITEM[dtype] // 32 % 2 == 1
        assert plan.tileOuter <= 4095
        assert plan.tileOuter == 1 or length * ITEM[dtype] < 2**32
    else:
        assert plan.tileLength <= 4095
        assert plan.tileLength == 1 or inner * ITEM[dtype] < 2**32


@pytest.mark.parametrize("kernel", KERNELS)
def test_scans_cover_and_fit(kernel):
    rng = random.Random(0)
    dtypes = [d for d in ITEM if kernel == "cummax" or d != "int32"]
    for _ in range(600):
        shape = [int(2 ** rng.uniform(0, 12)) for _ in range(4)]
        check(
            kernel,
            shape,
            rng.choice([2, 3]),
            rng.choice(dtypes),
            rng.randint(1, 48),
            rng.choice([24576, 65536, 196608]),
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
