# SPDX-License-Identifier: Apache-2.0
"""Regions of RoIAlign: which feature map they lie on, and where their samples lie."""

import numpy as np


def keeps_rois(function):
    """Marks a specification that computes positions in the dtype of ``rois``: tests must not widen that argument."""
    function.kept = ("rois",)
    return function


def samples_of(roi, image_size, bins, spatial_scale, sampling_ratio, aligned):
    """Positions y and x of the samples of one region (x1, y1, x2, y2).

    Both have the shape (bins along y, samples of a bin along y, bins along x, samples of a bin along x) and the dtype
    of ``roi``. The result is None where the region has no samples.

    Each operation rounds to that dtype, in the order of mmcv's and torchvision's kernels. This matters where a sample
    lies exactly on a pixel: its other corners have weight 0, and 0 times infinity is NaN. With a position that is off
    by 1e-8, the result would be infinity.
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
    """The rows of ``rois`` in the dtype in which positions are computed: float32, or float64 for float64."""
    return rois.astype(np.promote_types(rois.dtype, np.float32))


def batch_index(roi, images):
    """The index of a region's feature map (index, x1, y1, x2, y2). Raises ValueError where there is no such map."""
    if not 0 <= roi[0] < images:
        raise ValueError(f"rois: expected an index of a feature map in [0, {images}), got {roi[0]}")
    return int(roi[0])
