# SPDX-License-Identifier: Apache-2.0
"""Replaces mmcv's functions for npu tensors; where mmcv has no compiled operators, for cpu tensors too."""

from __future__ import annotations

import importlib
import importlib.machinery
import importlib.util
import sys
from collections.abc import Callable
from types import ModuleType
from typing import Any

from torch import Tensor

from ._functions import Function, replace, site

_functions: list[Function] = []
_patched: list[bool] = []  # one element once mmcv is patched: whether it has compiled operators


def function(
    module: str, path: str, takes: Callable[[Tensor], bool] = lambda tensor: True
) -> Callable[[Callable[..., Any]], Callable[..., Any]]:
    """Puts the decorated function in the place of mmcv's `path` in `module`, where it `takes` a call's first tensor."""

    def keep(call: Callable[..., Any]) -> Callable[..., Any]:
        _functions.append(Function(module, path, call, takes))
        return call

    return keep


def patch() -> None:
    """Puts all functions in the place of mmcv's."""
    if _patched:
        return
    compiled = (
        importlib.util.find_spec("mmcv") is not None and importlib.util.find_spec("mmcv._ext") is not None
    )
    if not compiled:
        importlib.import_module("mmcv")
        sys.modules["mmcv._ext"] = _Extension()
    try:
        # Finds all of them first: where one is absent, nothing is patched.
        sites = [site(entry) for entry in _functions]
    except BaseException:
        if not compiled:
            del sys.modules["mmcv._ext"]
        raise
    for entry, (owner, name) in zip(_functions, sites, strict=True):
        replace(entry, owner, name, on_cpu=not compiled)
    _patched.append(compiled)


class _Extension(ModuleType):
    """Stands for the module that holds mmcv's compiled operators. Each operator in it raises an error."""

    def __init__(self) -> None:
        super().__init__("mmcv._ext", "Stands for mmcv's compiled operators.")
        self.__spec__ = importlib.machinery.ModuleSpec("mmcv._ext", None)

    def __getattr__(self, name: str) -> Callable[..., Any]:
        if name.startswith("__"):
            raise AttributeError(name)

        def absent(*args, **kwargs):
            raise RuntimeError(
                f"mmcv._ext.{name}: this mmcv has no compiled operators, and ascend_vision_ops has none in its place"
            )

        return absent
