# SPDX-License-Identifier: Apache-2.0
from itertools import product

from hypothesis import strategies as st

from ascend_vision_ops.testing import Array, Case, cases_module

# Image, kernel, stride, padding: the same for both axes, different ones, windows that skip inputs, whole
# images.
WINDOWS = [
    ((2, 3, 17, 19), (3, 3), (2, 2), (1, 1)), ((1, 5, 16, 16), (2, 2), (2, 2), (0, 0)),
    ((2, 2, 9, 30), (3, 2), (1, 3), (1, 0)), ((1, 2, 23, 14), (1, 5), (4, 1), (0, 2)),
    ((1, 3, 20, 21), (3, 3), (1, 1), (1, 1)), ((3, 4, 7, 7), (7, 7), (7, 7), (0, 0)),
    ((1, 1, 13, 200), (2, 3), (5, 40), (1, 1)), ((16, 1000, 3, 5), (2, 3), (1, 2), (1, 1)),
    ((1, 2, 70, 5), (40, 3), (33, 1), (20, 1)), ((1, 1, 3, 2500), (3, 3), (2, 2), (1, 1)),
]  # fmt: skip
# Windows that start in the right padding, or reach beyond it.
CEIL = [((5, 5), 2, 2, 1), ((6, 7), 3, 2, 1), ((4, 4), 2, 3, 1), ((7, 9), 3, 3, 0), ((6, 6), 3, 4, 1)]
LAYOUTS = [("strided", ""), ("transposed", "strided"), ("offset", "transposed"), ("broadcast", "offset")]
# Rows and columns around those of a tile; windows larger than the Unified Buffer. Their values are integers, whose
# long sums are exact.
TILES = [((1, 1, 2 * rows, 112), (3, 3), (2, 2), (1, 1)) for rows in (55, 56, 57)]
TILES += [((1, 1, 2, 2 * columns), (2, 2), (2, 2), (0, 0)) for columns in (1019, 1020, 1021)]
TILES += [((1, 1, 300, 301), (300, 301), (300, 301), (0, 0)), ((1, 2, 5, 6000), (5, 2500), (1, 900), (2, 10))]


def cases():
    for tiles, (shape, *window) in [(False, case) for case in WINDOWS] + [(True, case) for case in TILES]:
        args = dict(zip(("kernel_size", "stride", "padding"), map(list, window), strict=True))
        args["input"] = Array(*shape, values="integers" if tiles else "normal")
        yield Case(f"{shape} {window}", args)
    for (size, kernel, stride, padding), ceil_mode, counted in product(CEIL, (False, True), (False, True)):
        args = {"kernel_size": [kernel] * 2, "stride": [stride] * 2, "padding": [padding] * 2}
        args |= {"ceil_mode": ceil_mode, "count_include_pad": counted}
        yield Case(f"ceil {args}", {"input": Array(1, 3, *size), **args})
    for divisor in (1, 5, -3):
        args = {"input": Array(2, 3, 8, 8), "kernel_size": [3, 2], "padding": [1, 1], "ceil_mode": True}
        yield Case(f"divisor {divisor}", {**args, "divisor_override": divisor})
    args = {"kernel_size": [3, 3], "stride": [2, 1], "padding": [1, 1]}
    for values in ("special", "integers", "constant", "wide"):
        yield Case(values, {"input": Array(2, 9, 11, 13, values=values), **args})
    for layout, out in LAYOUTS:
        yield Case(f"{layout} {out}", {"input": Array(3, 4, 8, 9, layout=layout), **args}, out=out)
    yield from cases_module("_pool_vectors").vector_cases()


def oracle(input, kernel_size, stride=(), padding=0, ceil_mode=False, count_include_pad=False, **divisor):
    import torch.nn.functional as F

    return F.avg_pool2d(input, kernel_size, stride or None, padding, ceil_mode, count_include_pad, **divisor)


@st.composite
def strategy(draw):
    return {**draw(cases_module("_pool_strategy").pools()), "count_include_pad": draw(st.booleans())}
