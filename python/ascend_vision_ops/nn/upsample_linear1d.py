# SPDX-License-Identifier: Apache-2.0
"""Linear interpolation of signals."""

from __future__ import annotations

from torch import Tensor, nn

from ascend_vision_ops import ops

__all__ = ["UpsampleLinear1d"]


class UpsampleLinear1d(nn.Module):
    """Resample signals along their length.

    Args:
        size: length of the result
        scale_factor: instead of size; the length is int(L * scale_factor), and the factor defines the positions
        align_corners: whether the first and the last sample of input and result coincide

    Shape:
        input: (N, C, L), float32, float16 or bfloat16
        output: (N, C, size), dtype of input

    Raises:
        ValueError: both size and scale_factor are given, or neither, or the value is not above 0

    Source: torch.nn.Upsample(mode="linear").
    """

    def __init__(
        self, size: int | None = None, scale_factor: float | None = None, align_corners: bool = False
    ) -> None:
        super().__init__()
        if (size is None) == (scale_factor is None):
            raise ValueError(
                f"UpsampleLinear1d: expected either size or scale_factor, got size={size}, scale_factor={scale_factor}"
            )
        for name, value in (("size", size), ("scale_factor", scale_factor)):
            if value is not None and not value > 0:
                raise ValueError(f"UpsampleLinear1d: {name}: expected above 0, got {value}")
        self.size, self.scale_factor, self.align_corners = size, scale_factor, align_corners

    def forward(self, input: Tensor) -> Tensor:
        if self.size is not None:
            return ops.upsample_linear1d(input, [self.size], self.align_corners)
        assert self.scale_factor is not None
        length = int(input.shape[-1] * self.scale_factor)
        return ops.upsample_linear1d(input, [length], self.align_corners, self.scale_factor)

    def extra_repr(self) -> str:
        size = f"size={self.size}" if self.size is not None else f"scale_factor={self.scale_factor}"
        return f"{size}, align_corners={self.align_corners}"
