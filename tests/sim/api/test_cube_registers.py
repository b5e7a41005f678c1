# SPDX-License-Identifier: Apache-2.0
"""Memories of the cube core that are filled with one value, and results that registers describe."""

from __future__ import annotations

import numpy as np
import pytest

from .harness import Global, clean, fault, poisoned, same


@pytest.mark.parametrize("stride", [256, 272])
def test_filled_product_as_two_matrices(stride):
    out = poisoned(stride + 256, "float16")
    want = out.copy()
    left = np.full((16, 16), 2, np.float32)
    for first, factor in ((0, 3), (stride, 5)):
        product = left @ np.full((16, 16), factor, np.float32)
        want[first : first + 256] = product.astype(np.float16).reshape(-1)
    same(clean("FilledProduct", [Global(out)], ints=[stride])[0], want)


def test_l0c_is_not_filled():
    fault("L1 (A1, B1), L0A (A2) or L0B (B2)", "FillOfResults", [Global(poisoned(16, "float16"))])
