# SPDX-License-Identifier: Apache-2.0
import numpy as np
import torch
import torch.nn.functional as F

from ascend_vision_ops import cpu

NOT_RUN = {"CANN": "this machine has no NPU"}


def test_torch_names_a_pixel_that_an_empty_window_does_not_reach():
    # The only window has its elements two columns apart, one before and one behind an image of one column.
    image = np.ones((1, 1, 1, 1), np.float32)
    window = {"kernel_size": [1, 2], "stride": [1, 1], "padding": [0, 1], "dilation": [1, 2]}
    values, indices = F.max_pool2d_with_indices(torch.from_numpy(image), **window)
    assert values.item() == -np.inf
    assert indices.item() >= 0
    out, ours = cpu.max_pool2d_with_indices(image, **window)
    assert (out.item(), ours.item()) == (-np.inf, -1)
