# SPDX-License-Identifier: Apache-2.0
"""Replaces functions of another library that are written in Python; tensors decide at each call which one runs."""

from __future__ import annotations

import functools
import importlib
import inspect
import sys
from collections.abc import Callable
from types import ModuleType
from typing import Any, NamedTuple

from torch import Tensor


class Function(NamedTuple):
    """A function of another library, and ours for it.

    module, path: where it is found: `path` is its name in the module, or Class.method.
    call: ours, with the same signature.
    takes: whether ours can take the first tensor of a call; otherwise theirs is called.
    """

    module: str
    path: str
    call: Callable[..., Any]
    takes: Callable[[Tensor], bool]


def site(function: Function) -> tuple[Any, str]:
    """Imports the module. Gives the module or class that holds the function, and its name there.

    Raises RuntimeError where this version of the library has no such function.
    """
    owner: Any = importlib.import_module(function.module)
    *owners, name = function.path.split(".")
    for step in owners:
        owner = getattr(owner, step, None)
    if getattr(owner, name, None) is None:
        library = function.module.partition(".")[0]
        version = getattr(sys.modules[library], "__version__", "of no version")
        raise RuntimeError(
            f"patch_{library}: expected {function.module}.{function.path}, {library} {version} has none"
        )
    return owner, name


def replace(function: Function, owner: Any, name: str, on_cpu: bool = False) -> None:
    """Puts a function in the place of the other library's, for npu tensors and with `on_cpu` for cpu tensors too."""
    original = getattr(owner, name)

    @functools.wraps(original)
    def choose(*args, **kwargs):
        tensor = next((a for a in (*args, *kwargs.values()) if isinstance(a, Tensor)), None)
        ours = tensor is not None and (tensor.device.type == "npu" or on_cpu) and function.takes(tensor)
        return (function.call if ours else original)(*args, **kwargs)

    if isinstance(owner, ModuleType):
        # Modules that imported the function by its name get the new one too.
        for holder in [m for m in list(sys.modules.values()) if isinstance(m, ModuleType)]:
            for key, value in list(vars(holder).items()):
                if value is original:
                    setattr(holder, key, choose)
    elif isinstance(inspect.getattr_static(owner, name), staticmethod):
        setattr(owner, name, staticmethod(choose))
    else:
        setattr(owner, name, choose)
