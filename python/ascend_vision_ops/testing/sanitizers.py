# SPDX-License-Identifier: Apache-2.0
"""What the sanitizers of an instrumented build found in this process.

They write reports into a folder, one file a process (`log_path`), and let the program go on; whoever makes a call
asks afterwards, and knows which call a report is of.
"""

from __future__ import annotations

import contextlib
import ctypes
import os
from pathlib import Path

# Set by `build.sh test --sanitize` to the folder.
VARIABLE = "AVO_SANITIZER_REPORTS"

_read: dict[Path, int] = {}

if VARIABLE in os.environ and "undefined" in Path(os.environ.get("AVO_BUILD", "")).name:
    # Beside the address sanitizer, GCC's runtime of this one does not read its own `log_path`.
    with contextlib.suppress(OSError, AttributeError):
        _runtime = ctypes.CDLL("libubsan.so.1")
        _runtime.__sanitizer_set_report_path(os.fsencode(Path(os.environ[VARIABLE]) / "ubsan"))


class SanitizerError(AssertionError):
    """A sanitizer found something in the call before; the message is its report."""


def new_reports() -> str:
    """What was reported in this process since the last call; empty without sanitizers."""
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
    """Raises SanitizerError where there is a new report."""
    if reports := new_reports():
        raise SanitizerError(reports)
