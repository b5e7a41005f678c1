# SPDX-License-Identifier: Apache-2.0
import torch

import ascend_vision_ops as avo


def test_torchvision_compares_with_the_threshold_in_float64(torchvision):
    """An IoU of 3/10, rounded to float32, is above a threshold of 0.3 in float64."""
    boxes, scores = torch.tensor([[0.0, 0, 10, 1], [0, 0, 3, 1]]), torch.tensor([0.9, 0.8])
    assert torchvision.ops.nms(boxes, scores, 0.3).tolist() == [0]
    assert avo.nms_indices(boxes, scores, 0.3).tolist() == [0, 1]
