# SPDX-License-Identifier: Apache-2.0
"""Regions of RoIAlign: their feature maps, and where their samples lie."""

import numpy as np


def of_regions(function):
    """Marks a specification that computes positions in the dtype of ``rois``, which its judges are to pass on."""
    function.kept = ("rois",)
    return function


def samples_of(roi, image_size, bins, spatial_scale, sampling_ratio, aligned):
    """Positions (y, x) of the samples of one region (x1, y1, x2, y2), each (bins, samples, bins, samples).

    None where the region has no samples. Positions have the dtype of ``roi`` and are rounded to it operation by
    operation, in the order of mmcv's and torchvision's kernels: where one is that of a pixel, its other neighbours
    count 0 times what they are, which makes NaN of an infinity that 1e-8 would leave.
    """
    one = roi.dtype.type
    scale, offset = one(spatial_scale), one(0.5 if aligned else 0)
    with np.errstate(over="ignore", invalid="ignore"):
        start, end = roi.reshape(2, 2)[:, ::-1] * scale - offset
        size = end - start
    if not np.isfinite(size).all() or (aligned and (size < 0).any()):
        return None
    size = size if aligned else np.maximum(size, one(1))
    axes = []
    for axis in range(2):
        bin_size = size[axis] / one(bins[axis])
        grid = sampling_ratio if sampling_ratio > 0 else int(np.ceil(bin_size))
        row, sample = (np.arange(count, dtype=one) for count in (bins[axis], grid))
        axes.append(start[axis] + row[:, None] * bin_size + (sample + one(0.5)) * bin_size / one(grid))
    y, x = np.broadcast_arrays(axes[0][:, :, None, None], axes[1])
    return (y, x) if y.size else None


def regions_of(rois):
    """Rows of ``rois`` as what positions are computed in: float32, or float64."""
    return rois.astype(np.promote_types(rois.dtype, np.float32))


def batch_index(roi, images):
    """The feature map of a region (index, x1, y1, x2, y2)."""
    if not 0 <= roi[0] < images:
        raise ValueError(f"rois: expected an index of a feature map in [0, {images}), got {roi[0]}")
    return int(roi[0])
