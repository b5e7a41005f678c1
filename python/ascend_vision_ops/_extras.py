# SPDX-License-Identifier: Apache-2.0
"""Says which extra of the package brings a module that is not installed."""

from __future__ import annotations

import importlib.util
from collections.abc import Iterator
from contextlib import contextmanager


def wanted_by_pip(module: str) -> str:
    """Returns what pip is to install for a module: the extra of this package that brings it, or else its own name."""
    import importlib.metadata
    import re

    try:
        requirements = importlib.metadata.requires("ascend-vision-ops") or []
    except importlib.metadata.PackageNotFoundError:  # a tree that was built and not installed
        requirements = []
    for requirement in requirements:
        found = re.match(r"([\w.-]+).*extra == .(\w+)", requirement)
        if found and found[1].replace("-", "_").lower() == module.lower():
            return f"'ascend-vision-ops[{found[2]}]'"
    return module


def advice(what: str, module: str) -> str:
    """Says that something needs a module, and how to install it."""
    return f"{what} needs the Python package {module}, which is not installed: pip install {wanted_by_pip(module)}"


def need(module: str, what: str) -> None:
    """Raises a ModuleNotFoundError with advice where a module is not installed."""
    if importlib.util.find_spec(module) is None:
        raise ModuleNotFoundError(advice(what, module), name=module)


@contextmanager
def named(what: str) -> Iterator[None]:
    """Gives the advice for a module of another package that cannot be found in the block."""
    try:
        yield
    except ModuleNotFoundError as error:
        module = (error.name or "").partition(".")[0]
        if module in ("", __package__) or "pip install" in str(error):
            raise
        raise ModuleNotFoundError(advice(what, module), name=error.name) from error
