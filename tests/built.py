# SPDX-License-Identifier: Apache-2.0
"""The build tree, and the programs in it that tests run. `PROGRAM --list` prints the names of a program's cases."""

from __future__ import annotations

import os
import subprocess
from pathlib import Path

import pytest

BUILD = Path(os.environ.get("AVO_BUILD", Path(__file__).parents[1] / "build" / "sim"))

# For tests of what a sanitizer takes for itself or changes.
plain_process = pytest.mark.skipif(
    "libasan" in os.environ.get("LD_PRELOAD", ""),
    reason="the address sanitizer takes malloc, the first place among libraries, all addresses, and watches all code",
)


def listed(program: Path) -> list[str]:
    """The names of a program's cases; none where it is not built."""
    if not program.exists():
        return []
    return subprocess.run([program, "--list"], capture_output=True, text=True, check=True).stdout.split()


def missing(program: Path) -> str:
    """What to say where a program is not built."""
    return f"{program} is missing: ./build.sh test builds it (AVO_BUILD names another tree)"
