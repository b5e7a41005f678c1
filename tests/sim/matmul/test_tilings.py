# SPDX-License-Identifier: Apache-2.0
"""Tilings of Matmul that host code asks for: they cover the product and fit in the memories of the device."""

from __future__ import annotations

import itertools
import subprocess
from types import SimpleNamespace

import pytest

from tests.sim.api.harness import BUILD

PROGRAM = BUILD / "tests" / "sim_tilings"
NAMES = [
    "usedCoreNum",
    "M",
    "N",
    "Ka",
    "Kb",
    "singleCoreM",
    "singleCoreN",
    "singleCoreK",
    "baseM",
    "baseN",
    "baseK",
    "depthA1",
    "depthB1",
    "stepM",
    "stepN",
    "isBias",
    "transLength",
    "iterateOrder",
    "shareMode",
    "shareL1Size",
    "shareL0CSize",
    "shareUbSize",
    "batchM",
    "batchN",
    "singleBatchM",
    "singleBatchN",
    "stepKa",
    "stepKb",
    "depthAL1CacheUB",
    "depthBL1CacheUB",
    "dbL0A",
    "dbL0B",
    "dbL0C",
    "ALayoutInfoB",
    "ALayoutInfoS",
    "ALayoutInfoN",
    "ALayoutInfoG",
    "ALayoutInfoD",
    "BLayoutInfoB",
    "BLayoutInfoS",
    "BLayoutInfoN",
    "BLayoutInfoG",
    "BLayoutInfoD",
    "CLayoutInfoB",
    "CLayoutInfoS1",
    "CLayoutInfoN",
    "CLayoutInfoG",
    "CLayoutInfoS2",
    "BatchNum",
    "mxTypePara",
]
FLOAT, HALF, INT8 = 0, 1, 2
BYTES = {FLOAT: 4, HALF: 2, INT8: 1}
L0A, L0C, L1, UB = 65536, 131072, 524288 - 256, 196608 - 256


def ask(lines):
    """The tiling of each line as an object, or None where there is none, and what the search said."""
    text = "".join(" ".join(map(str, line)) + "\n" for line in lines)
    done = subprocess.run([PROGRAM], input=text, capture_output=True, text=True, timeout=60, check=True)
    rows = [[int(word) for word in row.split()] for row in done.stdout.splitlines()]
    return [
        None if row == [-1] else SimpleNamespace(**dict(zip(NAMES, row, strict=True))) for row in rows
    ], done.stderr


def tiles(size, step):
    return -(-size // step)


@pytest.mark.parametrize("dtype", [FLOAT, HALF, INT8])
def test_tilings_cover_the_product_and_fit(dtype):
    sizes = [1, 15, 16, 33, 128, 500, 2048]
    lines = [
        (cores, m, n, k, dtype, int(transposed), int(to_ub), int(biased), -1, -1, -1)
        for cores, m, n, k in itertools.product((1, 7, 48), sizes, sizes, (1, 64, 1000))
        for transposed, to_ub, biased in ((0, 0, 0), (1, 1, 1))
    ]
    found, _ = ask(lines)
    for line, t in zip(lines, found, strict=True):
        cores, m, n, k, _, _, to_ub, biased, *_ = line
        assert t is not None, line
        assert (t.M, t.N, t.Ka, t.Kb, t.isBias) == (m, n, k, k, biased), line
        assert tiles(m, t.singleCoreM) * tiles(n, t.singleCoreN) == t.usedCoreNum <= cores, line
        assert t.singleCoreK == k, line
        assert t.baseM % 16 == t.baseN % 16 == t.baseK % (32 if dtype == INT8 else 16) == 0, line
        assert t.baseM * t.baseN * 4 * t.dbL0C <= L0C, line
        assert t.baseM * t.baseK * BYTES[dtype] * t.dbL0A <= L0A, line
        assert t.baseN * t.baseK * BYTES[dtype] * t.dbL0B <= L0A, line
        l1 = (t.baseM * t.depthA1 + t.baseN * t.depthB1) * t.baseK * BYTES[dtype] + biased * t.baseN * 4
        assert l1 == t.shareL1Size <= L1, line
        assert t.depthA1 >= t.stepKa >= 1 and t.depthB1 >= t.stepKb >= 1, line
        if to_ub:
            assert t.baseM * t.baseN * 4 <= UB // 2, line


def test_large_products_use_all_cores():
    (t,), _ = ask([(24, 4096, 4096, 1024, HALF, 0, 0, 0, -1, -1, -1)])
    assert t.usedCoreNum == 24
    assert t.baseM * t.baseN * 4 == L0C
    assert t.singleCoreM * t.singleCoreN <= 1.05 * 4096 * 4096 / 24


def test_fixed_base_and_what_does_not_fit():
    (fixed, large_c, large_a), text = ask(
        [
            (2, 512, 128, 128, HALF, 0, 1, 1, 128, 64, 128),
            (1, 512, 512, 128, HALF, 0, 0, 0, 256, 256, -1),
            (1, 512, 512, 4096, HALF, 0, 0, 0, 128, 128, 512),
        ]
    )
    assert (fixed.baseM, fixed.baseN, fixed.baseK) == (128, 64, 128)
    assert fixed.singleCoreN == 64, "a core walks down one column of tiles"
    assert large_c is None and "do not fit in L0C" in text
    assert large_a is None and "baseK = 512 does not fit in L0A and L0B" in text


def test_fixed_parts_need_no_more_cores_than_there_are():
    rest = (HALF, 0, 0, 0, -1, -1, -1)
    (fits, small_k, many), text = ask(
        [
            (8, 256, 256, 1024, *rest, 128, 128, 512),
            (8, 256, 256, 1024, *rest, 128, 128, 256),
            (8, 65536, 65536, 64, *rest, 1, 1, -1),
        ]
    )
    assert (fits.usedCoreNum, fits.singleCoreK) == (8, 512)
    assert small_k is None and "parts of the given k need 16 cores, there are 8" in text
    assert many is None and "parts of the given size need more than 8 cores" in text


def test_a_in_tscm_is_whole_on_each_core():
    rest = (HALF, 0, 0, 0, -1, -1, -1, -1, -1, -1)
    (t,), _ = ask([(8, 512, 512, 64, *rest, 1, 0, 0)])
    assert (t.singleCoreM, t.singleCoreN, t.usedCoreNum) == (512, 64, 8)
    assert t.shareL1Size == t.baseN * t.baseK * t.depthB1 * 2 <= L1 // 2, (
        "no buffers for A; TSCM has half of L1"
    )


def test_nine_blocks_of_a():
    rest = (HALF, 0, 0, 0, -1, -1, -1, -1, -1, -1)
    (even, rows, deep), text = ask(
        [
            (24, 256, 512, 192, *rest, 0, 1, 0),
            (24, 1000, 1536, 192, *rest, 0, 1, 0),
            (24, 256, 512, 1024, *rest, 0, 1, 0),
        ]
    )
    assert (even.usedCoreNum, even.singleCoreM, even.singleCoreN) == (2, 256, 256)
    assert (rows.usedCoreNum, rows.singleCoreM, rows.singleCoreN) == (18, 384, 256)
    assert deep is None and "more than 3 blocks" in text


def test_sparse_products_take_whole_blocks_of_the_index():
    (t,), _ = ask([(1, 32, 32, 64, INT8, 1, 0, 0, -1, -1, -1, -1, -1, -1, 0, 0, 1)])
    assert t.baseK == 64
