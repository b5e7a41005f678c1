# SPDX-License-Identifier: Apache-2.0
"""Tilings of deformable convolution and its gradient: what must hold for every shape on every device."""

import random
from types import SimpleNamespace

import pytest

ITEM = {"float32": 4, "float16": 2, "bfloat16": 2}
FORWARD, BACKWARD = "modulated_deform_conv2d", "modulated_deform_conv2d_backward"
L0A, L0B, L0C, L1 = 65536, 65536, 131072, 524288


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
    return SimpleNamespace(
        blocks=plan["block_dim"], workspace=plan["workspace"], positions=positions, **fields
    )


def unified_buffer_bytes(operator, plan, item):
    """What the kernel asks of the Unified Buffer, buffer by buffer."""
    located, sampled, tile = plan.located, plan.sampled, plan.sampled * plan.chunk
    bits = 2 * -(-located // 8 // 32) * 32
    taps = 3 * located * item + 3 * plan.band // 2 * 4 + 6 * located * 4 + bits
    windows = located * 4 * 9 + bits
    rows = 2 * 4 * tile * item + (0 if item == 4 else 4 * tile * 4) + sampled * 4 * 32
    if operator == FORWARD:
        return taps + windows + rows + 2 * tile * item
    along = 3 * located * item + 4 * (located + sampled) * 4 + 4 * sampled * 64 * 4
    return taps + windows + rows + along + 2 * tile * (4 + item) + tile * 4


def product_columns(operator, plan):
    return plan.band if operator == FORWARD else plan.productWidth


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
        assert 1 <= plan.blocks <= min(cores // 2, plan.stepImages * bands), case
        assert 1 <= plan.stepImages <= shape[0], case
        assert unified_buffer_bytes(operator, plan, ITEM[dtype]) <= ub_bytes, case
        units = (plan.band % 32, plan.located % 64, plan.sampled % 8, plan.chunk % 16)
        assert units == (0, 0, 0, 0), case
        # At least one tap of half a band is found at once.
        assert plan.located >= min(plan.band // 2, -(-plan.positions // 16) * 16), case
        # A product fits the memories of the cube core, its sources twice.
        rows, columns, depth = (
            plan.productRows,
            product_columns(operator, plan),
            plan.productDepth * ITEM[dtype],
        )
        assert rows * columns * 4 <= L0C and rows * 256 <= L0A and columns * 256 <= L0B, case
        assert depth % 128 == 0 and 2 * (rows + columns) * depth <= L1, case
        if operator == FORWARD:
            # Flags count to 15, for the parts of two bands.
            assert 2 * -(-kernel[0] * kernel[1] // plan.partTaps) <= 15, case
        else:
            assert rows >= min(plan.band, plan.positions), case


@pytest.mark.parametrize("operator", [FORWARD, BACKWARD])
def test_workspace_does_not_grow_with_the_batch(operator):
    shapes = ([batch, 64, 40, 50] for batch in (100, 100_000))
    few, many = (tiling(operator, shape, 64, [3, 3], "float32").workspace for shape in shapes)
    assert many <= 1.1 * few


@pytest.mark.parametrize("operator", [FORWARD, BACKWARD])
def test_small_calls_take_few_blocks(operator):
    assert tiling(operator, [1, 8, 4, 4], 8, [3, 3], "float32").blocks == 1
