# SPDX-License-Identifier: Apache-2.0
"""Gradient of roi_align with respect to its feature maps."""

import numpy as np

from ..common.bilinear import clamped, corners
from ._rois import batch_index, keeps_rois, regions_of, samples_of


@keeps_rois
@np.errstate(invalid="ignore")
def roi_align_backward(
    grad_output,
    rois,
    input_size,
    output_height,
    output_width,
    spatial_scale=1.0,
    sampling_ratio=0,
    aligned=True,
    mode="avg",
    input=None,
):
    """Gradient of the feature maps: shape ``input_size``, dtype of ``grad_output`` (K, C, output_height, output_width).

    Mode avg: the gradient of a bin goes to its samples in equal parts, and from each sample to its corners by their
    weights. Mode max: all of it goes to the first sample inside the map that is the maximum, and from there to its
    corners. Mode onnx_max: all of it goes to the first corner inside the map whose weighted value is the maximum. The
    last two modes need ``input``.
    """
    grads = np.zeros(input_size, np.float64)
    for grad, roi in zip(grad_output.astype(np.float64), regions_of(rois), strict=True):
        at = batch_index(roi, input_size[0])
        bins = (output_height, output_width)
        samples = samples_of(roi[1:], input_size[2:], bins, spatial_scale, sampling_ratio, aligned)
        if samples is None:
            continue
        around = list(corners(input_size[2:], *samples, clamped))
        spread = grad[:, :, None, :, None]
        if mode == "avg":
            count = samples[0].shape[1] * samples[0].shape[3]
            for corner in around:
                corner.add(grads[at], corner.weight * spread / count)
            continue
        parts = np.stack(
            [corner.weight * corner.values(input[at].astype(np.float64)) for corner in around], -1
        )
        counts = np.stack([corner.inside for corner in around], -1)
        if mode == "max":
            parts, counts = parts.sum(-1, keepdims=True), counts.any(-1, keepdims=True)
        # (C, bin row, bin column, candidate). A candidate is a sample, or a corner of a sample.
        flat = parts.transpose(0, 1, 3, 2, 4, 5).reshape(*grad.shape, -1)
        inside = np.broadcast_to(counts, parts.shape).transpose(0, 1, 3, 2, 4, 5).reshape(flat.shape)
        hits = inside & (flat == flat.max(-1, keepdims=True))
        first = hits & (np.cumsum(hits, -1) == 1)
        shape = np.array(parts.shape)[[0, 1, 3, 2, 4, 5]]
        first = first.reshape(shape).transpose(0, 1, 3, 2, 4, 5)
        for i, corner in enumerate(around):
            taken = np.where(first[..., 0 if mode == "max" else i], spread, 0.0)
            corner.add(grads[at], corner.weight * taken)
    return grads.astype(grad_output.dtype)
