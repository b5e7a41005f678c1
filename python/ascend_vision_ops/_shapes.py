# SPDX-License-Identifier: Apache-2.0
"""Arithmetic on shapes as contracts define it. It works for ints and for torch's SymInt."""

from __future__ import annotations

import math
from collections.abc import Sequence


def numel(tensor) -> int:
    """Returns the number of elements of anything that has a shape."""
    return math.prod(tensor.shape)


def floor_div(a: int, b: int) -> int:
    """Returns a // b; 0 if b is 0, which a later check of the contract rejects."""
    return a // b if b != 0 else 0


def floor_mod(a: int, b: int) -> int:
    """Returns a % b; 0 if b is 0."""
    return a % b if b != 0 else 0


def wrap(dim: int, rank: int) -> int:
    """Returns the dimension in [0, rank) that `dim`, in [-rank, rank), means."""
    return dim + rank if dim < 0 else dim


def drop(shape: Sequence[int], dim: int, keepdim: bool) -> list[int]:
    """Returns the shape without dimension `dim`, or with 1 in its place if `keepdim`.

    If `dim` is not a dimension of the shape, all dimensions are dropped.
    """
    index = wrap(dim, len(shape))
    if not 0 <= index < len(shape):
        return [1] * len(shape) if keepdim else []
    return [*shape[:index], *([1] if keepdim else []), *shape[index + 1 :]]
