# SPDX-License-Identifier: Apache-2.0
NOT_RUN = {"mmcv": "its wheels with operators exist for older releases of torch only"}


def test_torch_has_no_such_operator():
    import torch

    assert "soft_nms" not in dir(torch.ops.aten)
