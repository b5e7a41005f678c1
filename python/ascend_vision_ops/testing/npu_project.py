# SPDX-License-Identifier: Apache-2.0
"""Puts the entry points of the npu project in the place of the simulated device's own.

The project that users build with CANN is also built with the simulated device's toolkit (cmake/npu_project.cmake). Its
library of entry points has the name of ours. So a process that loads it first uses it in all faces:

    AVO_NPU_PROJECT=FOLDER ──▶ libcust_opapi.so of FOLDER ──▶ _native, torch_npu
"""

from __future__ import annotations

import ctypes
import os
import sys
from pathlib import Path

from ascend_vision_ops.custom_package import LIBRARY

VARIABLE = "AVO_NPU_PROJECT"
TREE = Path(__file__).absolute().parents[3]  # the build tree that this module lies in
BUILTINS = Path("sim") / "operators" / "toolkit" / "lib64" / "libopapi.so"
VENDOR = Path("npu") / "build_out" / "vendors" / "ascend_vision_ops"


def folder() -> Path | None:
    """The package folder that the environment names, or None."""
    text = os.environ.get(VARIABLE)
    return Path(text) if text else None


def built(build: Path) -> Path:
    """The package folder of a build tree."""
    return build / VENDOR


def load() -> None:
    """Loads the library of the package that the environment names; does nothing where it names none."""
    package = folder()
    if package is None:
        return
    if "ascend_vision_ops._native" in sys.modules:
        raise RuntimeError(f"{VARIABLE}: the package's own entry points are loaded already")
    os.environ["ASCEND_CUSTOM_OPP_PATH"] = str(package)
    # The inference of shapes runs for graphs alone. Here each call compares it with the results that it is given.
    os.environ["AVO_SIM_INFER"] = "1"
    # The entry points look for it by its name, which is known once the library is loaded.
    ctypes.CDLL(str(TREE / BUILTINS))
    ctypes.CDLL(str(package / LIBRARY), mode=ctypes.RTLD_GLOBAL)
