# SPDX-License-Identifier: Apache-2.0
"""RoIAlign (He et al., Mask R-CNN) as torchvision and mmcv define it, and ONNX's maximum."""

import numpy as np

from .common.bilinear import clamped, corners


def samples_of(roi, image_size, bins, spatial_scale, sampling_ratio, aligned):
    """Positions (y, x) of the samples of one region (x1, y1, x2, y2), each (bins, samples, bins, samples).

    None where the region has no samples.
    """
    with np.errstate(over="ignore", invalid="ignore"):
        start, end = (roi.reshape(2, 2)[:, ::-1] * spatial_scale) - (0.5 if aligned else 0.0)
        size = end - start
    if not np.isfinite(size).all() or (aligned and (size < 0).any()):
        return None
    size = size if aligned else np.maximum(size, 1.0)
    axes = []
    for axis in range(2):
        grid = sampling_ratio if sampling_ratio > 0 else int(np.ceil(size[axis] / bins[axis]))
        cell = (
            (np.arange(bins[axis])[:, None] + (np.arange(grid) + 0.5) / max(grid, 1))
            * size[axis]
            / bins[axis]
        )
        axes.append(start[axis] + cell)
    y, x = np.broadcast_arrays(axes[0][:, :, None, None], axes[1])
    return (y, x) if y.size else None


def batch_index(roi, images):
    """The feature map of a region (index, x1, y1, x2, y2)."""
    if not 0 <= roi[0] < images:
        raise ValueError(f"rois: expected an index of a feature map in [0, {images}), got {roi[0]}")
    return int(roi[0])


def roi_align(
    input, rois, output_height, output_width, spatial_scale=1.0, sampling_ratio=0, mode="avg", aligned=True
):
    """Bins (K, C, output_height, output_width) of regions (K, 5) of feature maps (N, C, H, W), dtype of ``input``.

    A region is (index of its feature map, x1, y1, x2, y2); ValueError where there is no such map.
    """
    bins = (output_height, output_width)
    out = np.zeros((len(rois), input.shape[1], *bins), input.dtype)
    for region, roi in zip(out, rois.astype(np.float64), strict=True):
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
