# SPDX-License-Identifier: Apache-2.0
"""torchvision's nms."""

from torch import ops

from . import _torchvision as torchvision


@torchvision.operator("nms(Tensor dets, Tensor scores, float iou_threshold) -> Tensor")
def nms(dets, scores, iou_threshold):
    return ops.ascend_vision_ops.nms_indices(dets, scores, iou_threshold)
