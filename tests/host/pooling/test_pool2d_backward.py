# SPDX-License-Identifier: Apache-2.0
"""The grids and layouts of tilings of the gradients of pooling, for every shape on every device."""

import random
from types import SimpleNamespace

import pytest

ITEM = {"float32": 4, "float16": 2, "bfloat16": 2}
LANES = 16


def plan_of(operator, shape, dtype, kernel, stride, padding, cores=48, ub_bytes=196608):
    from ascend_vision_ops import _native

    counts = [(n + 2 * p - k) // s + 1 for n, k, s, p in zip(shape[2:], kernel, stride, padding, strict=True)]
    attributes = [kernel, stride, padding]
    attributes += [[1, 1], False] if operator == "max_pool2d_backward" else [False, False, None]
    given = ((*shape[:2], *counts), dtype), (shape, dtype)
    plan = getattr(_native.tiling, operator)(*given, *attributes, None, cores, ub_bytes)
    fields = {field["name"]: field["value"] for field in plan["fields"]}
    return SimpleNamespace(blocks=plan["block_dim"], workspace=plan["workspace"], **fields)


def up(value, unit):
    return -(-value // unit) * unit


@pytest.mark.parametrize("cores", [1, 3, 48])
@pytest.mark.parametrize("ub_bytes", [32768, 196608])
@pytest.mark.parametrize("operator", ["max_pool2d_backward", "avg_pool2d_backward"])
def test_tiling_of_random_shapes(operator, cores, ub_bytes):
    rng = random.Random(f"{operator} {cores} {ub_bytes}")
    maxima = operator == "max_pool2d_backward"
    for _ in range(200):
        size = [int(2 ** rng.uniform(0, 12)) for _ in range(2)]
        kernel = [rng.randint(1, rng.choice([3, 7, extent]) if extent > 7 else extent) for extent in size]
        stride = [rng.randint(1, rng.choice([3, 200])) for _ in range(2)]
        padding = [rng.randint(0, extent // 2) for extent in kernel]
        shape = (rng.randint(1, 4), rng.choice([1, 3, 64, 500]), *size)
        dtype = rng.choice(list(ITEM))
        plan = plan_of(operator, shape, dtype, kernel, stride, padding, cores, ub_bytes)
        # Tiles lie on a grid of planes, rows and columns: each element of the image has one owner.
        for groups, tile, extent in (
            (plan.planeGroups, LANES, shape[0] * shape[1]),
            (plan.rowTiles, plan.tileRows, size[0]),
            (plan.columnTiles, plan.tileColumns, size[1]),
        ):
            assert (groups - 1) * tile < extent <= groups * tile
        assert 1 <= plan.blocks <= min(cores, plan.planeGroups * plan.rowTiles * plan.columnTiles)
        assert plan.workspace == 0
        assert plan.chunkRows >= 1 and 1 <= plan.chunkColumns <= 255
        block = 32 // ITEM[dtype]
        assert plan.planeElements >= up(plan.chunkColumns, block)
        assert 1 <= plan.storedRows <= plan.tileRows
        # Columns are dealt out by the stride; windows then lie as the elements of one of their taps do.
        assert plan.columnPlanes == (stride[1] if stride[1] <= 12 else 1)
        assert plan.chunkPitch >= plan.chunkColumns and plan.chunkPitch % LANES == 0
        assert plan.sumPitch * plan.columnPlanes >= up(plan.tileColumns, LANES)
        if maxima:
            assert plan.columnPlanes != stride[1] or plan.regionPitch == plan.chunkPitch
            span = [(n - 1) * s + t for n, s, t in zip(
                (plan.chunkRows, plan.chunkColumns), stride, (plan.tapRows, plan.tapColumns), strict=True)]  # fmt: skip
            assert plan.regionRows >= span[0] and plan.regionRows % plan.rowGroups == 0
            assert plan.regionPitch * plan.columnPlanes >= span[1] + 7
            assert plan.planeElements >= up(min(span[1], size[1]), block)
            assert 1 <= plan.tapRows <= kernel[0] and 1 <= plan.tapColumns <= kernel[1]


def test_no_images_launch_nothing():
    plan = plan_of("max_pool2d_backward", (0, 3, 8, 8), "float32", [2, 2], [2, 2], [0, 0])
    assert plan.blocks == 0
