# SPDX-License-Identifier: Apache-2.0
from hypothesis import strategies as st

from ascend_vision_ops.testing import Array, Case

# Rows, input length, output length, of the forward direction.
SIZES = [
    (16, 64, 128), (15, 64, 128), (17, 65, 130), (32, 7, 49), (2, 8, 120), (3, 5, 80), (16, 96, 32), (5, 45, 30),
    (18, 30, 45), (1, 100, 200), (1, 1023, 441), (6, 1, 7), (6, 1, 40), (6, 7, 1), (7, 40, 39), (33, 39, 40),
    (4, 3, 900), (4, 6720, 14), (2, 960, 2), (3, 480, 1), (1, 4800, 10), (2, 50, 15000), (3, 2, 3), (1, 1, 1),
    (2, 1, 5000),
]  # fmt: skip
# Lengths around the tiles of phases (16 rows, factor 2) and of gathering (one row) on a 192 KB Unified Buffer.
TILES = [(16, 328 + d, 2 * (328 + d)) for d in (-1, 0, 1)] + [(20, 2 * 328 + d, 4 * 328 + 2 * d) for d in (0, 1)]
TILES += [(1, 8176 + d, 9000) for d in (-1, 0, 1)] + [(1, 20000, 3 * 8176 + 1)]


def _case(name, rows, length, out_length, layout="dense", **extra):
    shape = (rows, length, out_length)
    return Case(
        f"{name} {shape} {extra}",
        {
            "grad_output": Array(1, rows, out_length, layout=layout),
            "output_size": [out_length],
            "input_size": [1, rows, length],
            **extra,
        },
    )


def cases():
    for rows, length, out_length in SIZES + TILES:
        for align_corners in (False, True):
            yield _case("size", rows, length, out_length, align_corners=align_corners)
    for layout in ("strided", "transposed", "offset"):
        for out_length in (26, 20, 13):
            yield _case(layout, 18, 13, out_length, layout=layout)
    for length, scales in ((10, 1.75), (10, 2.0), (10, 0.33), (1000, 2.0009), (7, 1.01), (64, 1.5)):
        yield _case("scales", 20, length, int(length * scales), scales=scales)
        yield _case("scales", 20, length, int(length * scales), scales=scales, align_corners=True)
    yield Case(
        "no signals", {"grad_output": Array(0, 3, 16), "output_size": [16], "input_size": [0, 3, 8]}
    )


def oracle(grad_output, output_size, input_size, align_corners=False, scales=None):
    import torch
    import torch.nn.functional as F

    signal = torch.zeros(input_size, dtype=grad_output.dtype, requires_grad=True)
    if signal.numel() == 0:
        return torch.zeros(input_size, dtype=grad_output.dtype)
    if scales is not None and scales > 0 and not align_corners:
        result = F.interpolate(signal, scale_factor=scales, mode="linear", recompute_scale_factor=False)
    else:
        result = F.interpolate(signal, size=output_size[0], mode="linear", align_corners=align_corners)
    return torch.autograd.grad(result, signal, grad_output)[0]


@st.composite
def strategy(draw):
    length, out_length = draw(st.integers(1, 300)), draw(st.integers(1, 700))
    shape = [draw(st.integers(0, 3)), draw(st.integers(1, 20))]
    return {
        "grad_output": Array(*shape, out_length),
        "output_size": [out_length],
        "input_size": [*shape, length],
        "align_corners": draw(st.booleans()),
    }
