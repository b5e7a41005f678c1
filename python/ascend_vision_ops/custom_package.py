# SPDX-License-Identifier: Apache-2.0
"""Finds packages of custom operators that are installed beside CANN, this one's among them, and reads what their
libraries export.

CANN and torch_npu look for custom operators in this order:

    ASCEND_CUSTOM_OPP_PATH=A:B                       A, B
    $ASCEND_OPP_PATH/vendors/config.ini              load_priority=X,Y: vendors/X, vendors/Y
                                                        │
    A folder holds op_api/lib/libcust_opapi.so  ◀───────┘  and below op_impl the kernels
"""

from __future__ import annotations

import ctypes
import os
import struct
from collections.abc import Mapping
from pathlib import Path

from .paths import library_dir

LIBRARY = "op_api/lib/libcust_opapi.so"
# Every operator of this package has an entry point that begins so; CANN's build makes it of the operator definition.
OWN_PREFIX = "aclnnAvo"


def vendor_folders(environ: Mapping[str, str] = os.environ) -> list[Path]:
    """Lists the folders of custom-operator packages, in the order in which they are searched."""
    folders = [Path(part) for part in environ.get("ASCEND_CUSTOM_OPP_PATH", "").split(":") if part]
    if opp := environ.get("ASCEND_OPP_PATH"):
        vendors = Path(opp) / "vendors"
        folders += [vendors / name for name in load_priority(vendors / "config.ini")]
    return list(dict.fromkeys(folders))


def load_priority(config: Path) -> list[str]:
    """Reads the names of packages from config.ini, the first one first; none from a file that cannot be read."""
    try:
        lines = config.read_text(encoding="utf-8", errors="replace").splitlines()
    except OSError:
        return []
    for line in lines:
        key, equals, names = line.partition("=")
        if equals and key.strip() == "load_priority":
            return [name.strip() for name in names.split(",") if name.strip()]
    return []


def exported(library: Path) -> set[str]:
    """Reads the names that a 64-bit ELF library defines for others, without loading it; empty if it is none."""
    # Names that the library needs have no section; hidden and internal ones are not for others.
    return {name for name, section, visibility in _symbols(library) if section and visibility in (0, 3)}


def needed(library: Path) -> set[str]:
    """Reads the names that a 64-bit ELF library needs of others."""
    return {name for name, section, _ in _symbols(library) if not section}


def _symbols(library: Path) -> list[tuple[str, int, int]]:
    """Lists the global names of a library, each with its section and its visibility."""
    try:
        data = library.read_bytes()
        if data[:5] != b"\x7fELF\x02" or data[5] != 1:
            return []
        table, size, count = (struct.unpack_from("<Q", data, 40)[0], *struct.unpack_from("<HH", data, 58))
        sections = [struct.unpack_from("<IIQQQQIIQQ", data, table + size * index) for index in range(count)]
        found = []
        for section in sections:
            if section[1] == 11:  # the table of dynamic symbols
                found += _table(data, section[4], section[5], sections[section[6]][4])
        return found
    except (OSError, struct.error, IndexError, ValueError):
        return []


def _table(data: bytes, first: int, length: int, strings: int) -> list[tuple[str, int, int]]:
    found = []
    for place in range(first, first + length, 24):
        name, info, other, section = struct.unpack_from("<IBBH", data, place)
        if name and info >> 4 in (1, 2):
            begin = strings + name
            text = data[begin : data.index(b"\0", begin)].decode("ascii", "replace")
            found.append((text, section, other & 3))
    return found


def own_name(function: str) -> str:
    """Returns the name that --own-names gives a function which has CANN's name."""
    return function.replace("aclnn", "aclnnVision", 1)


def cann_libraries(home: str | Path) -> list[Path]:
    """Lists CANN's own operator libraries in a toolkit: one up to CANN 8.x, several in later ones."""
    return sorted(Path(home, "lib64").glob("libopapi*.so"))


def own_folder(environ: Mapping[str, str] = os.environ) -> Path | None:
    """Returns the folder of this package's custom operators; None where they are not installed."""
    for folder in vendor_folders(environ):
        if any(name.startswith(OWN_PREFIX) for name in exported(folder / LIBRARY)):
            return folder
    return None


def load() -> None:
    """Loads the custom operators that are installed beside CANN, so that the operators on npu tensors find them.

    It must come before libavo_torch_npu is loaded. That library needs libcust_opapi by its name, and the name is then
    taken: the simulated device's library of the same name, which lies beside it, is not loaded.

    Raises:
        RuntimeError: the package is not installed, or CANN's libraries are not found
    """
    folder = own_folder()
    if folder is None:
        raise RuntimeError(
            "the custom-operator package of ascend-vision-ops is not installed: no folder of ASCEND_CUSTOM_OPP_PATH "
            "or of $ASCEND_OPP_PATH/vendors/config.ini has it; see docs/npu.md, and `avo doctor` for what is there"
        )
    functions = {name for name in needed(library_dir() / "libavo_torch_npu.so") if name.startswith("aclnn")}
    if absent := sorted(functions - exported(folder / LIBRARY)):
        raise RuntimeError(
            f"{folder} lacks {', '.join(absent)}: expected the package of custom operators of the same version as this "
            "Python package, both with --own-names or both without it"
        )
    try:
        # Not RTLD_GLOBAL: libraries of CANN that call each other would find our functions of CANN's names.
        ctypes.CDLL("libnnopbase.so")
        ctypes.CDLL(str(folder / LIBRARY))
    except OSError as error:
        raise RuntimeError(f"{error}; expected CANN's environment: source its set_env.sh") from None
