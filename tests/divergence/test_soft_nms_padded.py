# SPDX-License-Identifier: Apache-2.0
import numpy as np
import pytest

from ascend_vision_ops import cpu

NOT_RUN = {"mmcv": "its wheels with operators exist for older releases of torch only"}


def test_torch_has_no_such_operator():
    import torch

    assert "soft_nms" not in dir(torch.ops.aten)


def test_opencv_keeps_the_score_of_a_box_at_the_threshold():
    """The second box is half of the first one: their IoU is exactly 0.5, as the threshold is."""
    cv2 = pytest.importorskip("cv2")
    boxes, scores = np.array([[0, 0, 10, 10], [0, 0, 10, 5]], np.float32), np.array([0.75, 0.5], np.float32)
    decayed, _ = cv2.dnn.softNMSBoxes(boxes.astype(int), scores, 0.001, 0.5, 0, 0.5, 1)
    assert np.ravel(decayed).tolist() == [0.75, 0.5]
    dets, _, _ = cpu.soft_nms_padded(boxes, scores, iou_threshold=0.5, method=1)
    assert dets[:, 4].tolist() == [0.75, 0.25]
