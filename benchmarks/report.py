# SPDX-License-Identifier: Apache-2.0
"""Rows of a run. They are shown as a table in a terminal, written to docs/benchmarks.md, and read back from there."""

from __future__ import annotations

import math
import re
from collections.abc import Iterable
from dataclasses import dataclass, field
from pathlib import Path

from benchmarks.workload import OURS, OUT

ROOT = Path(__file__).resolve().parents[1]
PAGE = ROOT / "docs" / "benchmarks.md"
FIGURE = ROOT / "docs" / "images" / "benchmarks.svg"
HEAD = ("workload", "threads", "ours", "best peer", "its time", "ratio", "out=", "ratio out=", "of limit", "target",
        "others", "absent")  # fmt: skip
RIGHT = {"threads", "ours", "its time", "ratio", "out=", "ratio out=", "of limit"}
NONE = "–"
MEASURED = "Measured on and with:"  # before the sentences about the machine and the projects of a whole run
# The words of the page that say how long a turn was.
TURNS = "runs for {:g} ms in each turn"
# Columns that a narrow terminal leaves out, in this order.
LEAST = ("others", "absent", "out=", "its time", "of limit", "ratio out=")


@dataclass(frozen=True)
class Row:
    """One workload at one number of threads; each member is the text of a cell.

    Attributes:
        ratio: the best peer's time divided by ours, where each call allocates its results; 0 without a peer
        given_ratio: the same where we, and peers that can, write to a result whose memory exists; 0 without a peer
        share: the least time that the limit allows, divided by our best time; 0 without a limit
        handed: what the best peer is given before the clock starts (benchmarks.peers.Peer); '' for nothing
        equal_ratio: the ratio to the best of the peers that are given nothing; 0 without such a peer
        best_seconds: the best peer's time; 0 without a peer
    """

    operator: str
    workload: str
    threads: int
    ours: str
    best: str
    best_time: str
    ratio: float
    given: str
    given_ratio: float
    share: float
    target: str
    others: str
    absent: str
    # What no cell shows.
    handed: str = field(default="", compare=False)
    equal_ratio: float = field(default=0.0, compare=False)
    best_seconds: float = field(default=0.0, compare=False)

    @property
    def key(self) -> tuple[str, str, int]:
        return self.operator, self.workload, self.threads

    def cells(self) -> tuple[str, ...]:
        def times(ratio):
            return f"{ratio:.3g} x" if ratio else NONE

        return (
            self.workload, str(self.threads), self.ours, self.best, self.best_time, times(self.ratio), self.given,
            times(self.given_ratio), f"{100 * self.share:.3g}%" if self.share else NONE, self.target, self.others,
            self.absent,
        )  # fmt: skip

    @classmethod
    def of(cls, operator: str, cells: list[str]) -> Row:
        """Makes a row from its cells."""

        def number(cell):
            return 0.0 if cell == NONE else float(cell.rstrip(" x%"))

        workload, threads, ours, best, best_time, ratio, given, given_ratio, share, *rest = cells
        return cls(
            operator, workload, int(threads), ours, best, best_time, number(ratio), given, number(given_ratio),
            number(share) / 100, *rest,
        )  # fmt: skip


def milliseconds(seconds: float) -> str:
    """Writes a number with three digits and without an exponent."""
    value = 1e3 * seconds
    return f"{value:,.{max(0, 2 - math.floor(math.log10(value)))}f}"


def digits(value: float) -> float:
    """Rounds a number to three digits, as cells have them."""
    return float(f"{value:.3g}")


def row(result: dict) -> Row:
    """Makes a row from a line that benchmarks.measure wrote."""
    seconds = dict(result["seconds"])
    ours, given = seconds.pop(OURS), seconds.pop(OURS + OUT, None)
    ordinary = {name: value for name, value in seconds.items() if not name.endswith(OUT)}
    best = min(ordinary, key=ordinary.get, default=None)
    ratio = digits(ordinary[best] / ours) if best else 0.0
    given_ratio = digits(min(seconds.values()) / given) if given and best else 0.0
    handed = result.get("handed", {})
    equal = [value for name, value in ordinary.items() if name not in handed]
    others = (f"{name} {milliseconds(value)}" for name, value in seconds.items() if name != best)
    return Row(
        result["operator"], result["workload"], result["threads"],
        f"{milliseconds(ours)} ± {result['spread']:.0%}",
        best or NONE,
        milliseconds(ordinary[best]) if best else NONE,
        ratio,
        milliseconds(given) if given else NONE,
        given_ratio,
        digits(result["least"] / min(ours, given or ours)),
        verdict(result["target"] if result["threads"] == 1 else 0, ratio, given_ratio),
        ", ".join(others) or NONE,
        ", ".join(f"{name} {why.partition(':')[0]}".strip() for name, why in result["absent"].items()) or NONE,
        handed.get(best, ""),
        digits(min(equal) / ours) if equal else 0.0,
        ordinary[best] if best else 0.0,
    )  # fmt: skip


def verdict(target: float, ratio: float, given_ratio: float) -> str:
    if not target:
        return ""
    if not ratio:
        return f"≥ {target:g} x: no peer"
    met = "met" if ratio >= target else "met with out=" if given_ratio >= target else "**missed**"
    return f"≥ {target:g} x: {met}"


def rows_of(page: str) -> list[Row]:
    """Reads the rows of a page."""
    rows, operator = [], ""
    for line in page.splitlines():
        if line.startswith("## "):
            operator = line.removeprefix("## ")
        elif re.match(r"\| [^|]+ \| \d+ \|", line):
            rows.append(Row.of(operator, [cell.strip() for cell in line.strip("|").split("|")]))
    return rows


def sort(rows: Iterable[Row]) -> list[Row]:
    """Sorts rows by operator and workload in the order of their first rows, with numbers of threads next to each
    other.
    """
    rows = list(rows)
    places = {each.key[:2]: place for place, each in reversed(list(enumerate(rows)))}
    return sorted(rows, key=lambda each: (places[each.key[:2]], each.threads))


def saved() -> list[Row]:
    """Reads the rows of the last saved run."""
    return rows_of(PAGE.read_text(encoding="utf-8")) if PAGE.exists() else []


def saved_heading() -> list[str]:
    """Reads on which machine and with which projects the last whole run was."""
    listed = PAGE.read_text(encoding="utf-8").partition(f"{MEASURED}\n\n")[2].partition("\n\n")[0]
    return [line.removeprefix("- ") for line in listed.splitlines()]


def replaced(saved: list[Row], rows: list[Row], operators: list[str]) -> list[Row]:
    """Puts rows of some operators in the place of their saved ones; operators stand in the order given."""
    new = {row.operator for row in rows}
    kept = [row for row in saved if row.operator not in new]
    return sorted([*kept, *rows], key=lambda row: operators.index(row.operator))


def saved_turn() -> float:
    """Reads how many milliseconds a turn took in the last saved run; NaN where the page does not say."""
    before, _, behind = TURNS.partition("{:g}")
    found = re.search(f"{before}(.+?){behind}", PAGE.read_text(encoding="utf-8"))
    return float(found[1]) if found else math.nan


def tables(rows: list[Row]) -> str:
    """Gives a heading and a table for each operator."""
    lines: list[str] = []
    for operator in dict.fromkeys(each.operator for each in rows):
        lines += [f"## {operator}", "", f"| {' | '.join(HEAD)} |"]
        lines.append(f"| {' | '.join('---:' if title in RIGHT else '---' for title in HEAD)} |")
        lines += [f"| {' | '.join(each.cells())} |" for each in rows if each.operator == operator]
        lines.append("")
    return "\n".join(lines)


def shown(rows: list[Row], width: int):
    """Gives a table for a terminal with this many columns."""
    from ascend_vision_ops.cli.show import table

    titles = ["operator", *HEAD]
    lines = [dict(zip(titles, (each.operator, *each.cells()), strict=True)) for each in rows]
    needed = {title: 2 + max(len(line[title]) for line in [*lines, {title: title}]) for title in titles}
    for title in LEAST:
        if sum(needed[kept] for kept in titles) > width:
            titles.remove(title)
    made = table(*(f">{title}" if title in RIGHT else title for title in titles))
    for line in lines:
        made.add_row(*(line[title].replace("**", "") for title in titles))
    return made
