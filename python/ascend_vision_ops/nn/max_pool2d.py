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

    Shape:
        input: (N, C, H, W), float32, float16 or bfloat16
        output: (N, C, oH, oW), dtype of input

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
    ) -> None:
        super().__init__()
        self.kernel_size = pair("MaxPool2d: kernel_size", kernel_size, 1)
        self.stride = self.kernel_size if stride is None else pair("MaxPool2d: stride", stride, 1)
        self.padding = pair("MaxPool2d: padding", padding, 0)
        self.dilation = pair("MaxPool2d: dilation", dilation, 1)
        self.ceil_mode = ceil_mode

    def forward(self, input: Tensor) -> Tensor:
        return ops.max_pool2d(
            input, self.kernel_size, self.stride, self.padding, self.dilation, self.ceil_mode
        )

    def extra_repr(self) -> str:
        return (
            f"kernel_size={self.kernel_size}, stride={self.stride}, padding={self.padding}, "
            f"dilation={self.dilation}, ceil_mode={self.ceil_mode}"
        )
