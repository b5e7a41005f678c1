# SPDX-License-Identifier: Apache-2.0
from itertools import product

from hypothesis import strategies as st

from ascend_vision_ops.testing import Array, Case, cases_module

FORWARD = cases_module("upsample_linear1d")
# Rows, input length, output length, of the forward direction.
SIZES = [*FORWARD.SIZES, (2, 1, 5000)]
# Lengths about as large as the tiles of phases (16 rows, factor 2) and gather (one row) in a Unified Buffer of 192 KB.
TILES = [(16, 328 + d, 2 * (328 + d)) for d in (-1, 0, 1)]
TILES += [(20, 656 + d, 2 * (656 + d)) for d in (0, 1)]
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
    for layout in ("strided", "transposed", "offset", "channels_last"):
        for out_length in (26, 20, 13):
            yield _case(layout, 18, 13, out_length, layout=layout)
    # Rows that CPUs sum together, as lanes of a vector, where they do not all follow each other; and rows that are
    # summed one by one, because most results are zero.
    sizes = (1, 8), (70, 150), (150, 7)
    for layout, (length, out_length) in product(("strided", "channels_last", "broadcast"), sizes):
        args = {"output_size": [out_length], "input_size": [3, 9, length]}
        yield Case(f"{layout} 3x9 {args}", {"grad_output": Array(3, 9, out_length, layout=layout), **args})
    for length, out_length, out in ((70, 150, "strided"), (150, 70, "transposed"), (150, 7, "strided")):
        args = {"output_size": [out_length], "input_size": [2, 17, length]}
        yield Case(f"to {out} {args}", {"grad_output": Array(2, 17, out_length), **args}, out=out)
    for length, scales in ((10, 1.75), (10, 2.0), (10, 0.33), (1000, 2.0009), (7, 1.01), (64, 1.5)):
        yield _case("scales", 20, length, int(length * scales), scales=scales)
        yield _case("scales", 20, length, int(length * scales), scales=scales, align_corners=True)
    yield Case("no signals", {"grad_output": Array(0, 3, 16), "output_size": [16], "input_size": [0, 3, 8]})


def oracle(grad_output, output_size, input_size, align_corners=False, scales=None):
    import torch

    signal = torch.zeros(input_size, dtype=grad_output.dtype, requires_grad=True)
    result = FORWARD.oracle(signal, output_size, align_corners, scales)
    if result is None or not result.requires_grad:
        return result if result is None else torch.zeros_like(signal)
    return torch.autograd.grad(result, signal, grad_output, create_graph=True)[0]


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
