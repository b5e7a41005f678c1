# SPDX-License-Identifier: Apache-2.0
"""Soft non-maximum suppression."""

from __future__ import annotations

from torch import Tensor, nn

from ascend_vision_ops import ops

from ._arguments import choice

__all__ = ["SoftNMS"]

METHODS = ("naive", "linear", "gaussian")


class SoftNMS(nn.Module):
    """Picks boxes by descending score. Each picked box decays the scores of the boxes that overlap with it.

    Args:
        iou_threshold: "naive" and "linear" decay the score of a box whose IoU with the picked box is at least this
        sigma: width of the decay by "gaussian"
        min_score: a box is dropped when its score has decayed below this
        method: how a score decays; "naive" to 0, "linear" by 1 - IoU, "gaussian" by exp(-IoU² / sigma)
        offset: added to widths and heights; 0, or 1 to count both border pixels

    Shape:
        boxes: (N, 4), rows x1, y1, x2, y2, float32, float16 or bfloat16
        scores: (N,), dtype of boxes
        output: dets (M, 5), rows x1, y1, x2, y2, decayed score, and indices (M,), int64, in the order of picking

    Raises:
        ValueError: sigma, method or offset is out of its range

    Source: mmcv.ops.soft_nms; Bodla et al., Soft-NMS, 2017.
    """

    def __init__(
        self,
        iou_threshold: float = 0.3,
        sigma: float = 0.5,
        min_score: float = 1e-3,
        method: str = "linear",
        offset: int = 0,
    ) -> None:
        super().__init__()
        choice("SoftNMS: method", method, METHODS)
        if not sigma > 0:
            raise ValueError(f"SoftNMS: sigma: expected above 0, got {sigma}")
        if offset not in (0, 1):
            raise ValueError(f"SoftNMS: offset: expected 0 or 1, got {offset}")
        self.iou_threshold, self.sigma, self.min_score = iou_threshold, sigma, min_score
        self.method, self.offset = method, offset

    def forward(self, boxes: Tensor, scores: Tensor) -> tuple[Tensor, Tensor]:
        method = METHODS.index(self.method)
        return ops.soft_nms(
            boxes, scores, self.iou_threshold, self.sigma, self.min_score, method, self.offset
        )

    def extra_repr(self) -> str:
        return (
            f"iou_threshold={self.iou_threshold}, sigma={self.sigma}, min_score={self.min_score}, "
            f"method={self.method!r}, offset={self.offset}"
        )
