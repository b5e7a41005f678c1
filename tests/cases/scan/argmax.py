# SPDX-License-Identifier: Apache-2.0
from itertools import product

import numpy as np
from hypothesis import strategies as st

from ascend_vision_ops.testing import Array, Case

# Shapes around 64 lanes and around data blocks of 8 to 32 elements, along lines and across them.
SHAPES = [(1,), (7,), (64,), (65,), (130,), (2, 3, 4), (15, 17), (64, 65), (3, 1, 5), (5, 63), (9, 128)]
# Shapes around the tiles of all layouts on a Unified Buffer of 192 KB, and lines that are cut into parts.
LONG = [((3, 1100), 1), ((1100, 3), 0), ((17, 513), -1), ((2, 90, 130), 1), ((2, 3, 5000), 1), ((4097,), 0)]
LONG += [((2, 9000), 1), ((1, 20001), 1), ((7000, 5), 1), ((70, 33, 2), 1), ((9, 4099), 1), ((5, 333), 0)]
# Short lines: fewer positions than repeats of lanes, and more.
LONG += [((7000, 2), 1), ((7000, 20), 1)]
# On CPUs: few columns, whose rows are joined; columns that are not whole vectors; a few more columns than a
# block; lines of several vectors; lines of whole blocks and a part of one.
LONG += [((6, 67, 9), 1), ((5, 14, 6), 1), ((3, 50, 37), 1), ((9, 261), 0), ((30, 300), 1), ((70_001,), 0)]


def halves(rng, shape):
    """int64 of a few high halves and a few low halves, with the top bit of either half set or not."""
    high = rng.choice([-(2**31), -1, 0, 1, 2**31 - 1], shape)
    low = rng.choice([0, 1, 2**16, 2**31 - 1, 2**31, 2**32 - 1], shape)
    return np.asarray(high * 2**32 + low)


def peaks(rng, shape):
    """Zeros of both signs, a few equal maxima and a few NaNs."""
    return np.asarray(rng.choice([0.0, -0.0, np.inf, np.nan], shape, p=[0.6, 0.3994, 4e-4, 2e-4]))


def late(rng, shape):
    """NaN in the last lanes alone, which a core meets after it has searched others without NaN."""
    array = np.asarray(rng.choice([0.0, 1.0, 2.0], shape))
    array[..., -400:][rng.random((*shape[:-1], 400)) < 0.3] = np.nan
    return array


def tops(rng, shape):
    """Zeros, and from element 20,000 of a line on a few of 127: the largest int8, and as a bool the largest one."""
    array = np.where(rng.random(shape) < 3e-4, 127, 0)
    array[..., :20_000] = 0
    return array


def cases():
    for shape, dim in ((n, dim) for n in SHAPES for dim in range(-1, len(n) - 1)):
        yield Case(f"{shape} {dim}", {"self": Array(*shape, values="special"), "dim": dim})
    for shape, dim in LONG:
        for values, last in product((halves, peaks), (False, True)):
            array, text = Array(*shape, values=values), f"{shape} {dim} {values.__name__} {last}"
            yield Case(text, {"self": array, "dim": dim, "select_last_index": last})
    # Lines that go through UB in pieces, while the next one is loaded; and parts of lines, several in a tile.
    for shape, last in product(((96, 20000), (48, 60001)), (False, True)):
        args = {"self": Array(*shape, values=peaks), "dim": 1, "select_last_index": last}
        yield Case(f"{shape} 1 pieces {last}", args, ("float32", "float16"))
    # Lines whose search may end at the first of the largest numbers that there are.
    for (shape, dim), last in product((((2, 70_001), 1), ((150_001,), 0)), (False, True)):
        args = {"self": Array(*shape, values=tops), "dim": dim, "select_last_index": last}
        yield Case(f"{shape} {dim} tops {last}", args, ("bool", "int8"))
    # More columns than all cores take at once: each searches several tiles.
    for last in (False, True):
        args = {"self": Array(3, 600_001, values=late), "dim": 0, "select_last_index": last}
        yield Case(f"late NaN {last}", args, ("float32", "bfloat16"))
    for shape, dim, keepdim in product(((), (5, 6, 7)), (None, 0, -1), (False, True)):
        args = {"self": Array(*shape, values="integers"), "dim": dim, "keepdim": keepdim}
        yield Case(f"{shape} {dim} {keepdim}", {**args, "select_last_index": keepdim})
    yield from (Case(f"8-d {dim}", {"self": Array(1, 2, 1, 3, 1, 2, 1, 4), "dim": dim}) for dim in (-8, 3, 7))
    for dim in (0, 1, 2, None):
        array = Array(4, 9, 20, values="integers", layout="channels_last")
        yield Case(f"channels_last {dim}", {"self": array, "dim": dim})
    # Lines in short runs, as their results lie in another order.
    for shape, dim in product(((5, 3, 7, 6), (5, 1, 6, 7), (0, 3, 7, 6)), (0, 1, 2, 3)):
        if shape[dim]:
            array = Array(*shape, values="special", layout="channels_last")
            yield Case(f"{shape} channels_last {dim}", {"self": array, "dim": dim})
    for layout, dim in product(("strided", "transposed", "offset", "broadcast"), (0, 1, 2, None)):
        array, out = Array(4, 9, 20, values="integers", layout=layout), "" if dim is None else "strided"
        yield Case(f"{layout} {dim}", {"self": array, "dim": dim}, out=out)
    yield Case("empty elsewhere", {"self": Array(0, 5), "dim": 1})


def oracle(self, dim=None, keepdim=False, select_last_index=False):
    if not select_last_index:
        return self.argmax(dim, keepdim)
    if self.isnan().any() or self.ndim == 0:
        return None
    flipped = self.flip(list(range(self.ndim)) if dim is None else dim).argmax(dim, keepdim)
    return (self.numel() if dim is None else self.shape[dim]) - 1 - flipped


@st.composite
def strategy(draw):
    shape = draw(st.lists(st.integers(1, 40), min_size=0, max_size=3))
    rank = max(len(shape), 1)
    array = Array(*shape, values=draw(st.sampled_from(["normal", "special", "integers"])))
    flags = {"keepdim": draw(st.booleans()), "select_last_index": draw(st.booleans())}
    return {"self": array, "dim": draw(st.none() | st.integers(-rank, rank - 1)), **flags}
