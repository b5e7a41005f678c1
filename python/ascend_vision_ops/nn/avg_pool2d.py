# SPDX-License-Identifier: Apache-2.0
"""Means over sliding windows."""

from __future__ import annotations

from torch import Tensor, nn

from ascend_vision_ops import ops

from ._arguments import pair

__all__ = ["AvgPool2d"]


class AvgPool2d(nn.Module):
    """Computes the mean of each window of an image.

    Args:
        kernel_size: rows and columns of a window, one int for both
        stride: rows and columns from window to window; kernel_size if None
        padding: rows and columns of zeros on either side, at most half of kernel_size
        ceil_mode: whether a window counts that reaches beyond the padded input
        count_include_pad: whether padding counts as elements of a window. The default is torch's; that of the
            operator avg_pool2d is CANN's, False
        divisor_override: what sums are divided by, instead of the number of elements

    Shape:
        input: (N, C, H, W), float32, float16 or bfloat16
        output: (N, C, oH, oW), dtype of input

    Raises:
        ValueError: if kernel_size, stride or padding is not one or two ints, or is out of its range, or if
            divisor_override is 0

    Source: torch.nn.AvgPool2d.
    """

    def __init__(
        self,
        kernel_size: int | tuple[int, int],
        stride: int | tuple[int, int] | None = None,
        padding: int | tuple[int, int] = 0,
        ceil_mode: bool = False,
        count_include_pad: bool = True,
        divisor_override: int | None = None,
    ) -> None:
        super().__init__()
        self.kernel_size = pair("AvgPool2d: kernel_size", kernel_size, 1)
        self.stride = self.kernel_size if stride is None else pair("AvgPool2d: stride", stride, 1)
        self.padding = pair("AvgPool2d: padding", padding, 0)
        if divisor_override == 0:
            raise ValueError("AvgPool2d: divisor_override: expected None or other than 0, got 0")
        self.ceil_mode, self.count_include_pad = ceil_mode, count_include_pad
        self.divisor_override = divisor_override

    def forward(self, input: Tensor) -> Tensor:
        window = self.kernel_size, self.stride, self.padding
        return ops.avg_pool2d(input, *window, self.ceil_mode, self.count_include_pad, self.divisor_override)

    def extra_repr(self) -> str:
        return (
            f"kernel_size={self.kernel_size}, stride={self.stride}, padding={self.padding}, "
            f"ceil_mode={self.ceil_mode}, count_include_pad={self.count_include_pad}, "
            f"divisor_override={self.divisor_override}"
        )
