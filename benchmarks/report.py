# SPDX-License-Identifier: Apache-2.0
"""Rows of a run: in a terminal's table, on docs/benchmarks.md and back, in its figure."""

from __future__ import annotations

import math
import re
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path

from benchmarks.workload import OURS, OUT

ROOT = Path(__file__).resolve().parents[1]
PAGE = ROOT / "docs" / "benchmarks.md"
FIGURE = ROOT / "docs" / "images" / "benchmarks.svg"
HEAD = ("workload", "threads", "ours", "best peer", "its time", "ratio", "out=", "ratio out=", "of limit", "target",
        "others", "absent")  # fmt: skip
RIGHT = {"threads", "ours", "its time", "ratio", "out=", "ratio out=", "of limit"}
NONE = "–"
# Of the page's text: how long a turn was.
TURNS = "runs for {:g} ms in each turn"
# What a narrow terminal has no room for, in this order.
LEAST = ("others", "absent", "out=", "its time", "of limit", "ratio out=")


@dataclass(frozen=True)
class Row:
    """A workload at a number of threads, as its cells read.

    Attributes:
        ratio: the best peer's time over ours, results allocated in each call; given_ratio: with a result that is there
            for us, and for peers that take one; 0 without a peer
        share: the least time that the limit allows over our best, 0 without a limit
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
        """The row whose cells are these."""

        def number(cell):
            return 0.0 if cell == NONE else float(cell.rstrip(" x%"))

        workload, threads, ours, best, best_time, ratio, given, given_ratio, share, *rest = cells
        return cls(
            operator, workload, int(threads), ours, best, best_time, number(ratio), given, number(given_ratio),
            number(share) / 100, *rest,
        )  # fmt: skip


def milliseconds(seconds: float) -> str:
    """Three digits, and no exponent."""
    value = 1e3 * seconds
    return f"{value:,.{max(0, 2 - math.floor(math.log10(value)))}f}"


def digits(value: float) -> float:
    """Three of them, as cells have."""
    return float(f"{value:.3g}")


def row(result: dict) -> Row:
    """The row of a line that benchmarks.measure writes."""
    seconds = dict(result["seconds"])
    ours, given = seconds.pop(OURS), seconds.pop(OURS + OUT, None)
    ordinary = {name: value for name, value in seconds.items() if not name.endswith(OUT)}
    best = min(ordinary, key=ordinary.get, default=None)
    ratio = digits(ordinary[best] / ours) if best else 0.0
    given_ratio = digits(min(seconds.values()) / given) if given and best else 0.0
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
    )  # fmt: skip


def verdict(target: float, ratio: float, given_ratio: float) -> str:
    if not target:
        return ""
    if not ratio:
        return f"≥ {target:g} x: no peer"
    met = "met" if ratio >= target else "met with out=" if given_ratio >= target else "**missed**"
    return f"≥ {target:g} x: {met}"


def rows_of(page: str) -> list[Row]:
    """The rows of a page."""
    rows, operator = [], ""
    for line in page.splitlines():
        if line.startswith("## "):
            operator = line.removeprefix("## ")
        elif re.match(r"\| [^|]+ \| \d+ \|", line):
            rows.append(Row.of(operator, [cell.strip() for cell in line.strip("|").split("|")]))
    return rows


def sort(rows: Iterable[Row]) -> list[Row]:
    """Operators and workloads in the order of their first rows, threads next to each other."""
    rows = list(rows)
    places = {each.key[:2]: place for place, each in reversed(list(enumerate(rows)))}
    return sorted(rows, key=lambda each: (places[each.key[:2]], each.threads))


def saved() -> list[Row]:
    """The rows of the last run that was saved."""
    return rows_of(PAGE.read_text(encoding="utf-8")) if PAGE.exists() else []


def saved_turn() -> float:
    """Milliseconds of a turn in the last run that was saved; NaN where its page does not say."""
    before, _, behind = TURNS.partition("{:g}")
    found = re.search(f"{before}(.+?){behind}", PAGE.read_text(encoding="utf-8"))
    return float(found[1]) if found else math.nan


def tables(rows: list[Row]) -> str:
    """A heading and a table for each operator."""
    lines: list[str] = []
    for operator in dict.fromkeys(each.operator for each in rows):
        lines += [f"## {operator}", "", f"| {' | '.join(HEAD)} |"]
        lines.append(f"| {' | '.join('---:' if title in RIGHT else '---' for title in HEAD)} |")
        lines += [f"| {' | '.join(each.cells())} |" for each in rows if each.operator == operator]
        lines.append("")
    return "\n".join(lines)


def shown(rows: list[Row], width: int):
    """A table for a terminal of this many columns."""
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
