# SPDX-License-Identifier: Apache-2.0
import torch

import ascend_vision_ops as avo


def test_torchvision_moves_classes_apart(torchvision):
    """Two boxes with an IoU of 2/3. torchvision moves their class to where float32 holds whole numbers only: IoU 1."""
    boxes = torch.tensor([[1e7, 0, 1e7 + 4, 4], [0, 0, 1, 1], [0.2, 0, 1.2, 1]])
    scores, classes = torch.tensor([0.9, 0.8, 0.7]), torch.tensor([0, 1, 1])
    assert torchvision.ops.batched_nms(boxes, scores, classes, 0.7).tolist() == [0, 1]
    assert avo.batched_nms(boxes, scores, classes, 0.7).tolist() == [0, 1, 2]
