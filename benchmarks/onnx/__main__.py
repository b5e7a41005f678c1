# SPDX-License-Identifier: Apache-2.0
"""Compares our passes with other simplifiers on models that are not ours: `./build.sh bench onnx [OPTIONS]`."""

from __future__ import annotations

import argparse
import sys
import tempfile
from collections.abc import Iterable, Iterator
from pathlib import Path

from ascend_vision_ops.tables import console, table
from benchmarks.__main__ import progress
from benchmarks.onnx import page
from benchmarks.onnx.judge import Judge
from benchmarks.onnx.models import Absent, Model, models
from benchmarks.onnx.page import Row, Tool, row_of
from benchmarks.onnx.tools import OURS, run, versions


def measure(model: Model, tools: list[str], rounds: int, runner=run) -> Row:
    """Runs all tools on a model and judges what they made. Raises Absent where the model cannot be had."""
    path = model.file()
    judge = Judge(path, model.inputs, model.input)
    found = {}
    with tempfile.TemporaryDirectory() as folder:
        for name in tools:
            result = Path(folder) / f"{name}.onnx"
            runs = [runner(name, path, result) for _ in range(rounds)]
            failed = next((item.refused for item in runs if item.refused), "")
            judged = None if failed else judge.judge(result)
            found[name] = Tool(
                None if judged is None else judged.nodes,
                0 if judged is None else judged.bytes,
                min(item.seconds for item in runs),
                min(item.megabytes for item in runs),
                0.0 if judged is None else judged.error,
                failed,
                "" if judged is None else judged.wrong,
            )
    return row_of(model, judge.before, found)


def measured(chosen: Iterable[Model], tools: list[str], rounds: int, out, stored: bool) -> Iterator[Row]:
    """The rows of the models, which are stored one by one.

    stored: takes those that an earlier run of the same code stored.
    """
    chosen = list(chosen)
    with progress(len(chosen)) as show:
        for done, model in enumerate(chosen):
            show(done, model.name)
            row = page.stored(model.name) if stored else None
            if row is not None and set(tools) <= set(row.tools):
                yield row
                continue
            try:
                row = measure(model, tools, rounds)
            except Absent as why:
                out.print(f"left out: {model.name}: {why}", markup=False, soft_wrap=True)
                continue
            page.store(row)
            yield row


def main() -> int:
    parser = argparse.ArgumentParser(
        prog="./build.sh bench onnx", description="Our passes beside other simplifiers of ONNX models."
    )
    parser.add_argument(
        "--only", default="", metavar="TEXT", help="models whose names have this in them; no page is written"
    )
    parser.add_argument("--tools", default="", metavar="A,B", help="these tools alone; no page is written")
    parser.add_argument("--rounds", type=int, default=2, help="runs of each tool; the least time counts (2)")
    parser.add_argument(
        "--go-on", action="store_true", help="keep the rows that an earlier run of the same code measured"
    )
    parser.add_argument(
        "--stored", action="store_true", help="measure nothing; write the page from such rows alone"
    )
    parser.add_argument("--no-page", action="store_true", help="print, but do not write the page")
    options = parser.parse_args()
    out, present = console(), versions()
    tools = options.tools.split(",") if options.tools else [OURS, *present]
    if not set(tools) <= {OURS, *present}:
        parser.error(f"--tools: expected some of {', '.join([OURS, *present])}, got {options.tools}")
    chosen = [model for model in models() if options.only.lower() in model.name.lower()]
    if options.stored:
        chosen = [model for model in chosen if page.stored(model.name) is not None]
    if not chosen:
        parser.error(
            f"--only: no model has {options.only!r} in its name{' and a stored row' * options.stored}"
        )
    rows = []
    for row in measured(chosen, tools, options.rounds, out, options.go_on or options.stored):
        rows.append(row)
        if not sys.stdout.isatty():
            print(" | ".join(row.cells(tools)), flush=True)
    shown = table(*page.columns(tools))
    for row in rows:
        shown.add_row(*(cell.replace("**", "") for cell in row.cells(tools)))
    if sys.stdout.isatty():
        out.print(shown)
    for line in page.summary(rows, tools):
        out.print(line, markup=False, soft_wrap=True)
    for row in rows:
        for name, tool in row.tools.items():
            if tool.fault:
                out.print(f"{row.name}, {name}: {tool.fault}", markup=False, soft_wrap=True)
    if not options.only and not options.no_page and not options.tools:
        page.write(rows, tools, present)
        out.print(f"written: {page.PAGE}, {page.FIGURE}")
    return 1 if any(row.tools[OURS].fault for row in rows if OURS in row.tools) else 0


if __name__ == "__main__":
    sys.exit(main())
