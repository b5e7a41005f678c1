# SPDX-License-Identifier: Apache-2.0
"""Maxima over sliding windows."""

from __future__ import annotations

from torch import Tensor, nn

from ascend_vision_ops import ops

from ._arguments import pair

__all__ = ["MaxPool2d"]


class MaxPool2d(nn.Module):
    """Computes the maximum of each window of an image.

    Args:
        kernel_size: rows and columns of a window, one int for both
        stride: rows and columns from window to window; kernel_size if None
        padding: rows and columns of minus infinity on either side
        dilation: rows and columns from element to element of a window
        ceil_mode: whether a window counts that reaches beyond the padded input
        return_indices: whether a call also gives where each maximum lies in its plane, and keeps that for the gradient

    Shape:
        input: (N, C, H, W), float32, float16 or bfloat16
        output: (N, C, oH, oW), dtype of input; with return_indices also indices of this shape, int64

    Raises:
        ValueError: if kernel_size, stride, padding or dilation is not one or two ints, or is out of its range

    Source: torch.nn.MaxPool2d.
    """

    def __init__(
        self,
        kernel_size: int | tuple[int, int],
        stride: int | tuple[int, int] | None = None,
        padding: int | tuple[int, int] = 0,
        dilation: int | tuple[int, int] = 1,
        ceil_mode: bool = False,
        return_indices: bool = False,
    ) -> None:
        super().__init__()
        self.kernel_size = pair("MaxPool2d: kernel_size", kernel_size, 1)
        self.stride = self.kernel_size if stride is None else pair("MaxPool2d: stride", stride, 1)
        self.padding = pair("MaxPool2d: padding", padding, 0)
        self.dilation = pair("MaxPool2d: dilation", dilation, 1)
        self.ceil_mode = ceil_mode
        self.return_indices = return_indices

    def forward(self, input: Tensor) -> Tensor | tuple[Tensor, Tensor]:
        pool = ops.max_pool2d_with_indices if self.return_indices else ops.max_pool2d
        return pool(input, self.kernel_size, self.stride, self.padding, self.dilation, self.ceil_mode)

    def extra_repr(self) -> str:
        return (
            f"kernel_size={self.kernel_size}, stride={self.stride}, padding={self.padding}, "
            f"dilation={self.dilation}, ceil_mode={self.ceil_mode}"
        )
