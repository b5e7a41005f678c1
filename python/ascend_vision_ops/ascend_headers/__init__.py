# SPDX-License-Identifier: Apache-2.0
"""Runs the package's kernels as g++ compiles them against a user's own copy of CANN's AscendC headers.

    AVO_ASCEND_HEADERS=DIR           what a user sets, or passes as --ascend-headers DIR
      roots.py      finds the include folders below DIR, and their version
      compiler.py   compiles and links the library of one operator
      libraries.py  those of many operators, in the user's build folder, when sources or headers changed
    list of libraries ──AVO_SIM_KERNELS──▶ the simulated device runs them in place of the package's own kernels

Without AVO_ASCEND_HEADERS nothing of this happens. Importing this module loads nothing else.
"""

from __future__ import annotations

import os
from collections.abc import Iterable

VARIABLE = "AVO_ASCEND_HEADERS"
LIST_VARIABLE = "AVO_SIM_KERNELS"


class HeadersError(RuntimeError):
    """The headers or the compiler cannot be used; the message says why in one sentence."""


def prepare(operators: Iterable[str] | None = None) -> str:
    """Compiles kernels where AVO_ASCEND_HEADERS is set, and has the simulated device run them from now on.

    Later calls in this process and in its children do nothing, so that the first one chooses the operators. It must
    come before the first kernel is launched. An AVO_SIM_KERNELS that the user has set is left as it is.

    Args:
        operators: their names (default: all); kernels of others then fail with a message that says so

    Returns:
        the list of libraries (engine/kernel_libraries.h says what it holds); empty where neither variable is set
    """
    if (listed := os.environ.get(LIST_VARIABLE)) or not (folder := os.environ.get(VARIABLE)):
        return listed or ""
    from .libraries import build

    os.environ[LIST_VARIABLE] = str(build(folder, operators))
    return os.environ[LIST_VARIABLE]


def description() -> str:
    """Says which AscendC headers the kernels of this process are compiled against."""
    path = os.environ.get(LIST_VARIABLE)
    if not path:
        return "the simulated device's own AscendC headers"
    if os.path.isfile(path):
        with open(path, encoding="utf-8") as file:
            word, _, text = file.readline().rstrip("\n").partition("\t")
            if word == "headers":
                return text
    return f"kernel libraries in {path}"
