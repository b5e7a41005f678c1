# SPDX-License-Identifier: Apache-2.0
"""LoadData of an image and quantising Fixpipe as API functions; tests/sim/intrinsics tests what they consist of."""

from __future__ import annotations

import numpy as np
import pytest

from .harness import Global, clean, poisoned, same
from .test_cube import expected, fractals, nz, whole


@pytest.mark.parametrize(
    "padding,repeats,boundary,words",
    [(0, 1, 0, 0), (1, 1, 0, 1), (1, 2, 0, 0), (1, 2, 1024, 0), (0, 1, 1344, 1)],
)
def test_windows_of_an_image(padding, repeats, boundary, words):
    """The first 32 columns: the first data block of the first two pixels of each 3 x 3 window.

    boundary: the byte of L1 at which the image goes on at the first byte of L1. words: parameters come in two words.
    """
    channels, height, width, m, start = 32, 6, 7, 16, 3
    image = whole((channels, height, width), "float16", 1)
    l1 = image.reshape(2, 16, height, width).transpose(0, 2, 3, 1)
    if boundary:
        seen = np.resize(l1.ravel()[: boundary // 2], l1.size).reshape(l1.shape)
        image = seen.transpose(0, 3, 1, 2).reshape(channels, height, width)
    padded = np.pad(image, ((0, 0), (padding, padding), (padding, padding)), constant_values=9)
    windows = np.lib.stride_tricks.sliding_window_view(padded, (3, 3), axis=(1, 2)).reshape(channels, -1, 9)
    rows = min(windows.shape[1] - start, m * repeats) if repeats == 1 else m * repeats
    want = np.concatenate([windows[:16, :, 0], windows[:16, :, 1]]).T[start : start + rows]
    unit = Global(nz(np.eye(32, dtype=np.float16), 16))
    ints = [height, width, channels, padding, 9, 32, rows // repeats, start, 3, repeats, boundary, words]
    got = clean("ImageProduct", [Global(l1), unit, Global(poisoned((rows, 32), "float32"))], ints=ints)[2]
    same(got, want.astype(np.float32))


@pytest.mark.parametrize("relu", [0, 1])
def test_requantised(relu):
    m, n, k = 20, 40, 32
    a, b = whole((m, k), "int8", 2), whole((k, n), "int8", 3)
    sums = expected(a, b)
    factor, offset = np.float32(0.75), -5
    word = int(factor.view(np.uint32)) | (offset & 0x1FF) << 37 | 1 << 46
    buffers = [Global(fractals(a, 16, 32)), Global(nz(b.T, 32)), Global(poisoned((m, n), "int8"))]
    got = clean("Requantised", buffers, ints=[m, n, k, word, relu])[2]
    scaled = np.rint(np.where((sums < 0) & bool(relu), 0, sums * factor))
    same(got, np.clip(scaled + offset, -128, 127).astype(np.int8))


def packed(blocks: np.ndarray) -> np.ndarray:
    """Numbers of 4 bits, two in a byte: the first one in its low half."""
    return (blocks[..., ::2] & 15 | blocks[..., 1::2] << 4).astype(np.int8)


@pytest.mark.parametrize("words,padding", [(0, 0), (0, 1), (1, 0), (1, 1)])
def test_image_of_four_bits(words, padding):
    """padding: pixels of the value 5 before the first one."""
    m, k, n = 48, 128, 16
    numbers = np.random.default_rng(4)
    a, b = numbers.integers(-8, 8, (m, k)), numbers.integers(-8, 8, (k, n))
    image = packed(a.reshape(m, k // 64, 64).transpose(1, 0, 2))  # data blocks of 64 channels, pixel by pixel
    columns = packed(b.T.reshape(n, k // 64, 64).transpose(1, 0, 2))
    buffers = [Global(image), Global(columns), Global(poisoned((m, n), "int32"))]
    want = np.concatenate([np.full((padding, k), 5), a])[:m] @ b
    same(clean("Int4Image", buffers, ints=[m, k, words, padding])[2], want.astype(np.int32))
