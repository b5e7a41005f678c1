# SPDX-License-Identifier: Apache-2.0
"""Modulated deformable convolution (DCNv2, arXiv 1811.11168), as mmcv and torchvision define it."""

import numpy as np

from ..common.bilinear import interpolate
from ._deform import modulation, positions, sampled


def modulated_deform_conv2d(
    input, offset, mask, weight, bias=None, stride=1, padding=0, dilation=1, groups=1, deform_groups=1
):
    """Convolution of images (N, C, H, W) read at learned offsets: (N, O, oH, oW), of the dtype of ``input``.

    ``offset`` (N, deform_groups 2 kH kW, oH, oW) holds row offsets and column offsets, which alternate. Samples are
    multiplied with ``mask`` (N, deform_groups kH kW, oH, oW), which may be None. The channels of a deform group are
    counted over all of C.
    """
    filters, per_group, *kernel = weight.shape
    batch, channels, *size = input.shape
    rows, columns = positions(offset, kernel, stride, padding, dilation, deform_groups)
    scale = modulation(mask, rows)
    images = input.astype(np.float64).reshape(batch, deform_groups, channels // deform_groups, *size)
    samples = np.empty((batch, deform_groups, images.shape[2], *rows.shape[2:]))
    for at in np.ndindex(batch, deform_groups):
        samples[at] = interpolate(images[at], rows[at], columns[at], sampled) * scale[at]
    samples = samples.reshape(batch, groups, per_group, *rows.shape[2:])
    kernels = weight.astype(np.float64).reshape(groups, filters // groups, per_group, -1)
    result = np.einsum("ngckyx,gock->ngoyx", samples, kernels, optimize=True)
    result = result.reshape(batch, filters, *offset.shape[2:])
    if bias is not None:
        result = result + bias.astype(np.float64)[:, None, None]
    return result.astype(input.dtype)
