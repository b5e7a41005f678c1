# SPDX-License-Identifier: Apache-2.0
"""Modules around the operators, for tensors on cpu and npu. ``X.py`` holds the modules of operator X."""

import importlib
import pkgutil

__all__: list[str] = []
for _found in pkgutil.iter_modules(__path__):
    if not _found.name.startswith("_"):
        _module = importlib.import_module(f"{__name__}.{_found.name}")
        globals().update({name: getattr(_module, name) for name in _module.__all__})
        __all__ += _module.__all__
__all__.sort()
