# SPDX-License-Identifier: Apache-2.0
"""Prepares the arguments of the NumPy faces for the native call."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np


def array(value) -> np.ndarray:
    """Returns the argument as an array. An array stays as it is, with its strides."""
    return np.asarray(value)


def optional_array(value) -> np.ndarray | None:
    """Returns the argument as an array, or None."""
    return None if value is None else np.asarray(value)


def sizes(value: int | Sequence[int], length: int) -> list[int]:
    """Returns an int array of a length, given as a sequence or, as torch allows, as one int for all elements."""
    return [int(value)] * length if isinstance(value, (int, np.integer)) else [int(size) for size in value]


def outputs(out, count: int) -> list[np.ndarray | None]:
    """Returns the `count` arrays or tensors of `out=`, which is one, a tuple of several, or None for new ones."""
    if out is None:
        return [None] * count
    given = list(out) if isinstance(out, tuple) else [out]
    if len(given) != count:
        raise ValueError(f"out: expected {count}, one for each result, got {len(given)}")
    return given
