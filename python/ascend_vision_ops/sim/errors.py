# SPDX-License-Identifier: Apache-2.0
"""What goes wrong with kernels and operators of other projects."""

from __future__ import annotations


class CompileError(RuntimeError):
    """A source does not compile or link; the message says why, and `output` has all that the compiler said."""

    def __init__(self, message: str, output: str = ""):
        super().__init__(message)
        self.output = output


class FrameworkError(RuntimeError):
    """What the operator's own host code, or the launch, says why it failed."""


class KernelFault(RuntimeError):
    """A kernel did what it must not; the message has the faults, and `reports` the reports of the launch.

    results: a list of what the kernel left in its results, where AVO_SIM_ON_FAULT=continue let it go on; else None.
    """

    def __init__(self, message: str, reports: list[dict], results: list | None = None):
        super().__init__(message)
        self.reports, self.results = reports, results
