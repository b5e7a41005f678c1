# SPDX-License-Identifier: Apache-2.0
"""Reports of the sanitizers of an instrumented build.

A sanitizer writes its reports into a folder, one file for each process (`log_path`), and the program goes on. A test
asks for new reports after each call, so it knows which call a report belongs to.
"""

from __future__ import annotations

import contextlib
import ctypes
import os
from pathlib import Path

# The environment variable with the folder, which `build.sh test --sanitize` sets.
VARIABLE = "AVO_SANITIZER_REPORTS"

_read: dict[Path, int] = {}

if VARIABLE in os.environ and "undefined" in Path(os.environ.get("AVO_BUILD", "")).name:
    # Together with the address sanitizer, GCC's undefined-behaviour runtime ignores its own `log_path`.
    with contextlib.suppress(OSError, AttributeError):
        _runtime = ctypes.CDLL("libubsan.so.1")
        _runtime.__sanitizer_set_report_path(os.fsencode(Path(os.environ[VARIABLE]) / "ubsan"))


class SanitizerError(AssertionError):
    """A sanitizer reported the last call; the message is its report."""


def new_reports() -> str:
    """Returns what sanitizers have reported in this process since the last time; empty without sanitizers."""
    folder = os.environ.get(VARIABLE)
    if not folder:
        return ""
    found = []
    for path in sorted(Path(folder).glob(f"*.{os.getpid()}")):
        text = path.read_text(encoding="utf-8", errors="replace")
        found.append(text[_read.get(path, 0) :])
        _read[path] = len(text)
    return "".join(found)


def check() -> None:
    """Raises SanitizerError if there is a new report."""
    if reports := new_reports():
        raise SanitizerError(reports)
