# SPDX-License-Identifier: Apache-2.0
"""Compares the CPU kernels with the best peer on this machine: `./build.sh bench [OP] [OPTIONS]`.

The files benchmarks/workloads/<family>/<op>.py state what is measured (see benchmarks/workload.py). benchmarks/peers
calls other projects. benchmarks/measure.py times all contestants, with a process for each number of threads. `bench
overhead` runs overhead.py.
"""

from __future__ import annotations

import argparse
import contextlib
import json
import os
import subprocess
import sys
import tempfile
from functools import partial

from ascend_vision_ops.cli.show import console
from benchmarks import gate, page, report
from benchmarks.workload import TURN, operators, threaded


def environment(threads: int) -> dict[str, str]:
    """The environment of a process whose libraries create pools of this many threads, which do not spin while idle."""
    counts = dict.fromkeys(("OMP_NUM_THREADS", "MKL_NUM_THREADS", "OPENBLAS_NUM_THREADS"), str(threads))
    return {**os.environ, **counts, "OMP_WAIT_POLICY": "PASSIVE"}


@contextlib.contextmanager
def progress(total: int):
    """Gives a function that takes the number of operators done and what runs now. It draws a bar on a terminal and
    prints nothing in a pipe."""
    if not sys.stderr.isatty():
        yield lambda done, text: None
        return
    from rich.console import Console
    from rich.progress import BarColumn, Progress, TextColumn, TimeElapsedColumn

    columns = (
        BarColumn(30),
        TextColumn("{task.completed}/{task.total} {task.description}"),
        TimeElapsedColumn(),
    )
    with Progress(*columns, console=Console(stderr=True), transient=True) as bar:
        task = bar.add_task("", total=total)
        yield lambda done, text: bar.update(task, completed=done, description=text)


def run(names: list[str], counts: list[int], clock: str, turn: float, only: str) -> list[dict]:
    """Collects the lines that benchmarks.measure prints for these operators at these numbers of threads."""
    return collect([*names, "--turn", str(turn), "--only", only], len(names), counts, clock)


def collect(arguments: list[str], works: int, counts: list[int], clock: str) -> list[dict]:
    """Collects what benchmarks.measure prints with these arguments. works: how often it says that some work ends."""
    lines, done = [], 0
    with progress(works * len(counts)) as show:
        for threads in counts:
            command = [sys.executable, "-m", "benchmarks.measure", *arguments, "--threads", str(threads)]
            command += ["--clock", clock]
            # Libraries print much; only the end matters, and only when a process fails.
            with (
                tempfile.TemporaryFile("w+", errors="replace") as errors,
                subprocess.Popen(
                    command, stdout=subprocess.PIPE, stderr=errors, text=True, env=environment(threads)
                ) as process,
            ):
                for text in process.stdout:
                    line = json.loads(text)
                    done += line["kind"] == "end"
                    if line["kind"] == "begin":
                        show(done, f"{threaded(threads)}: {line['operator']} {line['workload']}")
                    lines.append(line)
                if process.wait():
                    errors.seek(0)
                    told = "".join(errors.readlines()[-20:])
                    raise SystemExit(f"{told}bench: at {threaded(threads)}, ended with {process.returncode}")
    return lines


def thread_counts(text: str) -> list[int]:
    every = len(os.sched_getaffinity(0))
    try:
        counts = [every if part == "all" else int(part) for part in text.split(",")]
    except ValueError:
        counts = [0]
    if not all(0 < count <= every for count in counts):
        raise argparse.ArgumentTypeError(f"expected numbers from 1 to {every} or 'all', got {text!r}")
    return sorted(set(counts))


def parser() -> argparse.ArgumentParser:
    made = argparse.ArgumentParser(
        prog="./build.sh bench",
        description="CPU kernels against the best peer on this machine.",
        epilog="'./build.sh bench setup' installs peers: OpenVINO, OpenCV 5, mmcv's compiled operators.",
    )
    made.add_argument(
        "operator", nargs="?", choices=[*operators(), "overhead"], metavar="OP",
        help="all by default; 'overhead' is what a call costs beside its work",
    )  # fmt: skip
    made.add_argument(
        "--threads", type=thread_counts, default="1,all", metavar="N,…", help="how many, in turn (1,all)"
    )
    made.add_argument("--only", default="", metavar="TEXT", help="workloads whose names have this in them")
    made.add_argument(
        "--cpu-time", action="store_true", help="time by the process's CPU time, for a busy machine"
    )
    made.add_argument(
        "--turn", type=float, default=TURN, metavar="MS",
        help=f"how long a contestant goes on in each turn ({TURN}); 0: one call, behind those of others",
    )  # fmt: skip
    made.add_argument(
        "--random", type=int, metavar="N",
        help="draw N workloads that no file lists and show where a peer is faster, at one thread",
    )  # fmt: skip
    made.add_argument("--seed", type=int, default=0, help="of --random (0); equal seeds draw equal workloads")
    made.add_argument("--rounds", type=int, default=15, metavar="N", help="of overhead (15)")
    made.add_argument(
        "--save",
        action="store_true",
        help="write docs/benchmarks.md and its figure; with OP, replace only the rows of OP",
    )
    made.add_argument(
        "--gate", action="store_true",
        help=f"exit 1 where a ratio is more than {gate.ALLOWANCE:.0%}% below that of docs/benchmarks.md in two runs",
    )  # fmt: skip
    return made


def main() -> int:
    made = parser()
    options = made.parse_args()
    if options.operator == "overhead":
        return overhead(options.rounds)
    if options.random is not None:
        if options.random < 1 or options.save or options.gate or options.only:
            made.error("--random N: expected N above 0, without --save, --gate and --only")
        return drawn_workloads(options)
    whole = not options.operator and not options.only
    usual = options.threads == thread_counts(made.get_default("threads")) and options.turn == TURN
    if options.save and (options.only or not usual):
        made.error("--save measures whole operators as they are: no --only, no --threads, no --turn")
    saved = report.saved()
    if options.save and not (whole or saved):
        made.error(f"--save: expected no OP, since {report.PAGE} has no rows of the other operators")
    if options.gate and not saved:
        made.error(f"--gate compares with {report.PAGE}, which has no rows: --save writes it")
    if options.gate and options.turn != (turn := report.saved_turn()):
        made.error(f"--turn: --gate expects {turn:g}, as {report.PAGE} was measured, got {options.turn:g}")
    clock = "cpu" if options.cpu_time else "wall"
    names = [options.operator] if options.operator else operators()
    lines = run(names, options.threads, clock, options.turn, options.only)
    rows = report.sort(report.row(line) for line in lines if line["kind"] == "result")
    out = console()
    for text in page.heading(lines, clock):
        out.print(f"- {text}", soft_wrap=True)
    out.print()
    out.print(report.shown(rows, out.width))
    for line in lines:
        for name, why in line.get("absent", {}).items():
            if why:
                out.print(f"{line['operator']} {line['workload']}: {name} {why[:300]}", soft_wrap=True)
    status = 0
    if options.gate:
        # The CPU time of several threads does not tell how long they take together.
        counts = {1} if options.cpu_time else set(options.threads)
        saved = [row for row in saved if row.threads in counts]
        again = partial(measured_again, clock=clock, turn=options.turn, out=out)
        status = judged(list(gate.fallen(saved, rows, whole, again)), out)
    if options.save:
        if whole:
            page.write(page.heading(lines, clock), rows, gate.ALLOWANCE)
        else:
            heading = page.heading_beside(
                report.saved_heading(), options.operator, page.heading(lines, clock)
            )
            page.write(heading, report.replaced(saved, rows, operators()), gate.ALLOWANCE)
        out.print(f"\nwritten: {report.PAGE}, {report.FIGURE}")
    return status


def measured_again(row: report.Row, clock: str, turn: float, out) -> report.Row:
    """Measures the workload of a row again and returns the new row."""
    out.print(f"\nmeasuring again: {row.operator} {row.workload}, {threaded(row.threads)}", soft_wrap=True)
    lines = run([row.operator], [row.threads], clock, turn, row.workload)
    rows = (report.row(line) for line in lines if line["kind"] == "result")
    return next(found for found in rows if found.key == row.key)


def judged(fallen: list, out) -> int:
    """Prints the rows that fell below the saved run, and returns the exit code."""
    from ascend_vision_ops.cli.show import table

    rows = table("operator", "workload", ">threads", "fell")
    for row, text in fallen:
        rows.add_row(row.operator, row.workload, str(row.threads), text)
    out.print()
    out.print(rows if fallen else f"gate: no ratio fell by more than {gate.ALLOWANCE:.0%} in two runs")
    return 1 if fallen else 0


def drawn_workloads(options) -> int:
    """Compares workloads that are drawn; the exit code says nothing about their times."""
    from ascend_vision_ops.cli.show import table
    from benchmarks import drawn

    names = [options.operator] if options.operator else drawn.drawable()
    if not set(names) <= set(drawn.drawable()):
        raise SystemExit(f"bench --random: expected one of {', '.join(drawn.drawable())}, got {names[0]}")
    out, lines = console(), drawn.drawn(options.random, options.seed, names)
    clock = "cpu" if options.cpu_time else "wall"

    def rows_of(wanted: list[str]) -> list[report.Row]:
        with tempfile.NamedTemporaryFile("w", suffix=".txt", encoding="utf-8") as file:
            file.write("\n".join(wanted))
            file.flush()
            told = collect(["--drawn", file.name], len(wanted), [1], clock)
        return [report.row(line) for line in told if line["kind"] == "result"]

    rows, slow = drawn.behind(lines, rows_of)
    shown = table("class", "workload", ">ours ms", "best peer", ">its ms", ">ratio", "reason")
    for row in slow:
        line = f"{row.operator}({row.workload})"
        cells = (row.ours.split()[0], row.best, row.best_time, f"{row.ratio:.2f} x", drawn.reason(row))
        shown.add_row(drawn.kind_of(line), line, *cells)
    if slow:
        out.print(shown)
    for text in drawn.summary(lines, rows, slow):
        out.print(text, soft_wrap=True)
    return 0


def overhead(rounds: int) -> int:
    os.environ["OMP_NUM_THREADS"] = "1"
    import torch

    from benchmarks import overhead as module

    torch.set_num_threads(1)
    module.run(rounds)
    return 0


if __name__ == "__main__":
    sys.exit(main())
