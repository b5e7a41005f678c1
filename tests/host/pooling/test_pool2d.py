# SPDX-License-Identifier: Apache-2.0
"""The grids and layouts of tilings of pooling, for every shape on every device."""

import random
from types import SimpleNamespace

import pytest

ITEM = {"float32": 4, "float16": 2, "bfloat16": 2}
LANES = 16


def plan_of(operator, shape, dtype, kernel, stride, padding, cores=48, ub_bytes=196608):
    from ascend_vision_ops import _native

    attributes = [kernel, stride, padding]
    attributes += [[1, 1], False] if operator == "max_pool2d" else [False, False, None]
    plan = getattr(_native.tiling, operator)((shape, dtype), *attributes, None, cores, ub_bytes)
    fields = {field["name"]: field["value"] for field in plan["fields"]}
    return SimpleNamespace(
        blocks=plan["block_dim"], workspace=plan["workspace"], key=plan["tiling_key"], **fields
    )


def round_up(value, unit):
    return -(-value // unit) * unit


def element_bytes(operator, dtype):
    """Bytes of the type that windows are combined in: float16 for maxima of float16, else float32."""
    return 2 if (operator, dtype) == ("max_pool2d", "float16") else 4


def check_planes(plan, size, out, block):
    """Whole planes are lanes: the planes that are transposed together start at the same offset in a data block."""
    elements, positions = size[0] * size[1], out[0] * plan.rowPitch // plan.strideColumns
    assert (plan.tileRows, plan.tileColumns) == tuple(out)
    assert plan.chunk * elements % block == 0 and plan.slotLanes % (plan.chunk * LANES) == 0
    assert plan.slotLanes // plan.chunk >= -(-plan.tilePlanes // plan.chunk)
    # The windows of one row and the next are one run, and no window reads beyond its own row and its padding.
    assert plan.rowPitch % plan.strideColumns == 0
    assert plan.rowPitch >= (out[1] - 1) * plan.strideColumns + plan.kernelColumns
    # A transposition writes whole data blocks, so there are slots before and behind a plane.
    assert plan.slots >= max(elements + 32, round_up(positions, LANES)) and elements + LANES <= 255 * 8
    assert plan.outPitch >= round_up(positions, LANES)
    assert plan.inElements >= plan.tilePlanes * elements


@pytest.mark.parametrize("cores", [1, 3, 48])
@pytest.mark.parametrize("ub_bytes", [32768, 196608])
@pytest.mark.parametrize("operator", ["max_pool2d", "avg_pool2d"])
def test_tiling_of_random_shapes(operator, cores, ub_bytes):
    rng = random.Random(f"{operator} {cores} {ub_bytes}")
    for _ in range(300):
        size = [int(2 ** rng.uniform(0, 13)) for _ in range(2)]
        kernel = [rng.randint(1, rng.choice([3, 7, extent]) if extent > 7 else extent) for extent in size]
        stride = [rng.randint(1, rng.choice([3, 50])) for _ in range(2)]
        padding = [rng.randint(0, extent // 2) for extent in kernel]
        shape = (rng.randint(1, 4), rng.choice([1, 3, 64, 500]), *size)
        dtype = rng.choice(list(ITEM))
        plan = plan_of(operator, shape, dtype, kernel, stride, padding, cores, ub_bytes)
        out = [(n + 2 * p - k) // s + 1 for n, k, s, p in zip(size, kernel, stride, padding, strict=True)]
        # Tiles lie on a grid of planes, rows and columns: they are disjoint and cover each output once.
        assert (plan.outRows, plan.outColumns) == tuple(out)
        for groups, tile, extent in (
            (plan.planeGroups, plan.tilePlanes, shape[0] * shape[1]),
            (plan.rowTiles, plan.tileRows, out[0]),
            (plan.columnTiles, plan.tileColumns, out[1]),
        ):
            assert (groups - 1) * tile < extent <= groups * tile
        assert 1 <= plan.blocks <= min(cores, plan.planeGroups * plan.rowTiles * plan.columnTiles)
        assert plan.workspace == 0
        # Where windows come in pieces, a tile is one window.
        assert plan.tapColumns == kernel[1] or plan.tilePlanes * plan.tileRows * plan.tileColumns == 1
        if plan.key == "planes":
            check_planes(plan, size, out, 32 // element_bytes(operator, dtype))
            continue
        span = (plan.tileColumns - 1) * stride[1] + plan.tapColumns
        assert span <= 255 * 8 and plan.rowPitch >= min(span, size[1])
        assert plan.wideElements == 0 or plan.wideElements >= plan.inElements
        # A transposition writes whole data blocks of slots, and the lanes of a slot are one repeat.
        assert plan.slots >= span + 15
        assert plan.slotLanes % LANES == 0 and plan.slotLanes <= 256 // element_bytes(operator, dtype)


def test_no_images_launch_nothing():
    assert plan_of("max_pool2d", (0, 3, 8, 8), "float32", [2, 2], [2, 2], [0, 0]).blocks == 0


@pytest.mark.parametrize("operator", ["max_pool2d", "avg_pool2d"])
@pytest.mark.parametrize("dtype", list(ITEM))
def test_small_planes_are_lanes(operator, dtype):
    for shape, kernel in (((8, 512, 7, 7), [3, 3]), ((64, 256, 14, 14), [2, 2]), ((8, 2048, 7, 7), [7, 7])):
        plan = plan_of(operator, shape, dtype, kernel, kernel, [0, 0])
        assert plan.key == "planes" and plan.blocks == 48
    assert plan_of(operator, (8, 64, 112, 112), dtype, [3, 3], [2, 2], [1, 1]).key == "windows"
