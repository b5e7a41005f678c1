# SPDX-License-Identifier: Apache-2.0
"""What comes into L0A, L0B and L1: images as matrices, transposed fractals, rows as fractals, and fills."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np
import pytest

from tests.sim.api.harness import BITS, COUNT, Global, poisoned, same
from tests.sim.api.test_cube import expected, fractals, nz, whole

from .model import clean, fault

TYPES = ["float16", "float32", "int8"]


@dataclass(frozen=True)
class Windows:
    """Windows of `kernel` (rows, columns) on an image of channels x height x width."""

    shape: tuple[int, int, int] = (32, 6, 7)
    kernel: tuple[int, int] = (2, 3)
    stride: tuple[int, int] = (1, 1)
    dilation: tuple[int, int] = (1, 1)
    padding: tuple[int, int, int, int] = (0, 0, 0, 0)  # left, right, top, bottom
    value: int = 0  # of the padding

    def result(self) -> tuple[int, int]:
        left, right, top, bottom = self.padding
        sizes = self.shape[1] + top + bottom, self.shape[2] + left + right
        spans = ((k - 1) * d + 1 for k, d in zip(self.kernel, self.dilation, strict=True))
        return tuple((n - span) // s + 1 for n, span, s in zip(sizes, spans, self.stride, strict=True))

    def matrix(self, image) -> np.ndarray:
        """A row for each position; columns by blocks of channels, then rows and columns of the window."""
        left, right, top, bottom = self.padding
        padded = np.pad(image, ((0, 0), (top, bottom), (left, right)), constant_values=self.value)
        rows, columns = self.result()
        c0 = 32 // image.itemsize
        out = [
            padded[
                c : c + c0,
                y * self.dilation[0] :: self.stride[0],
                x * self.dilation[1] :: self.stride[1],
            ][:, :rows, :columns].reshape(min(c0, image.shape[0] - c), -1)
            for c in range(0, image.shape[0], c0)
            for y in range(self.kernel[0])
            for x in range(self.kernel[1])
        ]
        return np.concatenate(out).T

    def words(self, dtype, repeats=1 << 16) -> list[int]:
        left, right, top, bottom = self.padding
        sizes = self.shape[2] | self.shape[1] << 16
        value = np.array(self.value, dtype).tobytes()
        return [
            sizes | left << 32 | right << 40 | top << 48 | bottom << 56,
            int.from_bytes(value, "little"),
            repeats,
        ]

    def numbers(self) -> list[int]:
        return [*self.stride[::-1], *self.kernel[::-1], *self.dilation[::-1]]


def in_l1(image) -> np.ndarray:
    """Blocks of channels, and in each of them the channels of a pixel side by side; the last block may have fewer."""
    c0 = 32 // image.itemsize
    blocks = [image[c : c + c0].transpose(1, 2, 0).reshape(-1) for c in range(0, image.shape[0], c0)]
    return np.concatenate(blocks)


def shown(windows, dtype, part, *, to_b=0, transpose=0, repeats=1 << 16, size=None, check=clean, text=()):
    """Loads k_count x m_count elements from (k_start, m_start) and multiplies them with a unit matrix.

    `size`: rows and columns of what all repeats load."""
    image = whole(windows.shape, dtype, 1)
    k_count, m_count, _, _ = part
    m, k = size or (m_count, k_count)
    c0 = 32 // np.dtype(dtype).itemsize
    depth = m if to_b or transpose else k
    unit = np.eye(depth, dtype=dtype)
    other = fractals(unit, 16, c0) if to_b else nz(unit, c0)
    shape = (m, k) if to_b else (k, m) if transpose else (m, k)
    out = poisoned(shape, np.int32 if dtype == "int8" else np.float32)
    ints = [
        to_b,
        *shape,
        depth,
        *windows.words(dtype, repeats),
        *part,
        *windows.numbers(),
        transpose,
        windows.shape[0],
    ]
    buffers = [Global(in_l1(image)), Global(other), Global(out)]
    results = check(*text, "img2col", buffers, dtype=dtype, ints=ints)
    return results and results[2], windows.matrix(image)


WINDOWS = {
    "one pixel": Windows(kernel=(1, 1)),
    "windows": Windows(),
    "strides": Windows(stride=(2, 3)),
    "dilation": Windows(dilation=(3, 2)),
    "padding": Windows(padding=(2, 1, 1, 3), value=5),
    "all": Windows((32, 9, 8), (3, 2), (2, 1), (2, 3), (1, 2, 3, 0), 3),
}


@pytest.mark.parametrize("dtype", TYPES)
@pytest.mark.parametrize("windows", WINDOWS.values(), ids=WINDOWS)
def test_images_to_l0a(windows, dtype):
    c0 = 32 // np.dtype(dtype).itemsize
    rows = windows.result()[0] * windows.result()[1]
    got, matrix = shown(windows, dtype, (c0, min(rows, 32), 0, 0))
    same(got, matrix[:32, :c0].astype(got.dtype))
    start = min(rows - 3, 5)  # not at a fractal's start
    k_start = (matrix.shape[1] // c0 - 1) * c0
    got, matrix = shown(windows, dtype, (c0, 3, k_start, start))
    same(got, matrix[start : start + 3, k_start:].astype(got.dtype))


@pytest.mark.parametrize("dtype", TYPES[:2])
@pytest.mark.parametrize("way", ["transposed", "to L0B"])
@pytest.mark.parametrize("windows", WINDOWS.values(), ids=WINDOWS)
def test_transposed_images(windows, way, dtype):
    rows = windows.result()[0] * windows.result()[1]
    m = min(rows // 16 * 16, 32)
    if m == 0:
        m = rows // 4 * 4
    keywords = {"to_b": 1} if way == "to L0B" else {"transpose": 1}
    got, matrix = shown(windows, dtype, (32, m, 0, 0), **keywords)
    want = matrix[:m, :32].astype(np.float32)
    same(got, want if way == "to L0B" else want.T)


def test_channels_that_fill_no_block():
    """20 channels of half are a block of 16 and one of 4, whose pixels lie side by side."""
    windows = Windows((20, 4, 8), (1, 2))
    got, matrix = shown(windows, "float16", (40, 28, 0, 0))
    assert matrix.shape == (28, 40)
    same(got, matrix.astype(np.float32))


@pytest.mark.parametrize("dtype", TYPES[:2])
@pytest.mark.parametrize("mode", [0, 1])
def test_repeats(mode, dtype):
    """Along m every repeat starts 2 x 16 rows later, along k 2 data blocks; one matrix is the result."""
    windows = Windows((64, 10, 9), (1, 1))
    c0 = 32 // np.dtype(dtype).itemsize
    size = (32, c0) if mode == 0 else (16, 2 * c0)
    got, matrix = shown(windows, dtype, (c0, 16, 0, 0), repeats=2 | 2 << 16 | mode << 24, size=size)
    want = (
        np.concatenate([matrix[:16, :c0], matrix[32:48, :c0]])
        if mode == 0
        else np.concatenate([matrix[:16, :c0], matrix[:16, 2 * c0 : 3 * c0]], axis=1)
    )
    same(got, want.astype(np.float32))


def test_the_end_of_the_matrix_is_not_written():
    """The product asks for a row more than there are positions."""
    windows = Windows(kernel=(1, 1))
    shown(windows, "float16", (16, 48, 0, 0), size=(43, 16), check=fault, text=("Uninitialised",))


@pytest.mark.parametrize(
    "windows,text",
    [
        (Windows(stride=(64, 1)), "strideH must be in [1, 63]"),
        (Windows(kernel=(9, 1)), "the window is larger than the image"),
        (Windows((34, 6, 7)), "channelSize must be"),
    ],
)
def test_faults_of_images(windows, text):
    shape = (windows.shape[0] if windows.shape[0] == 34 else 32, *windows.shape[1:])
    image = Global(in_l1(whole((48, *shape[1:]), "float16", 1)))
    ints = [0, 16, 16, 16, *windows.words("float16"), 16, 16, 0, 0, *windows.numbers(), 0, windows.shape[0]]
    buffers = [image, Global(nz(np.eye(16, dtype=np.float16), 16)), Global(poisoned((16, 16), "float32"))]
    fault(text, "img2col", buffers, dtype="float16", ints=ints)


def test_bytes_are_not_transposed():
    part = (32, 32, 0, 0)
    shown(replace(WINDOWS["one pixel"]), "int8", part, transpose=1, check=fault, text=("neither transposed",))


# --- fractals ---------------------------------------------------------------------------------------------------------

PLAIN, TRANSPOSE, SQUARES = 0, 1, 2


def squares(a_l1, b_l1, shape, load_a, load_b, dtype):
    """load_a, load_b: index, repeats, stride, gap, way, gap of fractals."""
    m, n, k = shape
    out = poisoned((m, n), np.int32 if dtype == "int8" else np.float32)
    buffers = [Global(a_l1), Global(b_l1), Global(out)]
    return clean("squares", buffers, dtype=dtype, ints=[m, n, k, *load_a, *load_b])[2]


def test_fractals_are_chosen_and_transposed():
    a, b = whole((32, 16), "float16", 2), whole((16, 16), "float16", 3)
    other = whole((1, 256), "float16", 4)[0]
    parts = fractals(a, 16, 16).reshape(2, 256)
    # L1: other, upper half of A, other, lower half of A. B's fractal as rows, which the load transposes.
    l1 = np.concatenate([other, parts[0], other, parts[1]])
    got = squares(
        l1, fractals(b, 16, 16), (32, 16, 16), (1, 2, 2, 0, PLAIN, 0), (0, 1, 1, 0, TRANSPOSE, 0), "float16"
    )
    same(got, expected(a, b))


@pytest.mark.parametrize(
    "dtype,k,n,gap", [("float16", 16, 32, 0), ("int8", 32, 64, 1), ("float32", 16, 32, 0)]
)
def test_squares_of_b(dtype, k, n, gap):
    """B lies in L1 as its rows are (NZ); the load transposes squares. Of one byte a square is two fractals of L1."""
    c0 = 32 // np.dtype(dtype).itemsize
    a, b = whole((16, k), dtype, 5), whole((k, n), dtype, 6)
    l1 = nz(b, c0)
    repeats = n // 32 if dtype == "int8" else n // 16
    # float32: a square is two fractals side by side in L1; in L0B the second one lies a row of fractals later.
    fractal_gap = n // 16 - 1 if dtype == "float32" else 0
    got = squares(
        fractals(a, 16, c0),
        l1,
        (16, n, k),
        (0, k // c0, 1, 0, PLAIN, 0),
        (0, repeats, 1, gap, SQUARES, fractal_gap),
        dtype,
    )
    same(got, expected(a, b))


# --- L1 ---------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("dtype", TYPES)
@pytest.mark.parametrize("rows,columns", [(16, 64), (48, 40), (5, 7)])
def test_rows_become_fractals(dtype, rows, columns):
    """Two matrices, 16 rows of data blocks apart. Columns behind the last one are zero."""
    c0 = 32 // np.dtype(dtype).itemsize
    source = whole((2, rows + 1, columns + 3), dtype, 7)
    across = -(-columns // c0)
    matrix = across * rows * c0
    ints = [2, rows, columns, (rows + 1) * (columns + 3), columns + 3, rows, 1, matrix]
    out = poisoned((2, across, rows, c0), dtype)
    got = clean("nd2nz", [Global(source), Global(out)], dtype=dtype, ints=ints)[1]
    want = np.zeros((2, rows, across * c0), dtype)
    want[:, :, :columns] = source[:, :rows, :columns]
    same(got, want.reshape(2, rows, across, c0).transpose(0, 2, 1, 3))


@pytest.mark.parametrize("wide", [False, True])
def test_fills(wide):
    """Three repeats of two data blocks, one block apart, from block 1 on."""
    dtype = np.uint32 if wide else np.float16
    per_block = 32 // np.dtype(dtype).itemsize
    repeat = 3 | 2 << 16 | 1 << 32
    got = clean(
        "fill", [Global(poisoned(12 * per_block, dtype))], form=BITS if wide else COUNT, ints=[repeat, 7, 9]
    )[0]
    want = np.full((12, per_block), 7, dtype)
    want[[1, 2, 4, 5, 7, 8]] = 9
    same(got, want.reshape(-1))


def test_filled_factors():
    got = clean(
        "filled_factors",
        [Global(np.zeros(16)), Global(np.zeros(16)), Global(poisoned((16, 16), "float32"))],
        ints=[3, 5],
    )
    same(got[2], np.full((16, 16), 3 * 5 * 32, np.float32))


def test_halves_of_a_byte_are_not_transposed():
    fault("int4b_t is not transposed", "transposed_halves", [])
