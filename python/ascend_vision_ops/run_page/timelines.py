# SPDX-License-Identifier: Apache-2.0
"""Reads the files that the simulated device writes for each launch; sim/ascendc/engine/timeline.h describes them."""

from __future__ import annotations

import base64
import json
from collections import defaultdict
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from typing import NamedTuple

import numpy as np

# What an instruction waited for; the numbers are those of sim/ascendc/engine/waits.h.
CAUSES = ("nothing", "issue", "flag", "barrier", "drain", "meeting", "cross-core")
_WORDS = ("start", "length", "site", "bytes", "waited", "cause", "who", "whose", "stalled")
SLICE = np.dtype([(word, "<u4") for word in _WORDS])
WHO_PIPES = ("S", "V", "M", "MTE1", "MTE2", "MTE3", "FIX")  # `who` is the number of a pipe + 16 * core


class Site(NamedTuple):
    """A call of an API function. line 0: not known. calls: from the kernel's entry to the call."""

    name: str
    file: str
    line: int
    calls: str


@dataclass(frozen=True)
class Row:
    """What one pipe of one core did, by start. Times are in ticks."""

    core: int
    cube: bool
    pipe: str
    slices: np.ndarray

    @cached_property
    def ends(self) -> np.ndarray:
        return self.slices["start"].astype(np.int64) + self.slices["length"]

    @cached_property
    def busy(self) -> tuple[np.ndarray, np.ndarray]:
        """Times, and how many ticks the pipe was busy until each. Instructions overlap by their latency."""
        reached = np.maximum.accumulate(self.ends)
        begins = np.maximum(self.slices["start"], np.concatenate(([0], reached[:-1])))
        lengths = np.maximum(reached - begins, 0)
        total = np.cumsum(lengths)
        times = np.stack((begins, np.maximum(reached, begins)), axis=1).ravel()
        return times, np.stack((total - lengths, total), axis=1).ravel()


@dataclass(frozen=True)
class Launch:
    """One launch of a kernel.

    report: what the device counted, with the faults.
    start: ticks until the first core starts.
    tick: cycles.
    modules: the libraries that hold the kernels, by which relative source files are found.
    """

    report: dict
    device: dict = field(default_factory=dict)
    start: float = 0.0
    tick: float = 1.0
    sites: tuple[Site, ...] = ()
    modules: tuple[str, ...] = ()
    rows: tuple[Row, ...] = ()

    @property
    def kernel(self) -> str:
        return self.report["kernel"]

    @property
    def ticks(self) -> float:
        """The modelled time of the launch."""
        return self.report.get("cycles", 0) / self.tick

    def microseconds(self, ticks: float) -> float:
        return ticks * self.tick / (self.device["clock_ghz"] * 1e3)

    def cores_at_once(self, rows: list[Row]) -> int:
        """How many of the cores that have these rows work at the same time."""
        cores = {(row.core, row.cube) for row in rows}
        cubes = sum(cube for _, cube in cores)
        return min(cubes, self.device["cube_cores"]) + min(len(cores) - cubes, self.device["vector_cores"])


def read_launches(folder: Path, report: Path | None) -> list[Launch]:
    """Reads the launches in their order. Those that only the report has come last, without a timeline.

    A program that launched nothing has written neither folder nor report.
    """
    if folder.exists() and not folder.is_dir():
        raise NotADirectoryError(f"timelines: expected a folder, got {folder}")
    reported: dict[str, list[dict]] = defaultdict(list)
    text = report.read_text(encoding="utf-8", errors="replace") if report and report.exists() else ""
    for line in text.splitlines():
        try:
            one = json.loads(line)
        except json.JSONDecodeError:
            continue  # the program was ended while it wrote the line
        reported[one["kernel"]].append(one)
    launches = []
    for path in sorted(folder.glob("[0-9]*-*.json"), key=lambda path: int(path.name.partition("-")[0])):
        try:
            launches.append(_launch(json.loads(path.read_text(encoding="utf-8", errors="replace")), reported))
        except json.JSONDecodeError:
            continue  # the program was ended while it wrote the file
    return launches + [Launch(one) for ones in reported.values() for one in ones]


def _launch(raw: dict, reported: dict[str, list[dict]]) -> Launch:
    report = raw["report"]
    if same := reported.get(report["kernel"]):
        report |= same.pop(0)
    rows = tuple(
        Row(row["core"], row["cube"], row["pipe"], np.frombuffer(base64.b64decode(row["slices"]), SLICE))
        for row in raw["rows"]
    )
    sites = tuple(Site(*site) for site in raw["sites"])
    start = raw["start"] / raw["tick"]
    return Launch(report, raw["device"], start, raw["tick"], sites, tuple(raw["modules"]), rows)
