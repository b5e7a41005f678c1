# SPDX-License-Identifier: Apache-2.0
"""What the simulated device counts and models while an operator runs, against the least it must move."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from ascend_vision_ops.opgen.calls import sizes_of_arguments

# Cores of a mixed launch's block that have a pipe, where not all three have it.
CORES_OF_MIXED_BLOCK = {"M": 1, "MTE1": 1, "FIX": 1, "V": 2}
# Multiply-accumulates of the cube unit a cycle and core, by bytes of an element: 16 x 16 x 16 for half types
# (published peak), a quarter of that for float32, whose published peak is a quarter.
CUBE_MACS = {2: 4096, 4: 1024}


@dataclass(frozen=True)
class Figures:
    """One call of an operator on the simulated device.

    reports: one dict a kernel launched, as the simulator gives them.
    least_bytes: bytes of the inputs and outputs, each moved once.
    outputs: elements of the results.
    device: description of the simulated device.
    least_cube_seconds: what the contract's `flops` take on the cube unit at its peak.
    trace: Chrome / Perfetto JSON of the last kernel, empty unless asked for.
    """

    reports: list[dict]
    least_bytes: int
    outputs: int
    device: dict
    least_cube_seconds: float = 0.0
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
        """The longer of the least bytes at the full bandwidth of HBM, and the product on the cube unit."""
        return 1e6 * max(self.least_bytes / self.device["hbm_bytes_per_second"], self.least_cube_seconds)

    @property
    def time_over_roofline(self) -> float:
        return self.microseconds / self.roofline_microseconds if self.least_bytes else math.nan

    @property
    def pipe_shares(self) -> dict[str, float]:
        """Of each pipe, the share of the whole time that it was busy, as a mean over the cores that have it."""
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
        """Bytes of HBM and of L2 against what these move in the whole time at full bandwidth."""
        seconds = self.microseconds * 1e-6
        hbm = sum(report["hbm_read_bytes"] + report["hbm_write_bytes"] for report in self.reports)
        moved = {"HBM": (hbm, "hbm_bytes_per_second"), "L2": (self.bytes_moved, "l2_bytes_per_second")}
        return {path: n / self.device[rate] / seconds for path, (n, rate) in moved.items()} if seconds else {}

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
    device = simulator.device(reports[0]["soc"] if reports else "Ascend910B1")
    return Figures(
        reports,
        sum(array.nbytes for array in arrays),
        sum(array.size for array in results),
        device,
        cube_seconds(operator, arguments, device),
        simulator.take_trace() if trace else "",
    )


def cube_seconds(operator: str, arguments: dict[str, object], device: dict) -> float:
    """Seconds that the contract's `flops` of a call take when all cube cores run at their peak; 0 without."""
    from ascend_vision_ops.testing.run import spec_of

    spec = spec_of(operator)
    if spec.flops is None:
        return 0.0
    item = next(value.itemsize for value in arguments.values() if isinstance(value, np.ndarray))
    peak = 2 * CUBE_MACS[item] * device["cube_cores"] * device["clock_ghz"] * 1e9
    return spec.flops.evaluate(sizes_of_arguments(spec, arguments)) / peak
