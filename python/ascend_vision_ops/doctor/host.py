# SPDX-License-Identifier: Apache-2.0
"""Examines the system, Python, this package and the simulated device."""

from __future__ import annotations

import json
import subprocess
from collections.abc import Iterator

import ascend_vision_ops
from ascend_vision_ops import paths

from .machine import ATTENTION, MISSING, OK, Finding, Machine, numbers

LEAST_PYTHON = (3, 10)
LIBRARIES = ("libascendc_sim.so", "libascendcl.so", "libcust_opapi.so")
SIMULATE = """
import json, os
from ascend_vision_ops import _native
print(json.dumps(_native.sim.device(os.environ.get("AVO_SIM_SOC", "Ascend910B1"))))
"""


def find_host(machine: Machine) -> Iterator[Finding]:
    known = machine.system == "Linux" and machine.processor in ("x86_64", "aarch64")
    advice = "" if known else "use Linux on x86_64 or aarch64: CANN and the simulated device need it"
    state = OK if known else MISSING if machine.system != "Linux" else ATTENTION
    yield Finding("host", "system", state, f"{machine.system} {machine.processor}", advice)
    old = numbers(machine.python) < LEAST_PYTHON
    advice = "install Python 3.10 or newer" if old else ""
    yield Finding("host", "Python", MISSING if old else OK, machine.python, advice)
    yield package()
    yield simulated(machine)


def commit() -> str:
    """Returns the commit of the source tree that this package lies in; empty where it was installed from a wheel."""
    # In a build tree the package is a folder of links into the source tree, so that a source leads there.
    source = paths.PACKAGE / "__init__.py"
    folder = source.resolve().parent
    if not (folder.parents[1] / ".git").exists():
        return ""
    command = ["git", "-C", str(folder), "describe", "--always", "--dirty", "--abbrev=12"]
    try:
        return subprocess.run(command, capture_output=True, text=True, check=True).stdout.strip()
    except (OSError, subprocess.CalledProcessError):
        return ""


def package() -> Finding:
    version = ascend_vision_ops.__version__
    found = f"{version}, commit {found}" if (found := commit()) else version
    absent = [name for name in LIBRARIES if not (paths.library_dir() / name).is_file()]
    if absent:
        return Finding(
            "package", "ascend-vision-ops", MISSING, f"{found}, without {', '.join(absent)}", "./build.sh build"
        )  # fmt: skip
    return Finding("package", "ascend-vision-ops", OK, found)


def simulated(machine: Machine) -> Finding:
    """Starts the simulated device in a process of its own."""
    from ascend_vision_ops import sim

    status, answer = machine.python_answer(SIMULATE)
    if status:
        advice = "read the message; AVO_SIM_SOC is Ascend910B1, or `./build.sh build` again"
        return Finding("package", "simulated device", MISSING, answer, advice)
    device = json.loads(answer.splitlines()[-1])
    found = f"{device['soc']}, {device['vector_cores']} vector cores"
    if sim.active():
        return Finding("package", "simulated device", OK, f"{found}; active in this process")
    if there := sim.obstacle():
        found += f"; torch_npu is not simulated here, because {there}"
    return Finding("package", "simulated device", OK, found)
