# SPDX-License-Identifier: Apache-2.0
import numpy as np
from hypothesis import strategies as st

from ascend_vision_ops.testing import Array, Case, cases_module

halves = cases_module("argmax").halves

# Shapes around 16 lanes, data blocks of 8 and 16 elements, the 16 positions of a transposition, and a repeat of 64
# elements.
SHAPES = [(1,), (7,), (16,), (33,), (2, 3, 4), (15, 17), (16, 16), (17, 15)]
SHAPES += [(3, 1, 5), (64, 65), (5, 63), (2, 31, 33)]
# Shapes around the pieces of both layouts on a Unified Buffer of 192 KB, many columns, and a long line.
LONG = [((3, 1100), 1), ((1100, 3), 0), ((17, 513), -1), ((2, 300, 130), 1), ((2, 3, 5000), 0), ((4097,), 0)]
# Lines that cores share: one whose length ends within a part, several lines, and columns.
LONG += [((5003,), 0), ((3, 2500), 1), ((3001, 5), 0), ((2, 2048, 9), 1)]
# Few columns, and columns that are not whole vectors.
LONG += [((4, 70, 3), 1), ((5, 18, 10), 1), ((3, 20, 37), 1)]
# Lines that the threads of a CPU share, in parts of 16384 elements.
LONG += [((40001,), 0), ((2, 16385), 1)]


def late(rng, shape):
    """Few integers, so that many are equal, and in every other line one NaN among its last 20 elements."""
    places = np.arange(shape[1])[None] == shape[1] - rng.integers(1, 21, (shape[0], 1))
    return np.where(places & (np.arange(shape[0])[:, None] % 2 == 0), np.nan, rng.integers(-4, 5, shape))


def scattered(rng, shape):
    """Few numbers, so that many are equal; in a third of the lines no NaN, in others one in 40 elements or in 4."""
    share = np.array([0, 1 / 40, 1 / 4])[np.arange(shape[0]) % 3]
    return np.where(rng.random(shape) < share[:, None], np.nan, rng.integers(-4, 5, shape))


def cases():
    for shape, dim in [(n, dim) for n in SHAPES for dim in range(-1, len(n) - 1)] + LONG:
        for values in ("special", "integers"):
            yield Case(f"{shape} {dim} {values}", {"input": Array(*shape, values=values), "dim": dim})
        args = {"input": Array(*shape, values=halves), "dim": dim}
        yield Case(f"wide {shape} {dim}", args, dtypes=("int64",))
    # Results that outgrow the caches of a CPU: rows of columns, and lines that begin and end between whole vectors.
    for shape, dim in (((4, 140_003), 0), ((401, 1403), 1)):
        args = {"input": Array(*shape, values=late), "dim": dim}
        yield Case(f"beyond caches {shape}", args, dtypes=("float64",))
    for dim in range(3):
        yield Case(f"channels_last {dim}", {"input": Array(5, 18, 20, layout="channels_last"), "dim": dim})
    # Whole vectors without a new leader.
    for shape, dim in LONG:
        yield Case(f"{shape} {dim} normal", {"input": Array(*shape), "dim": dim})
    # Lengths around whole vectors of 2 to 16 lanes. The last vector of a line overlaps the one before it.
    for length in (1, 2, 3, 4, 5, 8, 9, 15, 16, 17, 31, 81, 128, 511, 529):
        yield Case(f"late NaN {length}", {"input": Array(40, length, values=late), "dim": 1})
    # NaN before, in and behind vectors that have none; several in one vector, which may hold several lines.
    for length in (2, 3, 5, 7, 13, 16, 37, 300):
        yield Case(f"NaNs {length}", {"input": Array(30, length, values=scattered), "dim": 1})
    yield from (Case(f"0-d {dim}", {"input": Array(), "dim": dim}) for dim in (0, -1))
    for dim in (-8, 3, 7):
        yield Case(f"8-d {dim}", {"input": Array(1, 2, 1, 3, 1, 2, 1, 4), "dim": dim})
    for layout in ("strided", "transposed", "offset", "broadcast"):
        for dim in range(3):
            args = {"input": Array(4, 9, 20, values="integers", layout=layout), "dim": dim}
            yield Case(f"{layout} {dim}", args, out="" if layout == "broadcast" else layout)
    yield Case("constant", {"input": Array(9, 40, values="constant"), "dim": 1})
    yield Case("empty", {"input": Array(3, 0, 4), "dim": 1})
    yield Case("empty elsewhere", {"input": Array(0, 5), "dim": 1})


def oracle(input, dim):
    result = input.cummax(dim)
    return result.values, result.indices


@st.composite
def strategy(draw):
    shape = draw(st.lists(st.integers(0, 40), min_size=0, max_size=3))
    rank = max(len(shape), 1)
    values = draw(st.sampled_from(["normal", "special", "integers"]))
    return {"input": Array(*shape, values=values), "dim": draw(st.integers(-rank, rank - 1))}
