# SPDX-License-Identifier: Apache-2.0
"""Gradients of modulated deformable convolution."""

import numpy as np

from ..common.bilinear import corners
from ._deform import modulation, positions, sampled


def modulated_deform_conv2d_backward(
    grad_output, input, offset, mask, weight, stride=1, padding=0, dilation=1, groups=1, deform_groups=1
):
    """Gradients of ``input``, ``offset``, ``mask``, ``weight`` and bias from that of the result, (N, O, oH, oW).

    Without ``mask``, its gradient is that of a mask of ones. Where a sample lies exactly on a row or column of pixels,
    the gradient of its offset is the one towards the next row or column. A sample that does not count has no gradient.
    """
    filters, per_group, *kernel = weight.shape
    batch, channels, *size = input.shape
    rows, columns = positions(offset, kernel, stride, padding, dilation, deform_groups)
    scale = modulation(mask, rows)
    places = rows.shape[2:]
    grads = grad_output.astype(np.float64).reshape(batch, groups, filters // groups, *places[1:])
    kernels = weight.astype(np.float64).reshape(groups, filters // groups, per_group, -1)
    sample_grads = np.einsum("ngoyx,gock->ngckyx", grads, kernels, optimize=True)
    sample_grads = sample_grads.reshape(batch, deform_groups, channels // deform_groups, *places)

    images = input.astype(np.float64).reshape(batch, deform_groups, channels // deform_groups, *size)
    samples, grad_input = np.zeros_like(sample_grads), np.zeros_like(images)
    grad_offset = np.zeros((batch, deform_groups, places[0], 2, *places[1:]))
    for at in np.ndindex(batch, deform_groups):
        for corner in corners(size, rows[at], columns[at], sampled):
            values = corner.values(images[at])
            samples[at] += corner.weight * values
            dots = (sample_grads[at] * values).sum(0) * scale[at]
            grad_offset[at][:, 0] += corner.by_y * dots
            grad_offset[at][:, 1] += corner.by_x * dots
            corner.add(grad_input[at], sample_grads[at] * corner.weight * scale[at])
    grad_mask = (sample_grads * samples).sum(2)
    read = (samples * scale[:, :, None]).reshape(batch, groups, per_group, *places)
    grad_weight = np.einsum("ngoyx,ngckyx->gock", grads, read, optimize=True)
    mask_shape = (batch, deform_groups * places[0], *places[1:])
    shapes = [input.shape, offset.shape, mask_shape, weight.shape, (filters,)]
    found = [grad_input, grad_offset, grad_mask, grad_weight, grads.sum((0, 3, 4))]
    return tuple(g.reshape(s).astype(input.dtype) for g, s in zip(found, shapes, strict=True))
