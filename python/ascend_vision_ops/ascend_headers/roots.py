# SPDX-License-Identifier: Apache-2.0
"""Finds AscendC's headers in a CANN toolkit of 8.1 or 9.x, or in a checkout of asc-devkit."""

from __future__ import annotations

import re
from dataclasses import dataclass
from pathlib import Path

from ascend_vision_ops.opgen.headers import find_roots
from ascend_vision_ops.opgen.kernel_headers import API, KEYS, TILING, include_folders

from . import HeadersError

# What the headers are of, where a file beside them says it.
VERSIONS = (
    ("include/version/cann_version.h", re.compile(r'CANN_VERSION_STR "([^"]+)"')),
    ("version.cmake", re.compile(r'set_cann_package\(\S+ VERSION "([^"]+)"')),
    ("version.info", re.compile(r"^Version=(\S+)", re.MULTILINE)),
)


@dataclass(frozen=True)
class Headers:
    """AscendC's headers below a folder.

    folder: what the user gave.
    version: such as 8.1.RC1; empty where no file says it.
    folders: the include folders, in the order in which the compiler is to search them.
    """

    folder: Path
    version: str
    folders: tuple[Path, ...]

    @property
    def own_folders(self) -> tuple[Path, ...]:
        """The folders in which all files are CANN's: beside include and impl there may be sources of a user."""
        parts = {folder: (folder / "include", folder / "impl") for folder in self.folders}
        whole = [inner if all(map(Path.is_dir, inner)) else (folder,) for folder, inner in parts.items()]
        return tuple(dict.fromkeys(folder for folders in whole for folder in folders))

    @property
    def text(self) -> str:
        return f"CANN {self.version or 'of unknown version'} in {self.folder}"


def find(given: str | Path) -> Headers:
    """Finds the headers; raises HeadersError where the folder has not all of them."""
    folder = Path(given).resolve()
    if not folder.is_dir():
        raise HeadersError(f"expected a folder with CANN's AscendC headers, got {given}, which is no folder")
    roots = find_roots(folder, KEYS)
    if missing := [key for key in KEYS if key not in roots]:
        why = f"{folder} is neither a CANN toolkit (8.1 or 9.x) nor a checkout of asc-devkit"
        if missing == [TILING]:
            why = f"{folder} lacks a header that a build of asc-devkit generates and that a CANN toolkit has"
        raise HeadersError(f"{why}: there is no {', no '.join(missing)} in it or below")
    api = roots[API]
    # Headers of the high-level API of 8.1 name others relative to its folder lib.
    high_level = [path for path in (roots[TILING], roots[TILING] / "lib") if path.is_dir()]
    found = (*include_folders({API: api}), *high_level)
    return Headers(folder, version_of(api, folder), tuple(dict.fromkeys(path.resolve() for path in found)))


def version_of(api: Path, folder: Path) -> str:
    """The version of the toolkit that an include folder is part of."""
    for place in (api, *api.parents):
        for name, pattern in VERSIONS:
            path = place / name
            if path.is_file() and (
                found := pattern.search(path.read_text(encoding="utf-8", errors="replace"))
            ):
                return found[1]
        if place == folder:
            break
    return ""
