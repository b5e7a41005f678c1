# SPDX-License-Identifier: Apache-2.0
"""Examines the driver, the devices and the CANN toolkit."""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path

from ascend_vision_ops.paths import device_nodes

from .machine import ATTENTION, MISSING, OK, Finding, Machine, numbers

# Kernels compile against the AscendC headers of this CANN and of later ones.
LEAST_CANN = (8, 1)
PLACES = ("/usr/local/Ascend/cann", "/usr/local/Ascend/ascend-toolkit/latest")
# Where toolkits of 8.x and 9.x keep the headers of kernels.
HEADERS = (
    "compiler/tikcpp/tikcfw",
    "*-linux/tikcpp/tikcfw",
    "*-linux/ascendc/include/basic_api",
    "*-linux/asc/include",
)
MODULES = (
    "compiler/tikcpp/ascendc_kernel_cmake/fwk_modules",
    "*-linux/tikcpp/ascendc_kernel_cmake/fwk_modules",
)
MANAGERS = ("/dev/davinci_manager", "/dev/devmm_svm", "/dev/hisi_hdc")
GROUP_ADVICE = (
    "add the user to the group that owns them, such as HwHiAiUser, and log in again: "
    "sudo usermod -aG HwHiAiUser USER; in a container, pass --device for each of them"
)
# Asks the runtime, in a process of its own: a runtime that finds no driver may end the process.
ASK = """
import ctypes, sys
acl = ctypes.CDLL(sys.argv[1])
acl.aclInit(None)
acl.aclrtGetSocName.restype = ctypes.c_char_p
count = ctypes.c_uint32()
status = acl.aclrtGetDeviceCount(ctypes.byref(count))
name = acl.aclrtGetSocName()
sys.exit(f"aclrtGetDeviceCount returns {status}") if status else print(name.decode() if name else "", count.value)
"""


def find_driver(machine: Machine) -> Iterator[Finding]:
    home = machine.value(machine.at("/etc/ascend_install.info"), "Driver_Install_Path_Param")
    info = machine.at(f"{home or '/usr/local/Ascend'}/driver/version.info")
    version = machine.value(info, "Version")
    advice = "" if version else "install the driver and the firmware of your device, for an NPU only"
    yield Finding("device", "driver", OK if version else MISSING, version, advice)
    nodes = device_nodes(machine.root)
    if not nodes:
        advice = "there is no NPU; in a container, pass --device /dev/davinci0; without one, use the simulated device"
        yield Finding("device", "devices", MISSING, "no /dev/davinci*", advice)
        return
    yield Finding("device", "devices", OK, ", ".join(node.name for node in nodes))
    files = [*nodes, *(machine.at(name) for name in MANAGERS)]
    absent = [path.name for path in files if not path.exists()]
    closed = [path.name for path in files if path.exists() and not os.access(path, os.R_OK | os.W_OK)]
    if absent or closed:
        found = "; ".join(
            f"{text}: {', '.join(names)}" for text, names in (("not there", absent), ("no access", closed)) if names
        )  # fmt: skip
        yield Finding("device", "access", MISSING if closed else ATTENTION, found, GROUP_ADVICE)
    else:
        yield Finding("device", "access", OK, "read and write")
    yield smi(machine)


def smi(machine: Machine) -> Finding:
    program = machine.program("npu-smi")
    if not program:
        advice = "it comes with the driver; in a container, mount /usr/local/bin/npu-smi"
        return Finding("device", "npu-smi", ATTENTION, "not on PATH", advice)
    status, answer = machine.answer([program, "info"])
    if status:
        return Finding(
            "device",
            "npu-smi",
            ATTENTION,
            answer,
            "the driver does not answer: see dmesg, restart the device",
        )
    return Finding("device", "npu-smi", OK, "the driver answers")


def toolkit(machine: Machine) -> Path | None:
    """The folder of CANN that the environment names."""
    home = machine.environ.get("ASCEND_HOME_PATH") or machine.environ.get("ASCEND_TOOLKIT_HOME")
    return Path(home) if home else None


def toolkit_version(machine: Machine) -> str:
    """The version of CANN that the environment names; empty where there is none, or no file says it."""
    home = toolkit(machine)
    if home is None:
        return ""
    folders = (home / f"{machine.processor}-linux", home)
    for info in [path for folder in folders for path in sorted(folder.glob("ascend_*_install.info"))]:
        if version := machine.value(info, "version"):
            return version
    return compiler_version(machine, home)


def compiler_version(machine: Machine, home: Path) -> str:
    info = home / "compiler" / "version.info"
    return machine.value(info, "version_dir") or machine.value(info, "Version")


def find_cann(machine: Machine) -> Iterator[Finding]:
    home = toolkit(machine)
    if home is None or not home.is_dir():
        there = next((path for path in map(machine.at, PLACES) if path.is_dir()), None)
        found = f"ASCEND_HOME_PATH={home}, which is no folder" if home else ""
        advice = f"source {there}/set_env.sh" if there else "install CANN, for an NPU only: docs/npu.md"
        found = found or (f"in {there}, but ASCEND_HOME_PATH is not set" if there else "")
        yield Finding("CANN", "CANN", MISSING, found, advice)
        return
    yield version(machine, home)
    yield environment(machine, home)
    yield headers(home)
    yield modules(home)
    if device_nodes(machine.root):
        yield soc(machine, home)


def version(machine: Machine, home: Path) -> Finding:
    told, compiler = toolkit_version(machine), compiler_version(machine, home)
    found = f"{told or 'unknown version'} in {home}"
    if numbers(told) and numbers(told)[:2] < LEAST_CANN:
        wanted = ".".join(map(str, LEAST_CANN))
        advice = f"install CANN {wanted} or newer: the kernels do not compile with older headers"
        return Finding("CANN", "CANN", ATTENTION, found, advice)
    if not told:
        advice = "no file says the version: is ASCEND_HOME_PATH the folder of a toolkit?"
        return Finding("CANN", "CANN", ATTENTION, found, advice)
    # A component's own Version counts otherwise (7.6 in CANN 8.0); its version_dir counts as the toolkit's does.
    if (
        machine.value(home / "compiler" / "version.info", "version_dir")
        and numbers(compiler)[:2] != numbers(told)[:2]
    ):
        found += f", but its compiler is of {compiler}"
        return Finding(
            "CANN", "CANN", ATTENTION, found, "parts of two versions are mixed: install one version"
        )
    return Finding("CANN", "CANN", OK, found)


def environment(machine: Machine, home: Path) -> Finding:
    folders = [Path(part) for part in machine.environ.get("LD_LIBRARY_PATH", "").split(":") if part]
    absent = [name for name in ("ASCEND_OPP_PATH",) if not machine.environ.get(name)]
    if not any((folder / "libascendcl.so").exists() for folder in folders):
        absent.append("LD_LIBRARY_PATH to libascendcl.so")
    if absent:
        return Finding(
            "CANN", "environment", MISSING, f"not set: {', '.join(absent)}", f"source {home}/set_env.sh"
        )
    return Finding("CANN", "environment", OK, "set_env.sh was sourced")


def headers(home: Path) -> Finding:
    found = [path for place in HEADERS for path in sorted(home.glob(f"{place}/kernel_operator.h"))]
    if not found:
        advice = "install the toolkit, not only the runtime, to build the package of custom operators"
        return Finding("CANN", "AscendC headers", ATTENTION, f"no kernel_operator.h in {home}", advice)
    return Finding("CANN", "AscendC headers", OK, str(found[0].parent))


def modules(home: Path) -> Finding:
    """Looks for the CMake functions npu_op_*, with which the package of custom operators is built."""
    found = next((path for place in MODULES for path in home.glob(place)), None)
    if found is None:
        advice = "use CANN 8.3 or newer to build the package of custom operators; an installed one needs none of it"
        return Finding("CANN", "CMake modules", ATTENTION, f"no npu_op_* functions in {home}", advice)
    return Finding("CANN", "CMake modules", OK, str(found))


def soc(machine: Machine, home: Path) -> Finding:
    name, answer = ask_soc(machine, home)
    if not name:
        advice = "the runtime does not answer: source set_env.sh, and compare the versions of driver and CANN"
        return Finding("CANN", "SoC", MISSING, answer, advice)
    return Finding("CANN", "SoC", OK, answer)


def ask_soc(machine: Machine, home: Path) -> tuple[str, str]:
    """Returns the name of the device, empty where the runtime does not say it, and the answer in words."""
    library = home / "lib64" / "libascendcl.so"
    library = library if library.exists() else "libascendcl.so"
    status, answer = machine.python_answer(ASK, str(library))
    if status:
        return "", answer
    name, _, count = answer.splitlines()[-1].rpartition(" ")
    return name, f"{name or 'no name'}, {count} devices"
