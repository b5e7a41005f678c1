# SPDX-License-Identifier: Apache-2.0
"""Tiling of deformable convolution: what must hold for every shape on every device."""

import random
from types import SimpleNamespace

import pytest

ITEM = {"float32": 4, "float16": 2, "bfloat16": 2}


def tiling(shape, filters, kernel, dtype, groups=1, deform_groups=1, cores=48, ub_bytes=196608):
    from ascend_vision_ops import _native

    batch, channels, height, width = shape
    taps = deform_groups * kernel[0] * kernel[1]
    places = [height + 2 - kernel[0] + 1, width + 2 - kernel[1] + 1]
    tensors = [
        shape,
        [batch, 2 * taps, *places],
        [batch, taps, *places],
        [filters, channels // groups, *kernel],
        [filters],
    ]
    plan = _native.tiling.modulated_deform_conv2d(
        *((tensor, dtype) for tensor in tensors),
        [1, 1],
        [1, 1],
        [1, 1],
        groups,
        deform_groups,
        None,
        cores,
        ub_bytes,
    )
    fields = {field["name"]: field["value"] for field in plan["fields"]}
    return SimpleNamespace(
        blocks=plan["block_dim"], workspace=plan["workspace"], positions=places[0] * places[1], **fields
    )


def unified_buffer_bytes(plan, item):
    """What DeformTaps, BilinearRows and DeformColumns ask of the Unified Buffer, buffer by buffer."""
    located, rows = plan.located, plan.sampled * plan.chunk
    bits = 2 * -(-located // 8 // 32) * 32
    taps = 3 * located * item + 3 * plan.band // 2 * 4 + 6 * located * 4 + bits
    corners = 2 * 4 * rows * item + (0 if item == 4 else 4 * rows * 4) + plan.sampled * 4 * 32
    return taps + corners + located * 4 * 9 + located // 4 + 2 * rows * item


@pytest.mark.parametrize("cores", [2, 6, 48])
@pytest.mark.parametrize("ub_bytes", [65536, 196608])
def test_tiling_of_random_shapes(cores, ub_bytes):
    rng = random.Random(f"{cores} {ub_bytes}")
    for _ in range(300):
        dtype = rng.choice(list(ITEM))
        groups, deform_groups = rng.choice([1, 2, 3]), rng.choice([1, 2, 5])
        channels = groups * deform_groups * rng.choice([1, 7, 16, 100, 700])
        shape = [rng.choice([1, 2, 9, 200]), channels, rng.randint(3, 60), rng.randint(3, 200)]
        kernel = [rng.choice([1, 2, 3]), rng.choice([1, 3, 5])]
        filters = groups * rng.choice([1, 15, 64, 400])
        plan = tiling(shape, filters, kernel, dtype, groups, deform_groups, cores, ub_bytes)
        case = (shape, filters, kernel, dtype, groups, deform_groups)
        bands = -(-plan.positions // plan.band)
        assert 1 <= plan.blocks <= min(cores // 2, plan.stepImages * bands), case
        assert 1 <= plan.stepImages <= shape[0], case
        assert unified_buffer_bytes(plan, ITEM[dtype]) <= ub_bytes, case
        assert (
            plan.band % 32 == 0 and plan.located % 64 == 0 and plan.sampled % 8 == 0 and plan.chunk % 16 == 0
        ), case
        # A tap of half a band is found at once, and the sampled positions of one are a whole number of blocks.
        assert plan.located >= min(plan.band // 2, -(-plan.positions // 16) * 16), case
        # One product fits the memories of the cube core, each half twice.
        rows, depth = plan.productRows, plan.productDepth * ITEM[dtype]
        assert rows * plan.band * 4 <= 131072 and rows * 128 * 2 <= 65536 and plan.band * 128 * 2 <= 65536, (
            case
        )
        assert depth % 128 == 0 and 2 * (rows + plan.band) * depth <= 524288, case


def test_workspace_does_not_grow_with_the_batch():
    few, many = (tiling([batch, 64, 40, 50], 64, [3, 3], "float32").workspace for batch in (100, 100_000))
    assert many <= 1.1 * few


def test_small_calls_take_few_blocks():
    assert tiling([1, 8, 4, 4], 8, [3, 3], "float32").blocks == 1
