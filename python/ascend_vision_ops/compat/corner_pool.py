# SPDX-License-Identifier: Apache-2.0
"""mmcv's CornerPool. mmcv makes it of torch's flip and cummax, which still pool integers."""

from torch import Tensor, ops

from . import _mmcv as mmcv

MODES = ("top", "bottom", "left", "right")


@mmcv.function("mmcv.ops.corner_pool", "CornerPool.forward", takes=Tensor.is_floating_point)
def forward(self, x):
    return ops.ascend_vision_ops.corner_pool(x, MODES.index(self.mode))
