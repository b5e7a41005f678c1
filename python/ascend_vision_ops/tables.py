# SPDX-License-Identifier: Apache-2.0
"""Tables as all commands print them, and those of what one call costs on the simulated device."""

from __future__ import annotations

import sys
from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING

from rich.console import Console
from rich.table import Table

if TYPE_CHECKING:
    from ascend_vision_ops.profiling import Figures


def table(*columns: str) -> Table:
    """Makes an empty table as all commands print it; a column whose title starts with > is aligned right."""
    made = Table(box=None, pad_edge=False, header_style="bold")
    for column in columns:
        side = "right" if column.startswith(">") else "left"
        made.add_column(column.removeprefix(">"), justify=side, no_wrap=True)
    return made


class _Console(Console):
    def on_broken_pipe(self) -> None:
        """Hands the error on: a reader that has seen enough, as in `avo list | head`, is no failure."""
        raise BrokenPipeError


def console() -> Console:
    # A pipe has no width. There, a row stays on one line, so that grep finds it.
    return _Console(width=None if sys.stdout.isatty() else 400, highlight=False)


def markdown(columns: tuple[str, ...], rows: Iterable[tuple[str, ...]]) -> str:
    """Writes a table of a Markdown page; a column whose title starts with > is aligned right."""
    lines = [
        [name.lstrip(">") for name in columns],
        ["---:" if name.startswith(">") else "---" for name in columns],
        *rows,
    ]
    return "\n".join(f"| {' | '.join(line)} |" for line in lines)


def number(value: float) -> str:
    """Writes a number with three digits and without an exponent."""
    digits = max(0, 2 - len(str(int(value))) + 1)
    return f"{value:,.{digits}f}"


def ranged(value: float, bounds: Sequence[float], unit: str = "us") -> str:
    """Writes a modelled time with what it may be: 348 us (310..395)."""
    least, most = bounds
    return f"{number(value)}{' ' if unit else ''}{unit} ({number(least)}..{number(most)})"


def show_figures(out: Console, figures: Figures) -> None:
    """Prints a table for each kernel, and the figures of the call."""
    for report in figures.reports:
        out.print(f"\nkernel {report['kernel']}: {report['blocks']} blocks, {report['cores']} cores at work")
        rows = table("pipe", ">instructions", ">repeats", ">bytes", ">busy, mean us a block")
        for pipe, counters in report["pipes"].items():
            if counters["instructions"]:
                busy = counters["busy_cycles"] / figures.device["clock_ghz"] / 1e3 / max(report["blocks"], 1)
                numbers = (f"{counters[name]:,}" for name in ("instructions", "repeats", "bytes"))
                rows.add_row(pipe, *numbers, f"{busy:.2f}")
        out.print(rows)
    out.print()
    _summary(out, figures)


def _summary(out: Console, figures: Figures) -> None:
    rows = table("figure", ">value", "against")
    paths = {
        name: sum(report[f"{name.lower().replace(' ', '_')}_bytes"] for report in figures.reports)
        for name in ("GM read", "GM write", "HBM read", "HBM write")
    }
    cores = f"{figures.device['vector_cores']} vector cores"
    products = any(report["pipes"]["M"]["instructions"] for report in figures.reports)
    if products:
        cores += f" and {figures.device['cube_cores']} cube cores"
    rows.add_row("cores used", str(figures.cores), cores)
    for name, count in paths.items():
        rows.add_row(f"{name}, bytes", f"{count:,}", "")
    rows.add_row("GM bytes", f"{figures.bytes_over_least:.3f} x", f"{figures.least_bytes:,} bytes in and out")
    rows.add_row(
        "modelled time", ranged(figures.microseconds, figures.microseconds_range),
        f"{figures.time_over_roofline:.2f} x roofline "
        f"({figures.roofline_microseconds:.2f} us: HBM or cube unit at its peak)"
    )  # fmt: skip
    doubts = (f"{group} {part:.0%}" for group, part in figures.doubts.items() if part >= 0.005)
    rows.add_row("its range", "", f"by the doubts of constants: {', '.join(doubts)}")
    if products:
        rows.add_row("cube unit", f"{figures.pipe_shares['M']:.1%}", "busy, as a mean over the cube cores")
    rows.add_row("scalar accesses", f"{figures.scalar_accesses_per_output:.4f}", "an output")
    peak = max((report["ub_peak_bytes"] for report in figures.reports), default=0)
    rows.add_row("Unified Buffer, peak", f"{peak:,}", f"{figures.device['ub_bytes']:,} bytes")
    out.print(rows)
