# SPDX-License-Identifier: Apache-2.0
"""A finding, and the machine as far as the examination sees it. Tests describe other machines."""

from __future__ import annotations

import importlib.metadata
import os
import platform
import re
import shutil
import subprocess
import sys
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from pathlib import Path

from ascend_vision_ops.paths import PACKAGE

OK, ATTENTION, MISSING = "ok", "attention", "missing"


@dataclass(frozen=True)
class Finding:
    """One thing that was looked for.

    part: the group that it belongs to, such as "CANN".
    state: OK; ATTENTION where it is there and may not fit; MISSING where it is not there or cannot work.
    found: what was found, in a few words.
    advice: what to do about it; empty where there is nothing to do.
    """

    part: str
    item: str
    state: str
    found: str
    advice: str = ""


def installed_version(name: str) -> str:
    """Returns the version of an installed Python package; empty if there is none."""
    try:
        return importlib.metadata.version(name)
    except importlib.metadata.PackageNotFoundError:
        return ""


def numbers(version: str) -> tuple[int, ...]:
    """Returns the first numbers of a version: (8, 1) of 8.1.RC1, (2, 10, 0) of 2.10.0.post2+cpu."""
    found = re.match(r"\D*(\d+(?:\.\d+)*)", version)
    return tuple(map(int, found[1].split("."))) if found else ()


@dataclass
class Machine:
    """Where the examination looks.

    environ: the environment variables.
    root: the folder that stands for /.
    system, processor, python: what `platform` says.
    version_of: gives the version of a Python package, empty where it is not installed.
    """

    environ: Mapping[str, str] = field(default_factory=lambda: dict(os.environ))
    root: Path = Path("/")
    system: str = field(default_factory=platform.system)
    processor: str = field(default_factory=platform.machine)
    python: str = field(default_factory=platform.python_version)
    version_of: Callable[[str], str] = installed_version

    def at(self, path: str) -> Path:
        """Returns the place of an absolute path on this machine."""
        return self.root / path.lstrip("/")

    def value(self, path: Path, key: str) -> str:
        """Reads the value of `key=value` from a file of such lines; empty where the file or the key is not there."""
        try:
            lines = path.read_text(encoding="utf-8", errors="replace").splitlines()
        except OSError:
            return ""
        pairs = (line.partition("=") for line in lines)
        return next((value.strip() for name, _, value in pairs if name.strip() == key), "")

    def program(self, name: str) -> str:
        return shutil.which(name, path=self.environ.get("PATH", "")) or ""

    def answer(self, command: list[str], seconds: float = 60) -> tuple[int, str]:
        """Runs a program; returns its status and its output, or what went wrong."""
        try:
            done = subprocess.run(
                command, capture_output=True, text=True, timeout=seconds, env=dict(self.environ), errors="replace"
            )  # fmt: skip
        except subprocess.TimeoutExpired:
            return 1, f"no answer within {seconds:.0f} s"
        except OSError as error:
            return 1, str(error)
        # The last line of an error is its message.
        error = (done.stderr.strip().splitlines() or [f"it ended with status {done.returncode}"])[-1]
        return done.returncode, done.stdout.strip() if done.returncode == 0 else error

    def python_answer(self, code: str, *arguments: str) -> tuple[int, str]:
        """Runs Python code in a process of its own, which may die, with this process's package and modules."""
        paths = [str(PACKAGE.parent), *(path for path in sys.path if path)]
        environ = {**self.environ, "PYTHONPATH": os.pathsep.join(paths)}
        environ.setdefault("TORCH_DEVICE_BACKEND_AUTOLOAD", "0")
        other = Machine(environ=environ, root=self.root)
        return other.answer([sys.executable, "-c", code, *arguments])
