# SPDX-License-Identifier: Apache-2.0
"""Puts ours in the place of mmcv's soft_nms, which computes on the CPU whatever device its boxes are on."""

from torch import ops

from . import _mmcv as mmcv

METHODS = ("naive", "linear", "gaussian")


@mmcv.function("mmcv.ops.nms", "SoftNMSop.forward")
def forward(ctx, boxes, scores, iou_threshold, sigma, min_score, method, offset):
    return ops.ascend_vision_ops.soft_nms(boxes, scores, iou_threshold, sigma, min_score, method, offset)


@mmcv.function("mmcv.ops.nms", "soft_nms")
def soft_nms(
    boxes, scores, iou_threshold=0.3, sigma=0.5, min_score=1e-3, method="linear", offset=0, iou_thr=None
):
    if method not in METHODS:
        raise ValueError(f"soft_nms: method: expected one of {', '.join(METHODS)}, got {method!r}")
    threshold = iou_threshold if iou_thr is None else iou_thr  # the old name of the argument
    return forward(None, boxes, scores, threshold, sigma, min_score, METHODS.index(method), offset)
