# SPDX-License-Identifier: Apache-2.0
"""Deformable convolution from operators of torch, for the operator and for its gradient."""


def convolve(
    input,
    offset,
    mask,
    weight,
    bias=None,
    stride=(1, 1),
    padding=(0, 0),
    dilation=(1, 1),
    groups=1,
    deform_groups=1,
):
    """Sample tap by tap with torch.nn.functional.grid_sample, padded with zeros, and multiply with torch.einsum."""
    import torch
    import torch.nn.functional as F

    (batch, channels, height, width), (filters, _, *kernel) = input.shape, weight.shape
    if not torch.isfinite(offset).all() or batch == 0:
        return None  # for a position that is NaN, grid_sample returns NaN
    taps, places = kernel[0] * kernel[1], offset.shape[2:]
    ends = zip(places, stride, padding, strict=True)
    starts = [torch.arange(count, dtype=input.dtype) * step - pad for count, step, pad in ends]
    images = input.reshape(batch * deform_groups, -1, height, width)
    moves = offset.reshape(batch * deform_groups, taps, 2, *places)
    columns = []
    for tap in range(taps):
        y = starts[0][:, None] + tap // kernel[1] * dilation[0] + moves[:, tap, 0]
        x = starts[1] + tap % kernel[1] * dilation[1] + moves[:, tap, 1]
        grid = torch.stack(((2 * x + 1) / width - 1, (2 * y + 1) / height - 1), -1)
        read = F.grid_sample(images, grid, align_corners=False)
        scale = 1 if mask is None else mask.reshape(batch * deform_groups, 1, taps, *places)[:, :, tap]
        columns.append((read * scale).reshape(batch, groups, channels // groups, *places))
    kernels = weight.reshape(groups, filters // groups, -1, taps)
    result = torch.einsum("ngckyx,gock->ngoyx", torch.stack(columns, 3), kernels).flatten(1, 2)
    return result if bias is None else result + bias[:, None, None]
