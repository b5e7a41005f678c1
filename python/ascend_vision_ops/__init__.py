# SPDX-License-Identifier: Apache-2.0
"""Vision operators for Ascend NPUs, on a device or on a simulated one.

An operator has several faces, which take the same parameters in the same order, with the same defaults:

``ascend_vision_ops.<op>``            torch tensors, on cpu or npu
``ascend_vision_ops.reference.<op>``  NumPy; the specification, float64 inside
``ascend_vision_ops.cpu.<op>``        NumPy; the fast CPU kernel
``ascend_vision_ops.aclnn.<op>``      NumPy; aclnn entry point and AscendC kernel on the current device

``ascend_vision_ops.nn`` holds modules around the operators. ``ascend_vision_ops.compat`` replaces operators of
torchvision and mmcv by them.

Importing the package is cheap: torch, NumPy and the native module are loaded when they are first used.
"""

from __future__ import annotations

import importlib

__version__ = "0.1.0"

_SUBMODULES = (
    "aclnn",
    "compat",
    "cpu",
    "dtensor",
    "nn",
    "onnx",
    "ops",
    "paths",
    "reference",
    "sim",
    "testing",
    "tiling",
)


def __getattr__(name: str):
    from ascend_vision_ops._extras import named

    if name in _SUBMODULES:
        with named(f"{__name__}.{name}"):
            return importlib.import_module(f"{__name__}.{name}")
    if not name.startswith("_") and name in operators():
        # Kept, so that later accesses do not list the folder of contracts again.
        with named(f"{__name__}.{name}"):
            globals()[name] = getattr(importlib.import_module(f"{__name__}.ops"), name)
        return globals()[name]
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")


def __dir__() -> list[str]:
    return sorted([*globals(), *_SUBMODULES, *operators()])


def operators() -> list[str]:
    """Returns the names of all operators in alphabetical order: one for each contract."""
    from ascend_vision_ops.paths import contract_files

    return list(contract_files())
