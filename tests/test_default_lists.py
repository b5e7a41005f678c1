# SPDX-License-Identifier: Apache-2.0
"""A call through torch leaves out a list with the values of its default, as torch would copy it."""

import pytest
import torch

from ascend_vision_ops import ops

IMAGES = torch.rand(1, 1, 4, 4)


@pytest.mark.parametrize("padding", [[0, 0], (0, 0), 0])
def test_a_default_may_be_written_out(padding):
    expected = ops.max_pool2d(IMAGES, 2)
    assert torch.equal(ops.max_pool2d(IMAGES, 2, [2, 2], padding, [1, 1]), expected)
    assert not torch.equal(ops.max_pool2d(IMAGES, 2, [2, 2], [1, 1]), expected)


@pytest.mark.parametrize("padding", [[0.0, 0.0], [0, 0, 0]])
def test_values_of_other_types_and_counts_stay_errors(padding):
    with pytest.raises(RuntimeError, match="padding"):
        ops.max_pool2d(IMAGES, 2, [2, 2], padding, [1, 1])
