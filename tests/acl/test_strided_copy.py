# SPDX-License-Identifier: Apache-2.0
"""Compares the runtime's strided-copy kernel with NumPy: it makes views dense and writes them back."""

from __future__ import annotations

import numpy as np
import pytest

from tests.acl.test_acl import run

DTYPES = {1: np.int8, 2: np.int16, 4: np.int32, 8: np.int64}

# name: (shape, strides, offset), in elements
VIEWS = {
    "transposed": ((33, 65), (1, 33), 0),
    "transposed_batch": ((3, 40, 17), (680, 1, 40), 0),
    "row_slice": ((7, 31), (64, 1), 5),
    "column_slice": ((9, 16), (96, 3), 2),
    "one_column": ((50,), (13,), 1),
    "every_second": ((4, 5, 6), (240, 24, 2), 0),
    "broadcast_rows": ((12, 20), (0, 1), 3),
    "broadcast_columns": ((12, 20), (1, 0), 3),
    "broadcast_scalar": ((3, 5), (0, 0), 4),
    "size_one_dims": ((1, 6, 1, 4), (999, 8, 7, 1), 0),
    "channels_last": ((2, 3, 4, 5), (60, 1, 15, 3), 0),
    "eight_dims": ((2, 2, 3, 2, 2, 1, 2, 3), (1, 2, 4, 12, 24, 5, 48, 96), 0),
    "long_rows": ((3, 70_001), (70_100, 1), 0),
    "one_long_row": ((1, 1), (5, 5), 0),
    "gather_past_one_copy": ((9001,), (2,), 0),
}


def extent(shape, strides, offset):
    return offset + sum((size - 1) * stride for size, stride in zip(shape, strides, strict=True)) + 1


def copy(direction, item, items, view, data):
    shape, strides, offset = view
    numbers = [",".join(map(str, part)) for part in (shape, strides)]
    done = run(
        "strided_copy",
        env={"COPY": " ".join(map(str, (direction, item, items, offset, *numbers)))},
        input=data,
    )
    assert done.returncode == 0, done.stderr.decode(errors="replace")
    return done.stdout


def view_of(storage, view):
    shape, strides, offset = view
    steps = [stride * storage.itemsize for stride in strides]
    return np.lib.stride_tricks.as_strided(storage[offset:], shape, steps)


def values(dtype, count):
    return np.random.default_rng(0).integers(-100, 100, count).astype(dtype)


@pytest.mark.parametrize("item", DTYPES)
@pytest.mark.parametrize("name", VIEWS)
def test_view_becomes_dense(name, item):
    view = VIEWS[name]
    storage = values(DTYPES[item], extent(*view) + 3)
    dense = np.frombuffer(copy("in", item, storage.size, view, storage.tobytes()), DTYPES[item])
    np.testing.assert_array_equal(dense, view_of(storage, view).ravel())


@pytest.mark.parametrize("item", DTYPES)
@pytest.mark.parametrize("name", [name for name in VIEWS if not name.startswith("broadcast")])
def test_view_is_written_back_and_nothing_else(name, item):
    view = VIEWS[name]
    expected = np.zeros(extent(*view) + 3, DTYPES[item])
    dense = values(DTYPES[item], int(np.prod(view[0])))
    view_of(expected, view)[...] = dense.reshape(view[0])
    storage = np.frombuffer(copy("out", item, expected.size, view, dense.tobytes()), DTYPES[item])
    np.testing.assert_array_equal(storage, expected)
