# SPDX-License-Identifier: Apache-2.0
"""Sampling of images at the coordinates of a grid."""

from __future__ import annotations

from torch import Tensor, nn

from ascend_vision_ops import ops

from ._arguments import choice

__all__ = ["GridSampler"]

MODES = ("bilinear", "nearest", "bicubic")
PADDING_MODES = ("zeros", "border", "reflection")


class GridSampler(nn.Module):
    """Samples images at the coordinates of a grid. Coordinates -1 and 1 are the sides of an image.

    Args:
        mode: "bilinear", "nearest" or "bicubic"
        padding_mode: what lies beyond the image; "zeros", "border" or "reflection"
        align_corners: whether -1 and 1 are the centres of the outer pixels, or else their outer edges

    Shape:
        input: (N, C, H, W), float32, float16 or bfloat16
        grid: (N, oH, oW, 2), as (x, y), dtype of input
        output: (N, C, oH, oW), dtype of input

    Raises:
        ValueError: mode or padding_mode has a value that is not allowed

    Source: torch.nn.functional.grid_sample.
    """

    def __init__(
        self, mode: str = "bilinear", padding_mode: str = "zeros", align_corners: bool = False
    ) -> None:
        super().__init__()
        choice("GridSampler: mode", mode, MODES)
        choice("GridSampler: padding_mode", padding_mode, PADDING_MODES)
        self.mode, self.padding_mode, self.align_corners = mode, padding_mode, align_corners

    def forward(self, input: Tensor, grid: Tensor) -> Tensor:
        mode, padding_mode = MODES.index(self.mode), PADDING_MODES.index(self.padding_mode)
        return ops.grid_sampler(input, grid, mode, padding_mode, self.align_corners)

    def extra_repr(self) -> str:
        return f"mode={self.mode!r}, padding_mode={self.padding_mode!r}, align_corners={self.align_corners}"
