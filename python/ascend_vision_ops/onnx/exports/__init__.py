# SPDX-License-Identifier: Apache-2.0
"""What operators of torch become in ONNX where torch's own exporter has no node, or another one, for them.

``X.py`` is about the operators of torch that operator X computes. It holds ``TRANSLATIONS``: for each overload of torch
a function that takes the overload's arguments and makes the nodes, as torch's exporter wants it.
"""

from __future__ import annotations

import importlib
import pkgutil
from collections.abc import Callable


def translations() -> dict[Callable, Callable]:
    """The translations of all modules: overload of torch -> function."""
    found: dict[Callable, Callable] = {}
    for module in pkgutil.iter_modules(__path__):
        found |= importlib.import_module(f"{__name__}.{module.name}").TRANSLATIONS
    return found
