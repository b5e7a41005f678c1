# SPDX-License-Identifier: Apache-2.0
"""Functions in the place of mmcv's, for npu tensors, and where mmcv has no compiled operators for all tensors."""

from __future__ import annotations

import functools
import importlib
import importlib.machinery
import importlib.util
import inspect
import sys
from collections.abc import Callable
from types import ModuleType
from typing import Any, NamedTuple

from torch import Tensor


class _Function(NamedTuple):
    module: str
    path: str
    call: Callable[..., Any]
    takes: Callable[[Tensor], bool]


_functions: list[_Function] = []
_patched: list[bool] = []  # whether mmcv has compiled operators, once it is patched


def function(
    module: str, path: str, takes: Callable[[Tensor], bool] = lambda tensor: True
) -> Callable[[Callable[..., Any]], Callable[..., Any]]:
    """Puts a function in the place of mmcv's `path` in `module`, where `takes` says so of the first tensor."""

    def keep(call: Callable[..., Any]) -> Callable[..., Any]:
        _functions.append(_Function(module, path, call, takes))
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
        sites = [_site(entry) for entry in _functions]
    except BaseException:
        if not compiled:
            del sys.modules["mmcv._ext"]
        raise
    for entry, (owner, name) in zip(_functions, sites, strict=True):
        _replace(entry, owner, name, compiled)
    _patched.append(compiled)


def _site(entry: _Function) -> tuple[Any, str]:
    """The module or class that holds a function, and its name there."""
    module, (*owners, name) = importlib.import_module(entry.module), entry.path.split(".")
    owner: Any = module
    for step in owners:
        owner = getattr(owner, step, None)
    if getattr(owner, name, None) is None:
        version = getattr(sys.modules["mmcv"], "__version__", "of no version")
        raise RuntimeError(f"patch_mmcv: expected {entry.module}.{entry.path}, mmcv {version} has none")
    return owner, name


def _replace(entry: _Function, owner: Any, name: str, compiled: bool) -> None:
    original = getattr(owner, name)

    @functools.wraps(original)
    def choose(*args, **kwargs):
        tensor = next((a for a in (*args, *kwargs.values()) if isinstance(a, Tensor)), None)
        ours = tensor is not None and (tensor.device.type == "npu" or not compiled) and entry.takes(tensor)
        return (entry.call if ours else original)(*args, **kwargs)

    if isinstance(owner, ModuleType):
        # Whoever imported the function by its name has it too.
        for holder in [m for m in list(sys.modules.values()) if isinstance(m, ModuleType)]:
            for key, value in list(vars(holder).items()):
                if value is original:
                    setattr(holder, key, choose)
    elif isinstance(inspect.getattr_static(owner, name), staticmethod):
        setattr(owner, name, staticmethod(choose))
    else:
        setattr(owner, name, choose)


class _Extension(ModuleType):
    """What mmcv's modules look for their compiled operators in; each of them raises an error."""

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
