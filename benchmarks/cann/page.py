# SPDX-License-Identifier: Apache-2.0
"""Writes docs/cann_bench.md with its figure, and reads its rows back, so that one operator can be measured again."""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path

from ascend_vision_ops import _native
from ascend_vision_ops.tables import markdown, number, ranged
from benchmarks.cann import score
from benchmarks.cann.cases import Case, case_of, cases, document
from benchmarks.cann.text import INTRO

ROOT = Path(__file__).resolve().parents[2]
PAGE = ROOT / "docs" / "cann_bench.md"
FIGURE = ROOT / "docs" / "images" / "cann_bench.svg"
# What we want: the geometric mean over CANN for each operator, the mean score of all, and no case slower.
GOALS = {"argmax": 2.5, "cummin": 1.5, "nms_indices": 4.0, "roi_align": 2.2}
MEAN_HAP = 0.72
COLUMNS = (
    "case", "call", ">ours", ">CANN", ">over CANN", ">measured", ">over it", ">bound", ">HAP", ">floor", ">its HAP",
    "busiest", "result",
)  # fmt: skip
RIGHT = "exact"  # the cell of a result that agrees with torch


def value_of(text: str) -> float:
    return float(text.replace(",", ""))


@dataclass(frozen=True)
class Row:
    """What we measured in a case.

    low, high: the range of the modelled time; None where nobody computed it.
    floor: what no kernel of one launch can beat on the simulated device, in microseconds.
    busiest: the busiest pipe and its share of the time.
    wrong: what is wrong with the results; empty if they are right.
    """

    operator: str
    number: int
    microseconds: float
    floor: float
    busiest: str
    wrong: str = ""
    low: float | None = None
    high: float | None = None

    @cached_property
    def case(self) -> Case:
        return case_of(self.operator, self.number)

    @property
    def ratio(self) -> float:
        """The published time over ours."""
        return self.case.published_us / self.microseconds

    @property
    def over_measured(self) -> float | None:
        """CANN's measured time over ours; None where CANN Bench measured none."""
        measured = self.case.measured_us
        return None if measured is None else measured / self.microseconds

    def hap(self, microseconds: float) -> float:
        return score.hap(microseconds, self.case.published_us, self.case.bound_us)

    def cells(self) -> tuple[str, ...]:
        """The cells of the row in the page's table."""
        case, measured = self.case, self.over_measured
        plain = self.low is None
        return (
            str(self.number),
            f"`{case.call}`",
            f"{number(self.microseconds)} us" if plain else ranged(self.microseconds, (self.low, self.high)),
            f"{'≥ ' if case.is_cap else ''}{number(case.published_us)} us",
            f"{self.ratio:.2f} x",
            "none" if measured is None else f"{number(case.measured_us)} us",
            "" if measured is None else f"{number(measured)} x",
            f"{number(case.bound_us)} us",
            f"{self.hap(self.microseconds):.2f}",
            f"{number(self.floor)} us",
            f"{self.hap(self.floor):.2f}",
            self.busiest,
            self.wrong.replace("|", "/") or RIGHT,
        )


def row_of(operator: str, line: str) -> Row:
    """Reads a line of the page's table."""
    cells = dict(zip((name.lstrip(">") for name in COLUMNS), line.strip("| ").split(" | "), strict=True))
    ours = [value_of(text) for text in re.findall(r"\d[\d,]*(?:\.\d+)?", cells["ours"])]
    low, high = ours[1:] or (None, None)
    wrong = "" if cells["result"] == RIGHT else cells["result"]
    floor = value_of(cells["floor"].split()[0])
    return Row(operator, int(cells["case"]), ours[0], floor, cells["busiest"], wrong, low, high)


def rows_of(text: str) -> list[Row]:
    """Reads all rows of a page."""
    found, operator = [], ""
    for line in text.splitlines():
        if line.startswith("## "):
            operator = line[3:]
        elif re.match(r"\| \d", line):
            found.append(row_of(operator, line))
    return found


def summary(rows: Iterable[Row]) -> list[tuple[str, ...]]:
    """Gives the cells of the first table of the page: a line for each operator, and one for all."""
    rows = list(rows)
    found = []
    for operator in dict.fromkeys(row.operator for row in rows):
        found.append(
            _summary_of(operator, [row for row in rows if row.operator == operator], GOALS[operator])
        )
    if len(found) > 1:
        found.append(_summary_of("all", rows, None))
    return found


def _summary_of(name: str, rows: list[Row], goal: float | None) -> tuple[str, ...]:
    ratio = score.geometric_mean(row.ratio for row in rows)
    reachable = score.geometric_mean(row.case.published_us / row.floor for row in rows)
    measured = [row.over_measured for row in rows if row.over_measured is not None]
    wrong = [row for row in rows if row.wrong]
    hap = score.mean(row.hap(row.microseconds) for row in rows)
    best = score.mean(row.hap(row.floor) for row in rows)
    return (
        name,
        f"{len(rows) - len(wrong)} of {len(rows)}",
        f"{ratio:.2f} x{_limits(rows)}",
        "" if goal is None else f"{goal} x: {verdict(ratio >= goal)}",
        f"{reachable:.2f} x",
        f"{number(score.geometric_mean(measured))} x of {len(measured)}" if measured else "none",
        f"{hap:.2f}",
        f"{MEAN_HAP}: {verdict(hap >= MEAN_HAP)}" if goal is None else "",
        f"{best:.2f}",
        _slower(rows),
    )


def _limits(rows: list[Row]) -> str:
    """The mean over CANN at both ends of the ranges; empty where a row has none."""
    if any(row.low is None for row in rows):
        return ""
    ends = [
        score.geometric_mean(row.case.published_us / getattr(row, end) for row in rows)
        for end in ("high", "low")
    ]
    return f" ({ends[0]:.2f}..{ends[1]:.2f})"


def _slower(rows: list[Row]) -> str:
    """Names the cases that are slower than CANN, and those that are so at the end of their range alone."""
    alone = len({row.operator for row in rows}) == 1

    def names(chosen: Iterable[Row]) -> str:
        return ", ".join(str(row.number) if alone else f"{row.operator} {row.number}" for row in chosen)

    certain = names(row for row in rows if row.ratio < 1)
    perhaps = names(row for row in rows if row.ratio >= 1 and row.high and row.high > row.case.published_us)
    return f"{certain or 'none'}{'; perhaps ' if perhaps else ''}{perhaps}"


SUMMARY = (
    "operator", ">right", ">over CANN", "goal", ">floors over CANN", ">over measured times", ">mean HAP", "goal",
    ">HAP of the floors", "slower than CANN",
)  # fmt: skip


def verdict(met: bool) -> str:
    return "met" if met else "**missed**"


def start_us() -> float:
    """What passes on our clock from the launch on all cores to their first instruction, in microseconds."""
    device = _native.sim.device(document()["device"])
    return device["launch_us"] + device["launch_us_per_core"] * device["vector_cores"] + device["start_us"]


def write(measured: list[Row]) -> None:
    """Writes the page; cases that were not measured now keep the rows that it has."""
    before = rows_of(PAGE.read_text(encoding="utf-8")) if PAGE.exists() else []
    kept = {(row.operator, row.number): row for row in [*before, *measured]}
    rows = [kept[key] for case in cases() if (key := (case.operator, case.case)) in kept]
    least = min(case.published_us for case in cases())
    intro = INTRO.format(**document()["source"], start=start_us(), least=least)
    parts = [intro, markdown(SUMMARY, summary(rows)), ""]
    for operator in dict.fromkeys(row.operator for row in rows):
        table = markdown(COLUMNS, (row.cells() for row in rows if row.operator == operator))
        parts += [f"## {operator}", "", table, ""]
    PAGE.write_text("\n".join(parts), encoding="utf-8")
    draw(rows, FIGURE)


def draw(rows: list[Row], path: Path) -> None:
    """Draws, for each case, our time with its range, CANN's, the bound and the floor."""
    import matplotlib

    matplotlib.use("Agg")
    import matplotlib.pyplot as plt

    plt.rcParams.update({"svg.fonttype": "none", "svg.hashsalt": "avo", "font.size": 8})
    figure, axes = plt.subplots(figsize=(7.5, 1.2 + 0.19 * len(rows)), layout="constrained")
    for y, row in enumerate(rows):
        case = row.case
        axes.plot([case.bound_us, row.floor], [y, y], "-", lw=3, color="#d9d9d9", zorder=1)
        if case.measured_us and case.is_cap:
            axes.plot([case.published_us, case.measured_us], [y, y], ":", lw=0.8, color="#b2182b", zorder=1)
            axes.plot(case.measured_us, y, "x", ms=4, color="#b2182b")
        if row.low is not None:
            axes.plot([row.low, row.high], [y, y], "-", lw=1.2, color="#2166ac")
        axes.plot(case.bound_us, y, "|", ms=7, color="black")
        axes.plot(row.floor, y, "|", ms=7, color="#4d9221")
        fill = "none" if case.is_cap else "full"
        axes.plot(case.published_us, y, "o", ms=4.5, fillstyle=fill, color="#b2182b")
        axes.plot(row.microseconds, y, "o", ms=4, color="#2166ac")
    axes.set_xscale("log")
    axes.set_yticks(range(len(rows)), [f"{row.operator} {row.number}" for row in rows])
    axes.set_ylim(len(rows) - 0.4, -0.6)
    axes.xaxis.set_major_formatter("{x:,.0f}")
    axes.set_xlabel("microseconds on Ascend910B2; ours are modelled")
    axes.grid(axis="x", which="both", lw=0.2)
    marks = [
        ("o", "full", "#2166ac", "ours"),
        ("o", "full", "#b2182b", "CANN, measured"),
        ("o", "none", "#b2182b", "CANN, published limit: ten times the bound"),
        ("x", "full", "#b2182b", "CANN, measured, above the limit"),
        ("|", "full", "black", "bound of CANN Bench"),
        ("|", "full", "#4d9221", "floor of the call"),
    ]
    handles = [
        plt.Line2D([], [], ls="", marker=marker, fillstyle=fill, color=colour, label=text, ms=5)
        for marker, fill, colour, text in marks
    ]
    figure.legend(handles=handles, loc="outside upper center", ncols=3, fontsize=7, frameon=False)
    path.parent.mkdir(exist_ok=True)
    figure.savefig(path, metadata={"Date": None} if path.suffix == ".svg" else None, dpi=110)
    plt.close(figure)
