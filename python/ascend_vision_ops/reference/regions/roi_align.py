# SPDX-License-Identifier: Apache-2.0
"""RoIAlign (He et al., Mask R-CNN) as torchvision and mmcv define it, and ONNX's maximum."""

import numpy as np

from ..common.bilinear import clamped, corners
from ._rois import batch_index, keeps_rois, regions_of, samples_of


@keeps_rois
def roi_align(
    input, rois, output_height, output_width, spatial_scale=1.0, sampling_ratio=0, mode="avg", aligned=True
):
    """Pools regions (K, 5) of feature maps (N, C, H, W): (K, C, output_height, output_width), dtype of ``input``.

    A region is (index of its feature map, x1, y1, x2, y2). Raises ValueError where there is no such map.
    """
    bins = (output_height, output_width)
    out = np.zeros((len(rois), input.shape[1], *bins), input.dtype)
    for region, roi in zip(out, regions_of(rois), strict=True):
        image = input[batch_index(roi, len(input))].astype(np.float64)
        samples = samples_of(roi[1:], image.shape[1:], bins, spatial_scale, sampling_ratio, aligned)
        if samples is None:
            continue
        with np.errstate(invalid="ignore"):
            parts = [
                corner.weight * corner.values(image) for corner in corners(image.shape[1:], *samples, clamped)
            ]
            values = np.max(parts, axis=0) if mode == "onnx_max" else sum(parts)
            region[...] = (np.mean if mode == "avg" else np.max)(values, axis=(2, 4))
    return out
