# SPDX-License-Identifier: Apache-2.0
"""Puts ours in the place of mmcv's nms, which mmcv's batched_nms calls too."""

from torch import ops

from . import _mmcv as mmcv


@mmcv.function("mmcv.ops.nms", "NMSop.forward")
def forward(ctx, bboxes, scores, iou_threshold, offset, score_threshold, max_num):
    _, indices = ops.ascend_vision_ops.nms(
        bboxes, scores, iou_threshold, offset=offset, score_threshold=score_threshold, max_num=max_num
    )
    return indices
