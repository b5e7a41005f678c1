# SPDX-License-Identifier: Apache-2.0
"""Pooling of regions of interest."""

from __future__ import annotations

from torch import Tensor, nn

from ascend_vision_ops import ops

from ._arguments import choice, pair

__all__ = ["RoIAlign"]


class RoIAlign(nn.Module):
    """Pools regions of feature maps. Each region becomes bins, and each bin is pooled from samples between pixels.

    Args:
        output_size: rows and columns of bins, one int for both
        spatial_scale: elements of the feature map per unit of the regions' coordinates
        sampling_ratio: samples of a bin along each axis; 0 for ceil(size of the region / bins)
        pool_mode: how the samples of a bin are combined: "avg" is their mean, "max" their maximum, and "onnx_max" the
            maximum of their weighted corners, as ONNX has it
        aligned: whether (0, 0) is the corner of the first pixel, so that coordinates are moved by half a pixel; or
            else its centre

    Shape:
        input: (N, C, H, W), float32, float16 or bfloat16
        rois: (K, 5), rows (index of the feature map, x1, y1, x2, y2), dtype of input
        output: (K, C, *output_size), dtype of input

    Raises:
        ValueError: output_size, spatial_scale, sampling_ratio or pool_mode has a value that is not allowed

    Source: mmcv.ops.RoIAlign, with the same order of arguments; torchvision.ops.RoIAlign, where aligned is False unless
    given.
    """

    def __init__(
        self,
        output_size: int | tuple[int, int],
        spatial_scale: float = 1.0,
        sampling_ratio: int = 0,
        pool_mode: str = "avg",
        aligned: bool = True,
    ) -> None:
        super().__init__()
        self.output_size = pair("RoIAlign: output_size", output_size, 1)
        if not spatial_scale > 0:
            raise ValueError(f"RoIAlign: spatial_scale: expected above 0, got {spatial_scale}")
        if sampling_ratio < 0:
            raise ValueError(f"RoIAlign: sampling_ratio: expected at least 0, got {sampling_ratio}")
        choice("RoIAlign: pool_mode", pool_mode, ("avg", "max", "onnx_max"))
        self.spatial_scale, self.sampling_ratio = float(spatial_scale), sampling_ratio
        self.pool_mode, self.aligned = pool_mode, aligned

    def forward(self, input: Tensor, rois: Tensor) -> Tensor:
        return ops.roi_align(
            input,
            rois,
            *self.output_size,
            self.spatial_scale,
            self.sampling_ratio,
            self.pool_mode,
            self.aligned,
        )

    def extra_repr(self) -> str:
        return (
            f"output_size={self.output_size}, spatial_scale={self.spatial_scale}, "
            f"sampling_ratio={self.sampling_ratio}, pool_mode={self.pool_mode!r}, aligned={self.aligned}"
        )
