# SPDX-License-Identifier: Apache-2.0
"""Kernels for torchvision's operators, and functions in the place of those that torchvision writes in Python.

torchvision may be imported before `patch`, after it, or never.
"""

from __future__ import annotations

import importlib.abc
import importlib.machinery
import sys
from collections.abc import Callable
from types import ModuleType
from typing import Any, NamedTuple

import torch
from torch import Tensor

from ._functions import Function, replace, site


class _Operator(NamedTuple):
    """An operator that torchvision registers with torch.

    schema: as torchvision states it.
    kernel: ours for npu tensors.
    """

    schema: str
    kernel: Callable[..., Any]


_operators: dict[str, _Operator] = {}  # by name
_functions: list[Function] = []
# The library that holds the kernels, once they are registered.
_registered: list[torch.library.Library] = []
# The library that defines the operators themselves, while there is no torchvision to define them.
_stand_in: list[torch.library.Library] = []


def operator(schema: str) -> Callable[[Callable[..., Any]], Callable[..., Any]]:
    """Makes a function the kernel for npu tensors of the torchvision operator with this schema."""

    def keep(kernel: Callable[..., Any]) -> Callable[..., Any]:
        _operators[schema.partition("(")[0]] = _Operator(schema, kernel)
        return kernel

    return keep


def function(
    module: str, path: str, takes: Callable[[Tensor], bool] = lambda tensor: True
) -> Callable[[Callable[..., Any]], Callable[..., Any]]:
    """Puts the decorated function in the place of torchvision's `path` in `module`, for npu tensors that it `takes`.

    It is for what torchvision writes in Python, such as box_iou; what it registers with torch is an `operator`.
    """

    def keep(call: Callable[..., Any]) -> Callable[..., Any]:
        _functions.append(Function(module, path, call, takes))
        return call

    return keep


def patch() -> None:
    """Registers all kernels and replaces all functions.

    Raises RuntimeError where an imported torchvision lacks a function; nothing is patched then.
    """
    if _registered or _stand_in:
        return
    _replace_functions()
    if "torchvision" in sys.modules or _TorchvisionComes.spec() is not None:
        _register()
    else:
        _define()


def _replace_functions() -> None:
    """Replaces the functions of modules that are imported already now, those of other modules at their import."""
    now = [entry for entry in _functions if entry.module in sys.modules]
    later = [entry for entry in _functions if entry.module not in sys.modules]
    for entry, (owner, name) in zip(now, [site(entry) for entry in now], strict=True):
        replace(entry, owner, name)
    if later:
        sys.meta_path.insert(0, _ModuleComes(later))


class _ModuleComes(importlib.abc.MetaPathFinder):
    """Replaces functions as soon as the module that holds them is imported."""

    def __init__(self, functions: list[Function]) -> None:
        self.functions = functions

    def find_spec(self, fullname, path=None, target=None):
        entries = [entry for entry in self.functions if entry.module == fullname]
        spec = importlib.machinery.PathFinder.find_spec(fullname, path) if entries else None
        if spec is None or spec.loader is None:
            return None
        execute = spec.loader.exec_module

        def execute_and_replace(module: ModuleType) -> None:
            execute(module)
            for entry in entries:
                replace(entry, *site(entry))

        spec.loader.exec_module = execute_and_replace
        return spec


def _register() -> None:
    """Registers the kernels. They need no definition: torchvision's finds them, before or after this call."""
    library = torch.library.Library("torchvision", "IMPL")
    for name, entry in _operators.items():
        library.impl(name, entry.kernel, "PrivateUse1")
        if not name.startswith("_"):
            library.impl(name, _autocast(name), "AutocastPrivateUse1")
    _registered.append(library)


def _autocast(name: str) -> Callable[..., Any]:
    """The kernel under autocast: computes in float32, as torchvision does on other devices."""
    half = torch.float16, torch.bfloat16

    def call(first, *rest):
        wide = [a.float() if isinstance(a, torch.Tensor) and a.dtype in half else a for a in (first, *rest)]
        with torch.autocast(first.device.type, enabled=False):
            out = getattr(torch.ops.torchvision, name)(*wide)
        return out.to(first.dtype) if out.is_floating_point() else out

    return call


def _define() -> None:
    """Defines operators with torchvision's schemas. Gradients and shapes are those of our operators inside them."""
    library = torch.library.Library("torchvision", "FRAGMENT")
    for name, entry in _operators.items():
        library.define(entry.schema)
        library.impl(name, entry.kernel, "CompositeImplicitAutograd")
    _stand_in.append(library)
    sys.meta_path.insert(0, _TorchvisionComes())


class _TorchvisionComes(importlib.abc.MetaPathFinder):
    """Takes the stand-in away right before torchvision is imported, which defines the same operators."""

    @staticmethod
    def spec() -> importlib.machinery.ModuleSpec | None:
        return importlib.machinery.PathFinder.find_spec("torchvision")

    def find_spec(self, fullname, path=None, target=None):
        if fullname == "torchvision" and self.spec() is not None:
            sys.meta_path.remove(self)
            _stand_in.pop()._destroy()
            _register()
        return None
