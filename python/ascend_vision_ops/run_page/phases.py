# SPDX-License-Identifier: Apache-2.0
"""Finds what bounds a launch from phase to phase, and says it in sentences."""

from __future__ import annotations

from collections import defaultdict
from dataclasses import dataclass, replace

import numpy as np

from .timelines import CAUSES, WHO_PIPES, Launch, Row

BINS = 240
SMOOTH = 5  # bins
IDLE = 0.1  # with a smaller share of the time a pipe does not count as busy
BOUND = 0.65  # with this share of the time a pipe bounds a phase
SHORTEST = 0.03  # of the whole time; shorter phases are joined to their neighbours
MOST = 8  # phases

WORK = {
    "S": "the scalar unit",
    "V": "the vector unit",
    "M": "the cube unit",
    "MTE1": "copying L1 to L0A and L0B",
    "MTE2": "reading global memory",
    "MTE3": "writing global memory",
    "FIX": "copying L0C out",
}
WAITED_FOR = {
    "issue": "the scalar unit, which has not issued its next instruction yet",
    "barrier": "earlier instructions at a barrier",
    "meeting": "other cores at SyncAll",
    "cross-core": "a flag of another core",
}


@dataclass(frozen=True)
class Unit:
    """One pipe of all cores of a kind."""

    pipe: str
    cube: bool
    label: str
    rows: list[Row]
    cores: int  # that work at the same time


@dataclass(frozen=True)
class Phase:
    """A part of a launch.

    `pipe` is empty where no pipe is busy, and "launch" before the first core starts. `cores` is 0, or says how many
    cores work where others do not.
    """

    begin: float
    end: float
    pipe: str
    share: float
    cores: int
    sentence: str


def units(launch: Launch) -> list[Unit]:
    """The pipes of vector and of cube cores."""
    found: dict[tuple[str, bool], list[Row]] = defaultdict(list)
    for row in launch.rows:
        found[row.pipe, row.cube].append(row)
    mixed = len({cube for _, cube in found}) == 2
    kinds = {pipe: sum((pipe, cube) in found for cube in (False, True)) for pipe, _ in found}
    result = []
    for (pipe, cube), rows in found.items():
        kind = (" of cube cores" if cube else " of vector cores") if mixed and kinds[pipe] == 2 else ""
        same = [row for row in launch.rows if row.cube == cube]
        result.append(Unit(pipe, cube, pipe + kind, rows, launch.cores_at_once(same)))
    return result


def shares(unit: Unit, edges: np.ndarray) -> np.ndarray:
    """The part of each interval between edges in which the unit was busy, as a mean over its cores."""
    busy = sum(np.diff(np.interp(edges, *row.busy)) for row in unit.rows)
    return np.asarray(busy) / np.maximum(np.diff(edges), 1e-9) / max(unit.cores, 1)


def bounds_of(launch: Launch, found: list[Unit]) -> list[tuple[float, float]]:
    """Returns begin and end of each phase: the intervals in which one unit is the busiest."""
    edges = np.linspace(launch.start, launch.ticks, BINS + 1)
    table = np.array([shares(unit, edges) for unit in found])
    weights = np.ones(SMOOTH) / SMOOTH
    table = np.array([np.convolve(np.pad(line, SMOOTH // 2, "edge"), weights, "valid") for line in table])
    busiest = np.where(table.max(axis=0) < IDLE, -1, table.argsort(axis=0)[-1])
    starts = [0, *(np.flatnonzero(np.diff(busiest)) + 1)]
    parts = [[start, end, busiest[start]] for start, end in zip(starts, [*starts[1:], BINS], strict=True)]
    while len(parts) > 1:
        shortest = min(range(len(parts)), key=lambda i: parts[i][1] - parts[i][0])
        if len(parts) <= MOST and parts[shortest][1] - parts[shortest][0] >= SHORTEST * BINS:
            break
        join(parts, shortest)
    return [(edges[start], edges[end]) for start, end, _ in parts]


def join(parts: list[list[int]], at: int) -> None:
    """Adds a part to the longer one of its neighbours, and joins neighbours that are now of one unit."""
    around = [i for i in (at - 1, at + 1) if 0 <= i < len(parts)]
    other = max(around, key=lambda i: parts[i][1] - parts[i][0])
    first, second = sorted((at, other))
    parts[first : second + 1] = [[parts[first][0], parts[second][1], parts[other][2]]]
    for i in range(len(parts) - 1, 0, -1):
        if parts[i][2] == parts[i - 1][2]:
            parts[i - 1 : i + 1] = [[parts[i - 1][0], parts[i][1], parts[i][2]]]


def phases(launch: Launch) -> list[Phase]:
    found = units(launch)
    if not found or launch.ticks <= launch.start:
        return []
    result = []
    if launch.start > 0:
        time = launch.microseconds(launch.start)
        text = f"The launch takes {time:.2f} us before the first core starts."
        result.append(Phase(0.0, launch.start, "launch", 0.0, 0, text))
    for begin, end in bounds_of(launch, found):
        unit, share, few, sentence = judged(launch, found, begin, end)
        result.append(Phase(begin, end, unit.pipe if share >= IDLE else "", share, few, sentence))
    return result


def busiest(found: list[Unit], edges: np.ndarray) -> tuple[Unit, float]:
    return max(((unit, float(shares(unit, edges)[0])) for unit in found), key=lambda pair: pair[1])


def at_work(found: list[Unit], edges: np.ndarray, scalar: bool) -> set[int]:
    """The cores of which a pipe is busy; with `scalar`, the scalar unit counts too."""
    rows = (row for unit in found if scalar or unit.pipe != "S" for row in unit.rows)
    least = IDLE * (edges[1] - edges[0])
    return {row.core for row in rows if np.diff(np.interp(edges, *row.busy))[0] >= least}


def judged(launch: Launch, found: list[Unit], begin: float, end: float) -> tuple[Unit, float, int, str]:
    """Says what bounds an interval.

    Returns the busiest unit, its share of the time, the number of cores if only some of them work (else 0; the share is
    then that of these cores), and a sentence.
    """
    edges = np.array([begin, end])
    unit, share = busiest(found, edges)
    same = [one for one in found if one.cube == unit.cube]
    working = at_work(same, edges, scalar=unit.pipe == "S" and share >= IDLE)
    few, text = 0, ""
    if 0 < len(working) <= unit.cores / 2:
        few = len(working)
        text = f"Only {few} of {unit.cores} {'cube' if unit.cube else 'vector'} cores work. "
        found = [
            replace(one, rows=[row for row in one.rows if row.core in working], cores=few) for one in same
        ]
        unit, share = busiest(found, edges)
    who = f"{unit.label} ({WORK[unit.pipe]})"
    if share < IDLE:
        text += f"No pipe is busy more than {share:.0%} of the time.{waits(launch, found, begin, end)}"
    elif share >= BOUND:
        text += f"{who} bounds: it is busy {share:.0%} of the time.{stalls(unit, begin, end)}"
    else:
        text += (
            f"No pipe bounds alone: {who} is busy most, {share:.0%} of the time.{stalls(unit, begin, end)}"
        )
        text += waits(launch, [unit], begin, end)
    return unit, share, few, text


def within(row: Row, begin: float, end: float) -> np.ndarray:
    """The instructions of a row that start in an interval."""
    starts = row.slices["start"]
    return row.slices[np.searchsorted(starts, begin) : np.searchsorted(starts, end)]


def stalls(unit: Unit, begin: float, end: float) -> str:
    """Says what part of its work a unit spends on shared bandwidth, or on conflicts of banks."""
    parts = [within(row, begin, end) for row in unit.rows]
    length = sum(int(part["length"].sum()) for part in parts)
    stalled = sum(int(part["stalled"].sum()) for part in parts)
    if length == 0 or stalled < 0.1 * length:
        return ""
    reason = (
        "bank conflicts"
        if unit.pipe == "V"
        else "bandwidth that the cores share, or addresses that they meet at"
    )
    return f" {stalled / length:.0%} of its work is waiting for {reason}."


def waits(launch: Launch, found: list[Unit], begin: float, end: float) -> str:
    """Says what the units waited for most in an interval."""
    total: dict[tuple[str, str], dict[int, float]] = defaultdict(lambda: defaultdict(float))
    cores = 0
    for unit in found:
        cores = max(cores, unit.cores)
        for row in unit.rows:
            part = within(row, begin, end)
            keys = (
                part["cause"].astype(np.int64) << 40
                | (part["who"] % 16).astype(np.int64) << 32
                | part["whose"]
            )
            kinds, place = np.unique(keys, return_inverse=True)
            inside = np.minimum(part["waited"], part["start"] - begin)
            for key, waited in zip(kinds.tolist(), np.bincount(place, inside).tolist(), strict=True):
                cause = CAUSES[key >> 40]
                pipe = WHO_PIPES[key >> 32 & 15] if cause in ("flag", "drain") else ""
                total[cause, pipe][key & 0xFFFFFFFF] += waited
    total.pop(("nothing", ""), None)
    if not total:
        return ""
    (cause, pipe), sites = max(total.items(), key=lambda entry: sum(entry[1].values()))
    share = sum(sites.values()) / max(end - begin, 1) / max(cores, 1)
    if share < 0.05:
        return ""
    what = WAITED_FOR.get(cause) or f"{pipe} ({WORK[pipe]})"
    site = max(sites, key=lambda key: sites[key])
    where = ""
    if site and cause != "meeting":
        one = launch.sites[site - 1]
        where = f", most at {one.name} ({one.file.rpartition('/')[2]}:{one.line})" if one.line else ""
    who = found[0].label if len(found) == 1 else "They"
    verb = "waits" if len(found) == 1 else "wait"
    return f" {who} {verb} {min(share, 1):.0%} of the time for {what}{where}."
