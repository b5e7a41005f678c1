# SPDX-License-Identifier: Apache-2.0
"""Tilings of max_pool2d_with_indices_backward: what tests/test_tilings.py cannot know, because it knows no operator."""

import pytest

from ascend_vision_ops import tiling


@pytest.mark.parametrize("cores", [1, 7, 48])
def test_tiles_are_whole_units_and_cores_have_work(cores):
    plan = tiling.max_pool2d_with_indices_backward(
        grad_output=((10, 10, 4, 6), "float32"),
        input=((10, 10, 10, 10), "float32"),
        indices=((1, 2, 3, 5), "int64"),
        kernel_size=(3, 2),
        cores=cores,
    )
    fields = {field["name"]: field["value"] for field in plan["fields"]}
    assert fields["tileLength"] % 32 == 0
    assert plan["block_dim"] == min(cores, -(-fields["elements"] // fields["tileLength"]))
