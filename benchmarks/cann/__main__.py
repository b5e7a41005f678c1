# SPDX-License-Identifier: Apache-2.0
"""Runs our operators on the cases of CANN Bench on the simulated device: `./build.sh bench cann [OP] [OPTIONS]`.

One run of a call gives both its results, which are compared with torch, and its modelled time.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Iterator

from rich.table import Table

from ascend_vision_ops import _native, ascend_headers, profiling
from ascend_vision_ops.tables import console, table
from benchmarks.__main__ import progress
from benchmarks.cann import page, score
from benchmarks.cann.cases import Case, arrays, cases, document, wrong
from benchmarks.cann.page import COLUMNS, SUMMARY, Row, summary


def measure(case: Case) -> Row:
    """Runs a case on the device that CANN was measured on."""
    _native.sim.set_soc(document()["device"])
    inputs = case.inputs()
    figures = profiling.profile(case.operator, arrays(inputs))
    pipe, share = max(figures.pipe_shares.items(), key=lambda item: item[1])
    low, high = getattr(figures, "microseconds_range", (None, None))
    written = sum(array.nbytes for array in figures.results)
    return Row(
        case.operator,
        case.case,
        figures.microseconds,
        score.floor(figures.device, figures.least_bytes - written, written),
        f"{pipe} {share:.0%}",
        wrong(case, inputs, figures.results),
        low,
        high,
    )


def chosen(operator: str | None, numbers: list[int]) -> list[Case]:
    """Lists the cases of an operator, or of all, that have these numbers; no numbers are all."""
    return [
        case
        for case in cases()
        if operator in (None, case.operator) and (not numbers or case.case in numbers)
    ]


def run(wanted: list[Case]) -> Iterator[Row]:
    with progress(len(wanted)) as show:
        for done, case in enumerate(wanted):
            show(done, f"{case.operator} {case.case}: {case.call}")
            yield measure(case)


def shown(columns: tuple[str, ...], lines) -> Table:
    """Makes the table of a terminal from cells of the page."""
    made = table(*columns)
    for cells in lines:
        made.add_row(*(cell.replace("**", "").strip("`") for cell in cells))
    return made


def main() -> int:
    operators = sorted({case.operator for case in cases()})
    parser = argparse.ArgumentParser(
        prog="./build.sh bench cann",
        description="Our kernels on the simulated device beside published times of CANN's own.",
    )
    parser.add_argument("operator", nargs="?", choices=operators, metavar="OP", help=", ".join(operators))
    parser.add_argument(
        "--case",
        type=int,
        nargs="+",
        default=[],
        metavar="N",
        help="these cases alone, and no page is written",
    )
    parser.add_argument("--no-page", action="store_true", help="print, but do not write the page")
    options = parser.parse_args()
    wanted = chosen(options.operator, options.case)
    if set(options.case) - {case.case for case in wanted} or not wanted:
        given = ", ".join(str(case.case) for case in chosen(options.operator, []))
        parser.error(f"--case: expected some of {given}, got {' '.join(map(str, options.case))}")
    ascend_headers.prepare(sorted({case.operator for case in wanted}))
    out = console()
    rows = []
    for row in run(wanted):
        rows.append(row)
        if not sys.stdout.isatty():  # somebody reads a file while it grows
            print(row.operator, "|", " | ".join(row.cells()), flush=True)
    if sys.stdout.isatty():
        out.print(shown(COLUMNS, ((f"{row.operator} {row.number}", *row.cells()[1:]) for row in rows)))
    out.print(shown(SUMMARY, summary(rows)))
    for row in rows:
        if row.wrong:
            out.print(f"wrong: {row.operator} {row.case}, {row.wrong}", markup=False, soft_wrap=True)
    if not options.case and not options.no_page:
        page.write(rows)
        out.print(f"written: {page.PAGE}, {page.FIGURE}")
    return 1 if any(row.wrong for row in rows) else 0


if __name__ == "__main__":
    sys.exit(main())
