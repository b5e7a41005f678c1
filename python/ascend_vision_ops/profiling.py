# SPDX-License-Identifier: Apache-2.0
"""Runs one call on the simulated device and compares its bytes and modelled time with the least possible."""

from __future__ import annotations

import math
import os
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from ascend_vision_ops.opgen.calls import sizes_of_arguments

# How many of the three cores of a block have a pipe, in a mixed launch; pipes that are not listed are in all three.
CORES_OF_MIXED_BLOCK = {"M": 1, "MTE1": 1, "FIX": 1, "V": 2}
# Multiply-accumulates of the cube unit per cycle and core, by the bytes of an element. Half types reach 16 x 16 x 16,
# and float32 a quarter of that, as in the published peaks.
CUBE_MACS = {2: 4096, 4: 1024}


@dataclass(frozen=True)
class Figures:
    """One call of an operator on the simulated device.

    reports: the simulator's report on each kernel that was launched.
    least_bytes: the bytes of all inputs and results together.
    outputs: the number of elements of the results.
    device: the description of the simulated device.
    least_cube_seconds: the time that the contract's `flops` take on the cube unit at its peak.
    trace: a JSON trace of the last kernel for Chrome or Perfetto; empty unless asked for.
    results: what the call returned.
    """

    reports: list[dict]
    least_bytes: int
    outputs: int
    device: dict
    least_cube_seconds: float = 0.0
    trace: str = ""
    results: tuple[np.ndarray, ...] = ()

    def show(self) -> None:
        """Prints the tables of `avo profile`."""
        from ascend_vision_ops.tables import console, show_figures

        show_figures(console(), self)

    @property
    def cores(self) -> int:
        """The most cores that a kernel had work for."""
        return max((report["cores"] for report in self.reports), default=0)

    @property
    def bytes_moved(self) -> int:
        """The bytes that moved between global memory and the cores, in both directions."""
        return sum(report["gm_read_bytes"] + report["gm_write_bytes"] for report in self.reports)

    @property
    def bytes_over_least(self) -> float:
        return self.bytes_moved / self.least_bytes if self.least_bytes else math.nan

    @property
    def microseconds(self) -> float:
        """The modelled time, which includes the launches."""
        return sum(report["microseconds"] for report in self.reports)

    @property
    def microseconds_range(self) -> tuple[float, float]:
        """The least and the most that the time may be, by the doubts of the cycle model's constants.

        The launches rest on the same constants, so their bounds add up.
        """
        ranges = [report["microseconds_range"] for report in self.reports]
        return sum(least for least, _ in ranges), sum(most for _, most in ranges)

    @property
    def doubts(self) -> dict[str, float]:
        """The part of the time by which each group of the cycle model's constants may move it, the largest first."""
        groups: dict[str, float] = {}
        for report in self.reports if self.microseconds else ():  # a run without a clock has no times
            for group, microseconds in report["microseconds_doubts"].items():
                groups[group] = groups.get(group, 0.0) + microseconds / self.microseconds
        return dict(sorted(groups.items(), key=lambda item: -item[1]))

    @property
    def roofline_microseconds(self) -> float:
        """The longer of two times: that of the least bytes at the full bandwidth of HBM, and `least_cube_seconds`."""
        return 1e6 * max(self.least_bytes / self.device["hbm_bytes_per_second"], self.least_cube_seconds)

    @property
    def time_over_roofline(self) -> float:
        return self.microseconds / self.roofline_microseconds if self.least_bytes else math.nan

    @property
    def pipe_shares(self) -> dict[str, float]:
        """For each pipe, the part of the whole time in which it was busy, as a mean over the cores that have it."""
        busy: dict[str, float] = {}
        for report in self.reports:
            blocks = max(report["blocks"], 1)
            mixed = report["cores"] > blocks
            for pipe, counters in report["pipes"].items():
                cores = blocks * (CORES_OF_MIXED_BLOCK.get(pipe, 3) if mixed else 1)
                busy[pipe] = busy.get(pipe, 0.0) + counters["busy_cycles"] / cores
        cycles = self.microseconds * 1e3 * self.device["clock_ghz"]
        return {pipe: value / cycles for pipe, value in busy.items()} if cycles else {}

    @property
    def path_shares(self) -> dict[str, float]:
        """The bytes through HBM and through L2, each divided by what it can move in the whole time."""
        seconds = self.microseconds * 1e-6
        hbm = sum(report["hbm_read_bytes"] + report["hbm_write_bytes"] for report in self.reports)
        moved = {"HBM": (hbm, "hbm_bytes_per_second"), "L2": (self.bytes_moved, "l2_bytes_per_second")}
        return {path: n / self.device[rate] / seconds for path, (n, rate) in moved.items()} if seconds else {}

    @property
    def scalar_accesses_per_output(self) -> float:
        return sum(report["scalar_accesses"] for report in self.reports) / max(self.outputs, 1)


def profile(
    operator: str, arguments: dict[str, object], trace: bool = False, timelines: str | Path | None = None
) -> Figures:
    """Runs one call through the aclnn entry point and returns what the simulated device counted.

    `timelines` is a folder for a file on each launch, of which `run_page.write_page` makes a page.
    """
    from ascend_vision_ops import _native, aclnn

    simulator = _native.sim
    simulator.keep_reports(True)
    simulator.trace(trace)
    simulator.take_reports()
    before = os.environ.get("AVO_SIM_TIMELINE")
    try:
        if timelines is not None:
            os.environ["AVO_SIM_TIMELINE"] = str(timelines)
        results = getattr(aclnn, operator)(**arguments)
        reports = simulator.take_reports()
    finally:
        if timelines is not None:
            del os.environ["AVO_SIM_TIMELINE"]
        if before is not None:
            os.environ["AVO_SIM_TIMELINE"] = before
        simulator.keep_reports(False)
        simulator.trace(False)
    results = results if isinstance(results, tuple) else (results,)
    arrays = [value for value in (*arguments.values(), *results) if isinstance(value, np.ndarray)]
    device = simulator.device(reports[0]["soc"] if reports else "Ascend910B1")
    return Figures(
        reports,
        sum(array.nbytes for array in arrays),
        sum(array.size for array in results),
        device,
        cube_seconds(operator, arguments, device),
        simulator.take_trace() if trace else "",
        results,
    )


def cube_seconds(operator: str, arguments: dict[str, object], device: dict) -> float:
    """Returns the seconds that the contract's `flops` take on all cube cores at their peak; 0 without `flops`."""
    from ascend_vision_ops.testing.run import spec_of

    spec = spec_of(operator)
    if spec.flops is None:
        return 0.0
    item = next(value.itemsize for value in arguments.values() if isinstance(value, np.ndarray))
    peak = 2 * CUBE_MACS[item] * device["cube_cores"] * device["clock_ghz"] * 1e9
    return spec.flops.evaluate(sizes_of_arguments(spec, arguments)) / peak
