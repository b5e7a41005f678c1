# SPDX-License-Identifier: Apache-2.0
"""Corner pooling."""

from __future__ import annotations

from torch import Tensor, nn

from ascend_vision_ops import ops

from ._arguments import choice

__all__ = ["CornerPool"]

MODES = ("top", "bottom", "left", "right")


class CornerPool(nn.Module):
    """The largest value between each place of a feature map and one of its sides.

    Args:
        mode: where the scan goes to; "top", from the last row up; "bottom", from the first row down; "left", from the
            last column; "right", from the first column

    Shape:
        input: (N, C, H, W), float32, float16 or bfloat16
        output: (N, C, H, W), the dtype of the input

    Raises:
        ValueError: if mode is none of these

    Source: mmcv.ops.CornerPool; Law and Deng, CornerNet, 2018.
    """

    def __init__(self, mode: str) -> None:
        super().__init__()
        choice("CornerPool: mode", mode, MODES)
        self.mode = mode

    def forward(self, input: Tensor) -> Tensor:
        return ops.corner_pool(input, MODES.index(self.mode))

    def extra_repr(self) -> str:
        return f"mode={self.mode!r}"
