# SPDX-License-Identifier: Apache-2.0
"""Calls of deformable convolution and its oracle, shared with its gradient."""

from hypothesis import strategies as st

from ascend_vision_ops.testing import Array


def between(rng, shape):
    """Offsets that lead between pixels, where differences of the result are its derivatives."""
    return rng.integers(-3, 3, shape) + rng.uniform(0.02, 0.98, shape)


def far(rng, shape):
    """Offsets that lead beyond the image, to its edge, onto pixels and nowhere."""
    strange = [float("nan"), float("inf"), -float("inf"), 1e30, -1e30, -1.0, 0.0, 1.0, 40.0]
    return rng.choice([*strange, *rng.normal(0, 4, 20)], shape)


def call(shape, filters, kernel, stride=(1, 1), padding=(1, 1), dilation=(1, 1), groups=1, deform=1, **options):
    """Arguments of a call. Options are those of its arrays, `moves` of offset's, `without` the absent tensors."""
    without, moves = options.pop("without", ()), options.pop("moves", between)
    axes = zip(shape[2:], kernel, stride, padding, dilation, strict=True)
    places = [(size + 2 * pad - gap * (k - 1) - 1) // step + 1 for size, k, step, pad, gap in axes]
    taps = deform * kernel[0] * kernel[1]
    tensors = {
        "input": Array(*shape, **options),
        "offset": Array(shape[0], 2 * taps, *places, **{**options, "values": moves}),
        "mask": Array(shape[0], taps, *places, **{"values": "uniform", **options}),
        "weight": Array(filters, shape[1] // groups, *kernel, **options),
        "bias": Array(filters, **options),
    }
    pairs = {"stride": list(stride), "padding": list(padding), "dilation": list(dilation)}
    return {**tensors, **dict.fromkeys(without), **pairs, "groups": groups, "deform_groups": deform}


def convolve(input, offset, mask, weight, bias, stride, padding, dilation, groups, deform_groups):
    """Zero-padded torch.nn.functional.grid_sample, tap by tap, and torch.einsum."""
    import torch
    import torch.nn.functional as F

    (batch, channels, height, width), (filters, _, *kernel) = input.shape, weight.shape
    if not torch.isfinite(offset).all() or batch == 0:
        return None  # grid_sample gives NaN for a position that is NaN
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


@st.composite
def calls(draw):
    pair = lambda low, high: [draw(st.integers(low, high)) for _ in range(2)]  # noqa: E731
    kernel, dilation, groups, deform = pair(1, 3), pair(1, 2), draw(st.integers(1, 3)), draw(st.integers(1, 3))
    size = [k * d + draw(st.integers(0, 9)) for k, d in zip(kernel, dilation, strict=True)]
    shape = (draw(st.integers(0, 2)), groups * deform * draw(st.integers(1, 5)), *size)
    filters = groups * draw(st.integers(1, 9))
    return call(shape, filters, kernel, pair(1, 3), pair(0, 2), dilation, groups, deform)
