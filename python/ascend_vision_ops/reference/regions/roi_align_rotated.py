# SPDX-License-Identifier: Apache-2.0
"""RoIAlign of rotated regions, as mmcv defines it."""

import numpy as np

from ..common.bilinear import clamped, interpolate
from ._rois import batch_index, keeps_rois, regions_of


@keeps_rois
def roi_align_rotated(
    input,
    rois,
    output_height,
    output_width,
    spatial_scale=1.0,
    sampling_ratio=0,
    aligned=True,
    clockwise=False,
):
    """Pools regions (K, 6) of feature maps (N, C, H, W): (K, C, output_height, output_width), dtype of ``input``.

    A region is (index of its feature map, x and y of its centre, width, height, angle in radians). Raises ValueError
    where there is no such map.
    """
    bins = (output_height, output_width)
    out = np.zeros((len(rois), input.shape[1], *bins), input.dtype)
    for region, roi in zip(out, regions_of(rois), strict=True):
        image = input[batch_index(roi, len(input))].astype(np.float64)
        samples = _samples_of(roi[1:], bins, spatial_scale, sampling_ratio, aligned, clockwise)
        if samples is not None:
            with np.errstate(invalid="ignore"):
                region[...] = interpolate(image, *samples, clamped).mean(axis=(2, 4))
    return out


def _samples_of(roi, bins, spatial_scale, sampling_ratio, aligned, clockwise):
    """Positions y and x of the samples of a region: (bin rows, samples of a bin, bin columns, samples of a bin).

    None where it has no samples. Each operation rounds to the dtype of ``roi``, in the order of mmcv's kernels: a
    sample may lie exactly where the map ends for samples.
    """
    one = roi.dtype.type
    with np.errstate(over="ignore", invalid="ignore"):
        centre = roi[1::-1] * one(spatial_scale) - one(0.5 if aligned else 0)
        size = roi[3:1:-1] * one(spatial_scale)
    if not (np.isfinite(size).all() and np.isfinite(centre).all() and np.isfinite(roi[4])):
        return None
    if aligned and (size < 0).any():
        return None
    size = size if aligned else np.maximum(size, one(1))
    axes = []
    for length, count in zip(size, bins, strict=True):
        bin_size = length / one(count)
        grid = sampling_ratio if sampling_ratio > 0 else int(np.ceil(bin_size))
        row, sample = (np.arange(n, dtype=one) for n in (count, grid))
        axes.append(-length / one(2) + row[:, None] * bin_size + (sample + one(0.5)) * bin_size / one(grid))
    v, u = np.broadcast_arrays(axes[0][:, :, None, None], axes[1])
    angle = float(-roi[4] if clockwise else roi[4])
    cos, sin = one(np.cos(angle)), one(np.sin(angle))
    return (v * cos - u * sin + centre[0], v * sin + u * cos + centre[1]) if v.size else None
