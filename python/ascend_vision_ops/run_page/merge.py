# SPDX-License-Identifier: Apache-2.0
"""Joins instructions of large launches, so that the page stays small."""

from __future__ import annotations

import base64
import zlib

import numpy as np

from .timelines import Launch, Row

MOST = 300_000  # instructions and groups of them on a page
LONGEST = 16  # gaps that a group spans
LEAST = 500  # that each launch may have however many there are


def budgets(launches: list[Launch]) -> list[int]:
    """Shares the page between the longest launches, by the numbers of their instructions; 0 for the others."""
    order = sorted(range(len(launches)), key=lambda i: -launches[i].report.get("microseconds", 0))
    kept = set(order[: MOST // LEAST])
    counts = [sum(len(row.slices) for row in launch.rows) for launch in launches]
    total = max(sum(counts[i] for i in kept), 1)
    return [max(LEAST, MOST * count // total) if i in kept else 0 for i, count in enumerate(counts)]


def merged(launch: Launch, budget: int) -> tuple[list[dict[str, np.ndarray]], float]:
    """Returns the columns of each row, and the gap in ticks across which neighbours were joined; 0: nothing was."""
    if sum(len(row.slices) for row in launch.rows) <= budget:
        return [columns(row, np.arange(len(row.slices))) for row in launch.rows], 0
    gap = 1
    while True:
        rows = [columns(row, firsts(row, gap)) for row in launch.rows]
        # Each row keeps one group at least.
        if sum(len(row["start"]) for row in rows) <= max(budget, len(rows)):
            return rows, gap
        gap = gap + gap // 2 + 1


def firsts(row: Row, gap: int) -> np.ndarray:
    """Returns the first instruction of each group.

    A group goes on with an instruction that begins at most `gap` after it and is the same call, or is short, as the one
    before is. All instructions of a group begin in the same cell of a grid of LONGEST gaps.
    """
    one = row.slices
    reached = np.maximum.accumulate(row.ends)
    near = one["start"][1:] - reached[:-1] <= gap
    short = (one["length"][1:] <= gap) & (one["length"][:-1] <= gap)
    same = one["site"][1:] == one["site"][:-1]
    cell = np.diff(one["start"] // (gap * LONGEST)) == 0
    return np.flatnonzero(np.concatenate(([True], ~(near & (same | short) & cell))))[: len(one)]


def columns(row: Row, first: np.ndarray) -> dict[str, np.ndarray]:
    """Returns what the page has of each group. Columns that say nothing new are left out."""
    one = row.slices
    if len(first) == len(one):
        return {name: one[name] for name in one.dtype.names}
    count = np.diff(np.append(first, len(one)))
    group = np.repeat(np.arange(len(first)), count)
    start = one["start"][first].astype(np.int64)
    _, busy = row.busy
    ends = np.maximum.reduceat(row.ends, first)
    # The site of a group is the one that takes the longest in it.
    keys = group * (int(one["site"].max()) + 1) + one["site"]
    found, place = np.unique(keys, return_inverse=True)
    longest = np.bincount(place, one["length"])
    of_group = found // (int(one["site"].max()) + 1)
    order = np.lexsort((longest, of_group))
    last = np.append(np.flatnonzero(np.diff(of_group[order])), len(order) - 1)
    return {
        "start": start,
        "length": ends - start,
        "site": found[order][last] % (int(one["site"].max()) + 1),
        "bytes": np.add.reduceat(one["bytes"].astype(np.float64), first),
        **{name: one[name][first] for name in ("waited", "cause", "who", "whose")},
        "stalled": np.add.reduceat(one["stalled"].astype(np.int64), first),
        "count": count,
        "sites": np.bincount(of_group),
        "busy": busy[2 * np.append(first[1:], len(one)) - 1] - busy[2 * first],
    }


def encoded(rows: list[dict[str, np.ndarray]]) -> str:
    """Returns the columns of all rows behind each other as little-endian words, in zlib and base64.

    Bytes are float32 and all others uint32. A start is the distance from the one before.
    """
    words = []
    for row in rows:
        for name, values in row.items():
            if name == "start":
                values = np.diff(values.astype(np.int64), prepend=0)
            words.append(values.astype("<f4" if name == "bytes" else "<u4").tobytes())
    return base64.b64encode(zlib.compress(b"".join(words), 7)).decode()
