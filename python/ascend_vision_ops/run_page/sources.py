# SPDX-License-Identifier: Apache-2.0
"""Excerpts of source files for the page."""

from __future__ import annotations

from pathlib import Path

AROUND = 4  # lines before and after
MOST_BYTES = 8 << 20  # a file that is larger is no source
LONGEST = 300  # characters of a line


class Sources:
    """Collects the lines around places, and gives each file and each line once."""

    def __init__(self) -> None:
        self._files: dict[str, list[str] | None] = {}
        self._wanted: dict[str, set[int]] = {}

    def add(self, file: str, line: int, modules: tuple[str, ...] = ()) -> None:
        """Wants the lines around a place; `modules` are libraries whose folders may hold a relative file."""
        if not file or line <= 0:
            return
        if self._files.get(file) is None:
            self._files[file] = read(file, modules)
        self._wanted.setdefault(file, set()).update(range(line - AROUND, line + AROUND + 1))

    def excerpts(self) -> dict[str, dict[int, str] | None]:
        """For each file the text of the lines that were wanted; None where the file is not on this machine."""
        result: dict[str, dict[int, str] | None] = {}
        for file, wanted in self._wanted.items():
            lines = self._files[file]
            if lines is None:
                result[file] = None
                continue
            result[file] = {n: lines[n - 1][:LONGEST] for n in sorted(wanted) if 1 <= n <= len(lines)}
        return result


def read(file: str, modules: tuple[str, ...]) -> list[str] | None:
    """Reads the lines of a file. A relative name is one from the folder in which the compiler ran."""
    path = Path(file)
    folders = [Path.cwd(), *(parent for module in modules for parent in Path(module).resolve().parents)]
    for found in [path] if path.is_absolute() else [folder / path for folder in folders]:
        try:
            if found.is_file() and found.stat().st_size <= MOST_BYTES:
                return found.read_text(encoding="utf-8", errors="replace").expandtabs(4).splitlines()
        except OSError:
            continue
    return None
