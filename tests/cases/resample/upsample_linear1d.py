# SPDX-License-Identifier: Apache-2.0
from itertools import product

from hypothesis import strategies as st

from ascend_vision_ops.testing import Array, Case

# Rows, input length, output length. 16 rows fill the vector lanes, and there are a few less and more. One row gathers.
SIZES = [
    (16, 64, 128), (15, 64, 128), (17, 65, 130), (32, 7, 49), (2, 8, 120), (3, 5, 80), (16, 96, 32), (5, 45, 30),
    (18, 30, 45), (1, 100, 200), (1, 1023, 441), (6, 1, 7), (6, 1, 40), (6, 7, 1), (7, 40, 39), (33, 39, 40),
    (4, 3, 900), (4, 6720, 14), (2, 960, 2), (3, 480, 1), (1, 4800, 10), (2, 50, 15000), (3, 2, 3), (1, 1, 1),
    (80, 1500, 3000), (2000, 5, 13), (5, 16, 32), (5, 17, 51), (5, 33, 99), (5, 500, 1501), (5, 600, 4200),
    (5, 40, 160), (5, 41, 164), (9, 120, 125), (3, 960, 1000), (5, 68, 272), (2, 40000, 9000),
    (6, 40, 17), (6, 27, 17), (6, 60, 20), (6, 14, 9)]  # fmt: skip
# Lengths about as large as the tiles of phases (16 rows, factor 2) and gather (one row) in a Unified Buffer of 192 KB.
TILES = [(rows, n, 2 * n) for rows, n in ((16, 335), (16, 336), (16, 337), (20, 672), (20, 673))]
TILES += [(1, 9000, 8176 + d) for d in (-1, 0, 1)] + [(1, 20000, 3 * 8176 + 1)]
SCALES = [(10, 1.75), (100, 4.0), (10, 0.33), (1000, 2.0009), (7, 1.01), (64, 1.5), (9, -1.0), (12, -3)]


def cases():
    for (rows, length, out_length), corners in product(SIZES + TILES, (False, True)):
        args = {"self": Array(1, rows, length), "output_size": [out_length], "align_corners": corners}
        yield Case(f"{rows}x{length}->{out_length} {corners}", args)
    for layout in ("strided", "transposed", "offset", "broadcast"):
        for out_length, out in ((26, ""), (20, "strided"), (13, "transposed"), (26, "offset")):
            args = {"self": Array(3, 6, 13, layout=layout), "output_size": [out_length]}
            yield Case(f"{layout} {out_length} {out}", args, out=out)
    # Channels-last signals, which CPUs copy first unless outputs are few; and rows of equal lengths, which are copied.
    for length, out_length in product((40, 75), (20, 75, 99)):
        args = {"self": Array(3, 18, length, layout="channels_last"), "output_size": [out_length]}
        yield Case(f"channels_last {length} {out_length}", args)
    # More channels and inputs than are copied, or computed, together.
    for shape, out_length in (((2, 40, 700), 900), ((1, 150, 300), 40)):
        args = {"self": Array(*shape, layout="channels_last"), "output_size": [out_length]}
        yield Case(f"channels_last {shape} {out_length}", args)
    # A copy that goes around the caches of a CPU.
    yield Case("copy beyond caches", {"self": Array(1, 530, 1001), "output_size": [1001]}, ("float64",))
    # Rows shorter than a vector, which do not follow each other.
    for layout, length in product(("strided", "offset"), (3, 7, 15)):
        args = {"self": Array(3, 6, length, layout=layout), "output_size": [50]}
        yield Case(f"short {layout} {length}", args, out="strided" if length == 7 else "")
    for values, corners in product(("special", "wide", "ramp"), (False, True)):
        for out_length in (80, 70, 25, 17, 40):
            args = {"output_size": [out_length], "align_corners": corners}
            yield Case(f"{values} {args}", {"self": Array(2, 9, 40, values=values), **args})
    for (length, scales), corners in product(SCALES, (False, True)):
        size = [int(length * scales) if scales > 0 else 25]
        args = {"self": Array(2, 10, length), "output_size": size, "align_corners": corners, "scales": scales}
        yield Case(f"scales {scales} {corners}", args)
    yield Case("no signals", {"self": Array(0, 3, 8), "output_size": [16]})


def oracle(self, output_size, align_corners=False, scales=None):
    import torch.nn.functional as F

    # torch computes positions in float32, which long signals show. Where our result is a copy, it adds 0 x a neighbour.
    copied = self.shape[2] == output_size[0]
    if max(self.shape[2], *output_size) > 4000 or (copied and not self.isfinite().all()):
        return None
    if len(self) == 0:
        return self.new_zeros(*self.shape[:2], *output_size)
    if scales is not None and scales > 0 and not align_corners:
        return F.interpolate(self, scale_factor=scales, mode="linear", recompute_scale_factor=False)
    return F.interpolate(self, size=output_size[0], mode="linear", align_corners=align_corners)


@st.composite
def strategy(draw):
    return {
        "self": Array(draw(st.integers(0, 3)), draw(st.integers(1, 20)), draw(st.integers(1, 300))),
        "output_size": [draw(st.integers(1, 700))],
        "align_corners": draw(st.booleans()),
    }
