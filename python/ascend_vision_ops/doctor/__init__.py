# SPDX-License-Identifier: Apache-2.0
"""Examines a machine: what the operators need, what is there, what does not fit, and what to do about it.

    machine.py      the machine, as far as the examination sees it: files, environment, programs, versions of packages
    host.py         system, Python, this package, the simulated device
    frameworks.py   torch, torch_npu, optional Python packages
    cann.py         driver, devices, CANN toolkit
    installed.py    the custom-operator package, its functions and kernels, and other packages

Nothing is changed, and no kernel is started.
"""

from __future__ import annotations

from .cann import find_cann, find_driver
from .frameworks import find_frameworks, find_optional
from .host import find_host
from .installed import find_installed
from .machine import ATTENTION, MISSING, OK, Finding, Machine

__all__ = ["ATTENTION", "MISSING", "OK", "Finding", "Machine", "examine", "runs_on"]

# What must be there for calls on a target to run. `fits` must not say "missing" of any of them.
NEEDED = {
    "sim": ("system", "Python", "simulated device"),
    "npu": ("system", "Python", "devices", "access", "CANN", "environment", "custom operators", "functions", "kernels"),
}  # fmt: skip


def examine(machine: Machine | None = None) -> list[Finding]:
    """Examines the machine, this one by default."""
    machine = machine or Machine()
    return [
        finding
        for part in (find_host, find_frameworks, find_driver, find_cann, find_installed, find_optional)
        for finding in part(machine)
    ]


def runs_on(findings: list[Finding]) -> list[str]:
    """Says where the operators can run: on the simulated device (sim), on an NPU (npu), on both, or nowhere."""
    states = {finding.item: finding.state for finding in findings}
    return [
        target
        for target, items in NEEDED.items()
        if all(states.get(item, MISSING) != MISSING for item in items)
    ]
