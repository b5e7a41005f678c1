# SPDX-License-Identifier: Apache-2.0
"""What the NumPy faces do to their arguments before the native call."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np


def array(value) -> np.ndarray:
    """The argument as an array; an array stays as it is, strides and all."""
    return np.asarray(value)


def optional_array(value) -> np.ndarray | None:
    return None if value is None else np.asarray(value)


def sizes(value: int | Sequence[int], length: int) -> list[int]:
    """An int array given as a sequence, or as one int for all of its elements, as torch takes it."""
    return [int(value)] * length if isinstance(value, (int, np.integer)) else [int(size) for size in value]


def outputs(out, count: int) -> list[np.ndarray | None]:
    """The arrays or tensors of `out=`: one, a tuple of several, or None."""
    if out is None:
        return [None] * count
    given = list(out) if isinstance(out, tuple) else [out]
    if len(given) != count:
        raise ValueError(f"out: expected {count}, one for each result, got {len(given)}")
    return given
