# SPDX-License-Identifier: Apache-2.0
import pytest
import torch

import ascend_vision_ops as avo

NOT_RUN = {"mmcv": "its wheels with operators exist for older releases of torch only"}


def test_torchvision_checks_no_sizes(torchvision):
    """No rows of bins, and a scale that turns regions round: results there, errors here."""
    x, rois = torch.rand(1, 2, 6, 6), torch.tensor([[0.0, 1, 1, 4, 4]])
    assert torchvision.ops.roi_align(x, rois, (0, 2)).shape == (1, 2, 0, 2)
    with pytest.raises(RuntimeError, match="output_height"):
        avo.roi_align(x, rois, 0, 2)
    assert torchvision.ops.roi_align(x, rois, (2, 2), spatial_scale=-1.0).shape == (1, 2, 2, 2)
    with pytest.raises(RuntimeError, match="spatial_scale"):
        avo.roi_align(x, rois, 2, 2, -1.0)
