# SPDX-License-Identifier: Apache-2.0
"""Tilings of deformable convolution and of its gradient.

What must hold for every operator is tested in tests/test_tilings.py. Here are units, flags of the two kernels, and
shapes that are larger than those of the cases.
"""

import random
from types import SimpleNamespace

import pytest

ITEM = {"float32": 4, "float16": 2, "bfloat16": 2}
FORWARD, BACKWARD = "modulated_deform_conv2d", "modulated_deform_conv2d_backward"


def tiling(operator, shape, filters, kernel, dtype, groups=1, deform=1, cores=48, ub_bytes=196608):
    from ascend_vision_ops import _native

    batch, channels, height, width = shape
    taps = deform * kernel[0] * kernel[1]
    places = [height + 2 - kernel[0] + 1, width + 2 - kernel[1] + 1]
    samples = [[batch, 2 * taps, *places], [batch, taps, *places]]
    tensors = [shape, *samples, [filters, channels // groups, *kernel]]
    tensors = [*tensors, [filters]] if operator == FORWARD else [[batch, filters, *places], *tensors]
    windows = [[1, 1], [1, 1], [1, 1], groups, deform]
    arguments = [*((tensor, dtype) for tensor in tensors), *windows, None, cores, ub_bytes]
    plan = getattr(_native.tiling, operator)(*arguments)
    fields = {field["name"]: field["value"] for field in plan["fields"]}
    positions = places[0] * places[1]
    device = {name: plan[name] for name in ("block_dim", "workspace", "ub_bytes")}
    return SimpleNamespace(positions=positions, **device, **fields)


@pytest.mark.parametrize("cores", [2, 6, 48])
@pytest.mark.parametrize("ub_bytes", [98304, 196608])
@pytest.mark.parametrize("operator", [FORWARD, BACKWARD])
def test_tiling_of_random_shapes(operator, cores, ub_bytes):
    rng = random.Random(f"{operator} {cores} {ub_bytes}")
    for _ in range(300):
        dtype = rng.choice(list(ITEM))
        groups, deform = rng.choice([1, 2, 3]), rng.choice([1, 2, 5])
        channels = groups * deform * rng.choice([1, 7, 16, 100, 700])
        shape = [rng.choice([1, 2, 9, 200]), channels, rng.randint(3, 60), rng.randint(3, 200)]
        kernel = [rng.choice([1, 2, 3]), rng.choice([1, 3, 5])]
        filters = groups * rng.choice([1, 15, 64, 400])
        plan = tiling(operator, shape, filters, kernel, dtype, groups, deform, cores, ub_bytes)
        case = (shape, filters, kernel, dtype, groups, deform)
        bands = -(-plan.positions // plan.band)
        assert 1 <= plan.block_dim <= min(cores // 2, plan.stepImages * bands), case
        assert 1 <= plan.stepImages <= shape[0], case
        assert plan.ub_bytes <= ub_bytes, case
        units = (plan.band % 32, plan.located % 64, plan.sampled % 8, plan.chunk % 16)
        assert units == (0, 0, 0, 0), case
        # The windows of one tap of half a band are located at once.
        assert plan.located >= min(plan.band // 2, -(-plan.positions // 16) * 16), case
        # The cube unit takes slices of 128 bytes of a row, and products of whole fractals.
        assert plan.productRows > 0 and plan.productRows % 16 == 0, case
        assert plan.productDepth > 0 and plan.productDepth * ITEM[dtype] % 128 == 0, case
        if operator == FORWARD:
            # A flag counts to 15, and the vector cores may be two bands ahead.
            assert 2 * -(-kernel[0] * kernel[1] // plan.tapsPerFlag) <= 15, case
        else:
            assert plan.productWidth > 0 and plan.productWidth % 16 == 0, case
            assert plan.productRows >= min(plan.band, plan.positions), case


@pytest.mark.parametrize("operator", [FORWARD, BACKWARD])
def test_workspace_does_not_grow_with_the_batch(operator):
    shapes = ([batch, 64, 40, 50] for batch in (100, 100_000))
    few, many = (tiling(operator, shape, 64, [3, 3], "float32").workspace for shape in shapes)
    assert many <= 1.1 * few


@pytest.mark.parametrize("operator", [FORWARD, BACKWARD])
def test_small_calls_take_few_blocks(operator):
    assert tiling(operator, [1, 8, 4, 4], 8, [3, 3], "float32").block_dim == 1


def test_no_images_launch_nothing():
    assert tiling(FORWARD, [0, 8, 4, 4], 8, [3, 3], "float32").block_dim == 0
