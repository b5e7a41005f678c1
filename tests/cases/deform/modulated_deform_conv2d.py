# SPDX-License-Identifier: Apache-2.0
from itertools import product

from ascend_vision_ops.testing import Array, Case, cases_module

DEFORM, ORACLE = cases_module("_deform"), cases_module("_deform_oracle")
between, far, infinite = DEFORM.between, DEFORM.far, DEFORM.infinite
strategy, oracle = DEFORM.calls, ORACLE.convolve
# Image, filters, kernel, stride, padding, dilation.
WINDOWS = [
    ((2, 4, 9, 11), 3, (3, 3), (1, 1), (1, 1), (1, 1)), ((1, 6, 8, 7), 4, (3, 2), (2, 1), (1, 2), (1, 1)),
    ((1, 3, 12, 10), 2, (1, 3), (1, 3), (0, 1), (1, 2)), ((1, 2, 1, 1), 1, (1, 1), (1, 1), (0, 0), (1, 1)),
    ((1, 5, 6, 30), 18, (2, 2), (1, 1), (3, 4), (2, 3)), ((3, 1, 5, 5), 1, (5, 5), (1, 1), (0, 0), (1, 1)),
]  # fmt: skip
# Channels, filters, groups, deform groups. In the last two, groups and deform groups cut across each other.
GROUPS = [(4, 4, 2, 1), (4, 2, 1, 2), (4, 6, 2, 2), (8, 4, 2, 4), (8, 8, 4, 2), (6, 12, 6, 1), (5, 3, 1, 5)]
GROUPS += [(6, 6, 3, 2), (6, 4, 2, 3)]
# Depthwise, and about as many channels as a vector has lanes.
GROUPS += [(15, 15, 15, 1), (34, 68, 34, 2), (17, 17, 17, 17), (66, 66, 66, 2), (2, 8, 2, 1)]
# Channels, filters, columns of the image: about as many as a data block, a fractal or a band of positions holds.
TILES = [(channels, filters, 16) for channels, filters in ((7, 15), (8, 16), (9, 17), (64, 33), (65, 16))]
TILES += [(16, 16, columns) for columns in (15, 17, 31, 32, 33)] + [(300, 130, 9)]
# For the matrix unit of a CPU: depths and filters about as large as it takes at a time, positions as a tile has.
TILES += [(85, 31, 63), (86, 32, 64), (96, 48, 65)]
# For the CPU kernel: several tiles, images and vectors of channels. It reads some of these images in place, and copies
# others first.
IMAGES = [
    ((2, 48, 17, 41), 33, 1, ""),
    ((2, 64, 9, 40), 66, 2, "channels_last"),
    ((1, 12, 3, 5), 1, 1, "strided"),
]
LAYOUTS = [("strided", ""), ("transposed", "strided"), ("offset", "transposed"), ("broadcast", "offset")]


def cases():
    for window in WINDOWS:
        yield Case(f"{window}", DEFORM.call(*window))
    for channels, filters, groups, deform in GROUPS:
        args = DEFORM.call((2, channels, 5, 6), filters, (2, 3), groups=groups, deform=deform)
        yield Case(f"groups {groups} deform {deform} of {channels}", args)
    for channels, filters, columns in TILES:
        args = DEFORM.call((1, channels, 4, columns), filters, (3, 3))
        yield Case(f"tile {channels} {filters} {columns}", args)
    for shape, filters, deform, out in IMAGES:
        args = DEFORM.call(shape, filters, (3, 3), deform=deform, layout="channels_last")
        yield Case(f"channels last {shape} {out}", args, out=out)
    args = DEFORM.call((2, 48, 7, 40), 48, (3, 3), groups=48, layout="channels_last")
    yield Case("depthwise channels last", args, out="channels_last")
    for without in (["mask"], ["bias"], ["mask", "bias"]):
        args = DEFORM.call((2, 4, 6, 7), 5, (3, 3), deform=2, without=without)
        yield Case(f"without {without}", args)
    for moves, stride in product((far, "integers"), ((1, 1), (2, 2))):
        yield Case(
            f"wide offsets {getattr(moves, '__name__', moves)} {stride}",
            DEFORM.call((2, 3, 6, 7), 5, (3, 3), stride, moves=moves),
        )
    factors = {"input": Array(2, 5, 9, 11, values=infinite), "weight": Array(7, 5, 3, 3, values=infinite)}
    yield Case("infinities", {**DEFORM.call((2, 5, 9, 11), 7, (3, 3)), **factors})
    for layout, out in LAYOUTS:
        yield Case(f"{layout} {out}", DEFORM.call((2, 4, 5, 6), 3, (2, 2), layout=layout), out=out)
    yield Case("no images", DEFORM.call((0, 4, 5, 6), 3, (2, 2)))
