# SPDX-License-Identifier: Apache-2.0
"""Deformable convolution (DCNv2)."""

from __future__ import annotations

import math
from typing import Any

import torch
from torch import Tensor, nn

from ascend_vision_ops import ops

from ._arguments import pair

__all__ = ["ModulatedDeformConv2d", "ModulatedDeformConv2dPack"]


class ModulatedDeformConv2d(nn.Module):
    """Convolution that samples its input at given offsets and multiplies each sample with a mask.

    Args:
        in_channels: C, a multiple of groups and of deform_groups
        out_channels: O, a multiple of groups
        kernel_size: rows and columns of a window, kH and kW; one int for both
        stride: rows and columns from window to window
        padding: rows and columns of zeros on either side
        dilation: rows and columns from tap to tap of a window
        groups: number of blocks of channels, each of which is convolved with filters of its own
        deform_groups: number of blocks of channels, each of which has its own offsets and mask, G
        bias: whether a bias is added to the result of each filter

    Shape:
        input: (N, C, H, W), float32, float16 or bfloat16; under autocast it is cast to the dtype of offset
        offset: (N, 2 G kH kW, oH, oW), how far each sample is moved; row offsets and column offsets alternate
        mask: (N, G kH kW, oH, oW), the factor of each sample; None means 1 (DCNv1)
        output: (N, O, oH, oW), dtype of offset
        parameters: weight (O, C / groups, kH, kW), at first uniform in ±1 / sqrt(C kH kW); bias (O,), at first 0

    Raises:
        ValueError: a size is out of its range, or the channels are not a multiple of the groups

    Source: mmcv.ops.ModulatedDeformConv2d. Arguments, parameters and first values are the same.
    """

    def __init__(
        self,
        in_channels: int,
        out_channels: int,
        kernel_size: int | tuple[int, int],
        stride: int | tuple[int, int] = 1,
        padding: int | tuple[int, int] = 0,
        dilation: int | tuple[int, int] = 1,
        groups: int = 1,
        deform_groups: int = 1,
        bias: bool = True,
    ) -> None:
        super().__init__()
        name = type(self).__name__
        self.kernel_size = pair(f"{name}: kernel_size", kernel_size, 1)
        self.stride = pair(f"{name}: stride", stride, 1)
        self.padding = pair(f"{name}: padding", padding, 0)
        self.dilation = pair(f"{name}: dilation", dilation, 1)
        for channels, value, parts, number in (
            ("in_channels", in_channels, "groups", groups),
            ("out_channels", out_channels, "groups", groups),
            ("in_channels", in_channels, "deform_groups", deform_groups),
        ):
            if number < 1 or value < 1 or value % number != 0:
                raise ValueError(
                    f"{name}: {channels}: expected a positive multiple of {parts}, got {value} and {number}"
                )
        self.in_channels, self.out_channels = in_channels, out_channels
        self.groups, self.deform_groups = groups, deform_groups
        self.weight = nn.Parameter(torch.empty(out_channels, in_channels // groups, *self.kernel_size))
        self.bias = nn.Parameter(torch.empty(out_channels)) if bias else None
        self.reset_parameters()

    def reset_parameters(self) -> None:
        """Set the parameters to their first values."""
        bound = 1 / math.sqrt(self.in_channels * math.prod(self.kernel_size))
        nn.init.uniform_(self.weight, -bound, bound)
        if self.bias is not None:
            nn.init.zeros_(self.bias)

    def forward(self, input: Tensor, offset: Tensor, mask: Tensor | None = None) -> Tensor:
        # Under autocast, the convolution that computes offsets returns a half type; then all tensors take it.
        dtype = offset.dtype
        return ops.modulated_deform_conv2d(
            input.to(dtype),
            offset,
            None if mask is None else mask.to(dtype),
            self.weight.to(dtype),
            None if self.bias is None else self.bias.to(dtype),
            self.stride,
            self.padding,
            self.dilation,
            self.groups,
            self.deform_groups,
        )

    def extra_repr(self) -> str:
        return (
            f"{self.in_channels}, {self.out_channels}, kernel_size={self.kernel_size}, stride={self.stride}, "
            f"padding={self.padding}, dilation={self.dilation}, groups={self.groups}, "
            f"deform_groups={self.deform_groups}, bias={self.bias is not None}"
        )


class ModulatedDeformConv2dPack(ModulatedDeformConv2d):
    """A deformable convolution that can replace an ordinary one, as it computes its own offsets and mask.

    Another convolution, conv_offset, computes them from the input. It has the same window. Two thirds of its channels
    are offsets, and the others are the logits of the mask. Its parameters are 0 at first, so that the module starts as
    an ordinary convolution of which every sample is halved.

    Args:
        as ModulatedDeformConv2d

    Shape:
        input: (N, C, H, W), float32, float16 or bfloat16
        output: (N, O, oH, oW), dtype of input
        parameters: those of ModulatedDeformConv2d, conv_offset.weight (3 G kH kW, C, kH, kW), conv_offset.bias

    Source: mmcv.ops.ModulatedDeformConv2dPack ("DCNv2"). It loads the checkpoints of that module.
    """

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.conv_offset = nn.Conv2d(
            self.in_channels,
            3 * self.deform_groups * math.prod(self.kernel_size),
            self.kernel_size,
            stride=self.stride,
            padding=self.padding,
            dilation=self.dilation,
        )
        self.reset_parameters()

    def reset_parameters(self) -> None:
        """Set the parameters to their first values."""
        super().reset_parameters()
        if hasattr(self, "conv_offset"):  # the constructor of the base class runs before it exists
            for parameter in self.conv_offset.parameters():
                nn.init.zeros_(parameter)

    def forward(self, input: Tensor) -> Tensor:  # type: ignore[override]
        channels = 2 * self.deform_groups * math.prod(self.kernel_size)
        offset, logits = self.conv_offset(input).split([channels, channels // 2], 1)
        return super().forward(input, offset, logits.sigmoid())
