# SPDX-License-Identifier: Apache-2.0
"""What the simulated device counts and models while an operator runs, against the least it must move."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np


@dataclass(frozen=True)
class Figures:
    """One call of an operator on the simulated device.

    reports: one dict a kernel launched, as the simulator gives them.
    least_bytes: bytes of the inputs and outputs, each moved once.
    outputs: elements of the results.
    device: description of the simulated device.
    trace: Chrome / Perfetto JSON of the last kernel, empty unless asked for.
    """

    reports: list[dict]
    least_bytes: int
    outputs: int
    device: dict
    trace: str = ""

    @property
    def cores(self) -> int:
        return max((report["cores"] for report in self.reports), default=0)

    @property
    def bytes_moved(self) -> int:
        """Bytes between global memory and the cores, both ways."""
        return sum(report["gm_read_bytes"] + report["gm_write_bytes"] for report in self.reports)

    @property
    def bytes_over_least(self) -> float:
        return self.bytes_moved / self.least_bytes if self.least_bytes else math.nan

    @property
    def microseconds(self) -> float:
        """Modelled, launches included."""
        return sum(report["microseconds"] for report in self.reports)

    @property
    def roofline_microseconds(self) -> float:
        """The least bytes at the full bandwidth of HBM."""
        return self.least_bytes / self.device["hbm_bytes_per_second"] * 1e6

    @property
    def time_over_roofline(self) -> float:
        return self.microseconds / self.roofline_microseconds if self.least_bytes else math.nan

    @property
    def cube_use(self) -> float | None:
        """Share of the modelled time that the cube units of all cube cores work; None: no product was computed."""
        busy = [report["pipes"]["M"] for report in self.reports]
        if not any(pipe["instructions"] for pipe in busy):
            return None
        cycles = self.microseconds * self.device["clock_ghz"] * 1e3 * self.device["cube_cores"]
        return sum(pipe["busy_cycles"] for pipe in busy) / cycles

    @property
    def scalar_accesses_per_output(self) -> float:
        return sum(report["scalar_accesses"] for report in self.reports) / max(self.outputs, 1)


def profile(operator: str, arguments: dict[str, object], trace: bool = False) -> Figures:
    """Runs one call through the aclnn entry point and returns what was counted."""
    from ascend_vision_ops import _native, aclnn

    simulator = _native.sim
    simulator.keep_reports(True)
    simulator.trace(trace)
    simulator.take_reports()
    try:
        results = getattr(aclnn, operator)(**arguments)
        reports = simulator.take_reports()
    finally:
        simulator.keep_reports(False)
        simulator.trace(False)
    results = results if isinstance(results, tuple) else (results,)
    arrays = [value for value in (*arguments.values(), *results) if isinstance(value, np.ndarray)]
    return Figures(
        reports,
        sum(array.nbytes for array in arrays),
        sum(array.size for array in results),
        simulator.device(reports[0]["soc"] if reports else "Ascend910B1"),
        simulator.take_trace() if trace else "",
    )
