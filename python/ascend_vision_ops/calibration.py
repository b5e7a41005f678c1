# SPDX-License-Identifier: Apache-2.0
"""Modelled beside published times: runs sim_calibrate, and counts how many of them are near each other."""

from __future__ import annotations

import json
import subprocess
from dataclasses import dataclass
from pathlib import Path

PIPES = ("V", "S", "M", "MTE1", "MTE2", "MTE3", "FIX")
UNMEASURABLE = {("add/scalar", "V")}  # 15 ns of a kernel without vector instructions


@dataclass(frozen=True)
class Counts:
    """How many times were compared, and how many are within the bounds."""

    tasks: int  # task times; of a core where no task time is published; ratios
    tasks_within_10: int
    tasks_within_25: int
    pipes: int
    pipes_within_20: int
    ranges: int  # modelled ranges of tasks; ratios have none
    ranges_hold: int  # of these, those that hold the published time

    def __str__(self) -> str:
        def part(count: int, whole: int) -> str:
            return f"{count} of {whole} ({count / max(whole, 1):.0%})"

        return (
            f"tasks within 10 %: {part(self.tasks_within_10, self.tasks)}, within 25 %: "
            f"{part(self.tasks_within_25, self.tasks)}; pipes within 20 %: {part(self.pipes_within_20, self.pipes)}; "
            f"published times in the modelled range: {part(self.ranges_hold, self.ranges)}"
        )


def run(program: Path, *arguments: str) -> dict:
    """Runs the program, and returns what it prints; raises RuntimeError with its messages where it prints nothing."""
    done = subprocess.run([program, *arguments], capture_output=True, text=True)
    if not done.stdout:
        raise RuntimeError(f"{program.name} failed: {done.stderr.strip()}")
    return json.loads(done.stdout)


def task(row: dict) -> dict | None:
    """Returns what is compared as the time of the task: published, modelled, error."""
    return row.get("task") or row.get("core")


def has_range(row: dict) -> bool:
    """Returns whether the task of a row is a time: ratios, and rows of pipes alone, have no range."""
    return "range" in row and row["experiment"] != "banks"


def texts(row: dict, pair: dict) -> list[str]:
    """Writes the published and the modelled value of a pair; the time of the task comes with its range."""
    unit = "x" if row["experiment"] == "banks" else "us"
    found = [f"{pair[name]:.4g} {unit}" for name in ("published", "modelled")]
    if pair is task(row) and has_range(row):
        found[1] += " ({:.4g}..{:.4g})".format(*row["range"])
    return found


def pipes(row: dict) -> dict[str, dict]:
    """Returns the busy times of pipes of a row."""
    return {pipe: row[pipe] for pipe in PIPES if pipe in row and (row["case"], pipe) not in UNMEASURABLE}


def in_range(rows: list[dict]) -> list[bool]:
    """Returns for each task whether the modelled range holds the published time."""
    pairs = [(task(row)["published"], row["range"]) for row in rows if has_range(row)]
    return [least <= published <= most for published, (least, most) in pairs]


def counts(rows: list[dict]) -> Counts:
    tasks = [abs(pair["error"]) for pair in map(task, rows) if pair]
    held = in_range(rows)
    busy = [abs(pair["error"]) for row in rows for pair in pipes(row).values()]
    return Counts(
        len(tasks),
        sum(error <= 0.10 for error in tasks),
        sum(error <= 0.25 for error in tasks),
        len(busy),
        sum(error <= 0.20 for error in busy),
        len(held),
        sum(held),
    )
