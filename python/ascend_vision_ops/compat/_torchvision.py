# SPDX-License-Identifier: Apache-2.0
"""Kernels for operators of torchvision's, registered whether torchvision is there already, later or never."""

from __future__ import annotations

import importlib.abc
import importlib.machinery
import sys
from collections.abc import Callable
from typing import Any, NamedTuple

import torch


class _Operator(NamedTuple):
    schema: str
    kernel: Callable[..., Any]


_operators: dict[str, _Operator] = {}
_registered: list[torch.library.Library] = []
# The operators themselves, where there is no torchvision to define them.
_stand_in: list[torch.library.Library] = []


def operator(schema: str) -> Callable[[Callable[..., Any]], Callable[..., Any]]:
    """Makes a function the kernel for npu tensors of the torchvision operator with this schema."""

    def keep(kernel: Callable[..., Any]) -> Callable[..., Any]:
        _operators[schema.partition("(")[0]] = _Operator(schema, kernel)
        return kernel

    return keep


def patch() -> None:
    """Registers all kernels."""
    if _registered or _stand_in:
        return
    if "torchvision" in sys.modules or _TorchvisionComes.spec() is not None:
        _register()
    else:
        _define()


def _register() -> None:
    """Kernels need no definition: that of torchvision finds them, whenever it comes."""
    library = torch.library.Library("torchvision", "IMPL")
    for name, entry in _operators.items():
        library.impl(name, entry.kernel, "PrivateUse1")
        if not name.startswith("_"):
            library.impl(name, _autocast(name), "AutocastPrivateUse1")
    _registered.append(library)


def _autocast(name: str) -> Callable[..., Any]:
    """The operator in float32, as torchvision has it under autocast on other devices."""
    half = torch.float16, torch.bfloat16

    def call(first, *rest):
        wide = [a.float() if isinstance(a, torch.Tensor) and a.dtype in half else a for a in (first, *rest)]
        with torch.autocast(first.device.type, enabled=False):
            out = getattr(torch.ops.torchvision, name)(*wide)
        return out.to(first.dtype) if out.is_floating_point() else out

    return call


def _define() -> None:
    """Operators of torchvision's schemas, which this package's operators give all there is to them."""
    library = torch.library.Library("torchvision", "FRAGMENT")
    for name, entry in _operators.items():
        library.define(entry.schema)
        library.impl(name, entry.kernel, "CompositeImplicitAutograd")
    _stand_in.append(library)
    sys.meta_path.insert(0, _TorchvisionComes())


class _TorchvisionComes(importlib.abc.MetaPathFinder):
    """Takes the stand-in away before torchvision defines its operators."""

    @staticmethod
    def spec() -> importlib.machinery.ModuleSpec | None:
        return importlib.machinery.PathFinder.find_spec("torchvision")

    def find_spec(self, fullname, path=None, target=None):
        if fullname == "torchvision" and self.spec() is not None:
            sys.meta_path.remove(self)
            _stand_in.pop()._destroy()
            _register()
        return None
