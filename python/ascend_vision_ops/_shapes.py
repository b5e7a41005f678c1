# SPDX-License-Identifier: Apache-2.0
"""Arithmetic on shapes as contracts define it; right for ints and for torch's SymInt."""

from __future__ import annotations

import math
from collections.abc import Sequence


def numel(tensor) -> int:
    """The number of elements of anything with a shape."""
    return math.prod(tensor.shape)


def floor_div(a: int, b: int) -> int:
    """a // b; 0 for a zero divisor, which a later check of the contract rejects."""
    return a // b if b != 0 else 0


def floor_mod(a: int, b: int) -> int:
    """a % b; 0 for a zero divisor."""
    return a % b if b != 0 else 0


def wrap(dim: int, rank: int) -> int:
    """A dimension in [-rank, rank) as one in [0, rank)."""
    return dim + rank if dim < 0 else dim


def drop(shape: Sequence[int], dim: int, keepdim: bool) -> list[int]:
    """The shape with dimension `dim` taken out, or kept as 1; all dimensions where it is not one of them."""
    index = wrap(dim, len(shape))
    if not 0 <= index < len(shape):
        return [1] * len(shape) if keepdim else []
    return [*shape[:index], *([1] if keepdim else []), *shape[index + 1 :]]
