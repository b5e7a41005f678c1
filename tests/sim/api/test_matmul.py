# SPDX-License-Identifier: Apache-2.0
"""Compares the Matmul object with NumPy: transposed factors, odd sizes, tiles in both orders."""

from __future__ import annotations

import numpy as np
import pytest

from .harness import BFLOAT16, BITS, COUNT, Global, clean, fault, poisoned, same
from .test_cube import expected, whole

FLOATS = ["float16", BFLOAT16, "float32"]


def matmul(a, b, shape, base, *, trans=(0, 0), step=1, buffers=1, order=0, bias=None, corner=(0, 0), form=COUNT,
           out="float32", dtype="float32"):  # fmt: skip
    m, n, k = shape
    factors = [Global(np.ascontiguousarray(x.T if t else x)) for x, t in zip((a, b), trans, strict=True)]
    buffers_of_call = [*factors, Global(poisoned((m, n), out))]
    if bias is not None:
        buffers_of_call.append(Global(bias))
    ints = [m, n, k, *trans, *base, step, buffers, order, int(bias is not None), *corner]
    return clean("Matmul", buffers_of_call, dtype=dtype, dtype2=out, form=form, ints=ints)[2]


@pytest.mark.parametrize("dtype", FLOATS)
@pytest.mark.parametrize("trans", [(0, 0), (0, 1), (1, 0), (1, 1)])
@pytest.mark.parametrize(
    "shape,base", [((32, 48, 64), (32, 48, 32)), ((70, 50, 90), (32, 48, 32)), ((17, 130, 100), (64, 64, 48))]
)
def test_every_orientation(dtype, trans, shape, base):
    m, n, k = shape
    a, b = whole((m, k), dtype, 1), whole((k, n), dtype, 2)
    same(matmul(a, b, shape, base, trans=trans, step=2, buffers=2, dtype=dtype), expected(a, b))


def test_orders_buffers_and_result_types():
    shape, base = (100, 90, 120), (48, 32, 32)
    a, b = whole((100, 120), "float16", 3), whole((120, 90), "float16", 4)
    for order in (0, 1):
        for step, buffers in ((1, 1), (3, 1), (1, 2), (4, 2)):
            got = matmul(
                a, b, shape, base, step=step, buffers=buffers, order=order, out="float16", dtype="float16"
            )
            same(got, expected(a, b).astype(np.float16))


def test_bias_of_every_row():
    a, b, bias = whole((40, 64), "float16", 5), whole((64, 50), "float16", 6), whole(50, "float32", 7)
    got = matmul(a, b, (40, 50, 64), (32, 32, 32), trans=(0, 1), bias=bias, dtype="float16")
    same(got, expected(a, b) + bias)


def test_one_row():
    a, b = whole((1, 80), "float16", 8), whole((80, 20), "float16", 9)
    same(matmul(a, b, (1, 20, 80), (16, 32, 32), step=2, dtype="float16"), expected(a, b))


def test_a_corner_and_atomic_sums():
    a, b = whole((64, 32), "float32", 10), whole((32, 64), "float32", 11)
    got = matmul(a, b, (64, 64, 32), (32, 32, 32), corner=(40, 24), form=BITS)
    same(got[:40, :24], 2 * expected(a, b)[:40, :24])
    same(got[40:], poisoned((24, 64), "float32"))


def test_partial_sums():
    a, b = whole((32, 64), "float16", 12), whole((32, 64), "float16", 13)
    buffers = [Global(a), Global(b), Global(poisoned((32, 32), "float32"))]
    same(clean("MatmulPartialSums", buffers)[2], expected(a, b.T))


def test_faults():
    buffers = [Global(whole((64, 32), "float16", 14)), Global(whole((32, 32), "float16", 15))]
    fault(
        "the tile of the Iterate before is still there: missing GetTensorC",
        "MatmulUntaken",
        buffers,
        ints=[1],
    )
    fault("runs on cube cores alone", "MatmulOnVector", buffers, ints=[1])
    sizes = [32, 32, 32, 0, 0]
    buffers.append(Global(poisoned((32, 32), "float32")))
    for base, rest, text in (
        ((40, 32, 32), [1, 1], "baseM, baseN and baseK must be multiples of 16"),
        ((256, 256, 64), [1, 1], "does not fit in L0C"),
        ((32, 32, 32), [0, 1], "depthA1 and depthB1 must hold"),
    ):
        fault(text, "Matmul", buffers, dtype="float16", dtype2="float32", ints=[*sizes, *base, *rest])
