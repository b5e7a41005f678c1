# SPDX-License-Identifier: Apache-2.0
from hypothesis import strategies as st

from ascend_vision_ops.testing import Array, Case

# Shapes around 16 lanes, data blocks of 8 and 16 elements, and the 16 positions of a transposition.
SIZES = [
    (2, 3, 16, 17), (1, 1, 1, 1), (1, 5, 7, 1), (1, 3, 1, 9), (1, 15, 15, 15), (1, 2, 31, 33), (3, 17, 8, 24),
    (2, 48, 3, 5), (1, 4, 64, 64), (1, 100, 10, 2), (1, 1, 9, 32), (1, 1, 9, 81), (1, 1, 5, 529),
]  # fmt: skip
# Shapes around the pieces of both layouts on a Unified Buffer of 192 KB, and many columns.
LONG = [
    (1, 1, 300, 700), (1, 1, 4096, 3), (1, 1, 4095, 8), (1, 1, 3, 4100), (1, 2, 9, 2033), (1, 1, 2, 20000),
]  # fmt: skip
# Lines that cores share. Their lengths end within a part.
SHARED = [(1, 1, 1, 9001), (1, 3, 5011, 2), (1, 1, 4, 5000), (1, 1, 2, 33000)]


def cases():
    for mode in range(4):
        for shape in SIZES + LONG:
            yield Case(f"mode {mode} {shape}", {"input": Array(*shape), "mode": mode})
        for layout in ("strided", "transposed", "offset", "broadcast"):
            args = {"input": Array(2, 5, 12, 19, layout=layout), "mode": mode}
            yield Case(f"mode {mode} {layout}", args, out="transposed" if layout == "offset" else "")
        for values in ("special", "integers", "constant"):
            yield Case(f"mode {mode} {values}", {"input": Array(2, 3, 20, 21, values=values), "mode": mode})
        yield Case(
            f"mode {mode} results strided", {"input": Array(2, 5, 12, 19), "mode": mode}, out="strided"
        )
        # On CPUs, a vector holds several lines of 3 or 5.
        for shape in [*SHARED, (2, 48, 3, 5)]:
            args = {"input": Array(*shape, values="special"), "mode": mode}
            yield Case(f"mode {mode} {shape} special", args)
        for shape in ((0, 3, 4, 5), (2, 0, 4, 5), (2, 3, 0, 5), (2, 3, 4, 0)):
            yield Case(f"mode {mode} empty {shape}", {"input": Array(*shape), "mode": mode})


def oracle(input, mode):
    """What mmcv does with cummax: it flips before and after, for the modes that go backwards."""
    dim = 2 if mode < 2 else 3
    if input.numel() == 0:
        return input
    if mode % 2 == 0:
        return input.flip(dim).cummax(dim).values.flip(dim)
    return input.cummax(dim).values


@st.composite
def strategy(draw):
    shape = [
        draw(st.integers(0, 3)),
        draw(st.integers(1, 20)),
        draw(st.integers(1, 60)),
        draw(st.integers(1, 60)),
    ]
    return {
        "input": Array(*shape, values=draw(st.sampled_from(["normal", "special"]))),
        "mode": draw(st.integers(0, 3)),
    }
