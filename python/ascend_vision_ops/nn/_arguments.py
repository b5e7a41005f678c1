# SPDX-License-Identifier: Apache-2.0
"""Checks the arguments of modules. Errors name the parameter, what was expected, and what came."""

from __future__ import annotations

from collections.abc import Sequence


def pair(name: str, value: int | Sequence[int], least: int) -> tuple[int, int]:
    """Returns two ints, given as one for both or as a pair; raises ValueError unless each is at least `least`."""
    values = tuple(value) if isinstance(value, Sequence) else (value, value)
    if len(values) != 2 or any(not isinstance(v, int) or v < least for v in values):
        raise ValueError(f"{name}: expected an int or two, each at least {least}, got {value!r}")
    return values[0], values[1]


def choice(name: str, value: str, choices: Sequence[str]) -> int:
    """Returns the index of a value among the choices; raises ValueError if it is not one of them."""
    if value not in choices:
        raise ValueError(f"{name}: expected {', '.join(choices[:-1])} or {choices[-1]}, got {value!r}")
    return choices.index(value)
