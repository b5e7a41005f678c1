# SPDX-License-Identifier: Apache-2.0
"""Examines the package of custom operators: its place, its functions, its kernels, and other packages beside it."""

from __future__ import annotations

import os
from collections.abc import Iterator
from functools import cache
from pathlib import Path

from ascend_vision_ops.custom_package import (
    LIBRARY,
    OWN_PREFIX,
    cann_libraries,
    exported,
    own_folder,
    own_name,
    vendor_folders,
)
from ascend_vision_ops.opgen import Spec, load_spec
from ascend_vision_ops.paths import contract_files, device_nodes

from .cann import ask_soc, toolkit
from .machine import ATTENTION, MISSING, OK, Finding, Machine

PART = "operators"
KERNELS = "op_impl/ai_core/tbe/kernel"


@cache
def specs() -> tuple[Spec, ...]:
    """The contracts of this package."""
    return tuple(map(load_spec, contract_files().values()))


def documented() -> list[str]:
    """Lists the C functions that this package documents, each of which has a first phase and a second one."""
    return sorted({entry.function for spec in specs() for entry in spec.entries})


def operator_types() -> list[str]:
    """Lists the names with which the kernels of operators begin, such as AvoCummax."""
    return [spec.op_type for spec in specs() if spec.has_kernel]


def both_phases(names: set[str], functions: list[str]) -> list[str]:
    """The functions that have both phases among the names, under their own names too."""
    return [
        function
        for function in functions
        if any({name, f"{name}GetWorkspaceSize"} <= names for name in (function, own_name(function)))
    ]


def compute_unit(soc: str) -> str:
    """Returns the name under which kernels for a device are installed: ascend910b of Ascend910B1."""
    name = soc.lower()
    return next((unit for spec in specs() for unit in spec.socs if name.startswith(unit)), name)


def find_installed(machine: Machine) -> Iterator[Finding]:
    folder = own_folder(machine.environ)
    config = Path(machine.environ.get("ASCEND_OPP_PATH", "")) / "vendors" / "config.ini"
    if folder is None and config.is_file() and not os.access(config, os.R_OK):
        advice = f"ask who installed the package for: chmod 644 {config}"
        yield Finding(PART, "custom operators", MISSING, f"{config} cannot be read", advice)
        return
    if folder is None:
        searched = ", ".join(map(str, vendor_folders(machine.environ))) or "no folder"
        advice = "./build.sh package --target npu, then install dist/custom_opp_*.run: docs/npu.md"
        yield Finding(PART, "custom operators", MISSING, f"searched {searched}", f"for an NPU only: {advice}")
        return
    yield Finding(PART, "custom operators", OK, str(folder))
    functions, names = documented(), exported(folder / LIBRARY)
    there = both_phases(names, functions)
    if absent := sorted(set(functions) - set(there)):
        advice = "the package is of another version, or was built without them: build and install it again"
        found = f"{len(there)} of {len(functions)}, without {', '.join(absent)}"
        yield Finding(PART, "functions", ATTENTION if there else MISSING, found, advice)
    else:
        yield Finding(PART, "functions", OK, f"all {len(functions)} are exported")
    yield kernels(machine, folder)
    yield replaced(machine, there, names)
    yield others(machine, folder, there)


def kernels(machine: Machine, folder: Path) -> Finding:
    units = sorted(
        path.name for path in (folder / KERNELS).glob("*") if path.is_dir() and path.name != "config"
    )
    units = [unit for unit in units if next((folder / KERNELS / unit).glob("**/*.o"), None)]
    found = f"for {', '.join(units)}" if units else f"no compiled kernel below {folder / KERNELS}"
    rebuild = "build the package again for this device (ASCEND_COMPUTE_UNIT) and install it"
    if not units:
        return Finding(PART, "kernels", MISSING, found, rebuild)
    home = toolkit(machine)
    soc = ask_soc(machine, home)[0] if home and device_nodes(machine.root) else ""
    if soc and compute_unit(soc) not in units:
        return Finding(PART, "kernels", MISSING, f"{found}, none for {soc}", rebuild)
    for unit in units:
        files = {path.name for path in (folder / KERNELS / unit).glob("**/*.o")}
        if absent := [
            kind for kind in operator_types() if not any(name.startswith(f"{kind}_") for name in files)
        ]:
            return Finding(
                PART, "kernels", ATTENTION, f"{found}, without {', '.join(absent)} for {unit}", rebuild
            )
    return Finding(PART, "kernels", OK, found)


def of_cann(machine: Machine) -> set[str]:
    """The functions of CANN's own operator libraries."""
    home = toolkit(machine)
    return set().union(*map(exported, cann_libraries(home))) if home else set()


def replaced(machine: Machine, functions: list[str], names: set[str]) -> Finding:
    """Says which functions take the place of CANN's functions of the same name."""
    ours = sorted(of_cann(machine) & set(functions) & names)
    if not ours:
        return Finding(PART, "in CANN's place", OK, "none")
    advice = (
        "nothing, where that is wanted; docs/npu.md says what is handed on to CANN, and how to build without"
    )
    return Finding(PART, "in CANN's place", OK, ", ".join(ours), advice)


def others(machine: Machine, own: Path, functions: list[str]) -> Finding:
    """Says which packages that are searched before this one have functions of the same names."""
    folders = vendor_folders(machine.environ)
    shadows = {
        folder: names
        for folder in folders[: folders.index(own)]
        if (names := both_phases(exported(folder / LIBRARY), functions))
    }
    copies = [
        folder
        for folder in folders[folders.index(own) + 1 :]
        if any(name.startswith(OWN_PREFIX) for name in exported(folder / LIBRARY))
    ]
    if shadows:
        found = "; ".join(f"{folder} has {', '.join(names)}" for folder, names in shadows.items())
        advice = "put this package first, in ASCEND_CUSTOM_OPP_PATH or in load_priority of vendors/config.ini"
        return Finding(PART, "other packages", ATTENTION, found, advice)
    if copies:
        found = f"another installation of this package in {', '.join(map(str, copies))}"
        return Finding(PART, "other packages", ATTENTION, found, "remove it, unless you want to keep both")
    return Finding(PART, "other packages", OK, "none hides these functions")
