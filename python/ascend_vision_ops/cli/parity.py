# SPDX-License-Identifier: Apache-2.0
"""`avo parity`: compares every implementation with the reference, on every case."""

from __future__ import annotations

import argparse
import sys
from dataclasses import dataclass, field

from rich.progress import track

from ascend_vision_ops import ascend_headers, operators
from ascend_vision_ops.cli import Failure
from ascend_vision_ops.cli.call import known
from ascend_vision_ops.tables import console, table
from ascend_vision_ops.testing.cases import BoundCase, parse_case
from ascend_vision_ops.testing.compare import EXACT
from ascend_vision_ops.testing.run import TARGETS, cases_of, judge, missing, spec_of, takes


@dataclass
class Row:
    """The verdicts on one result of an operator, for one target and dtype, over all cases.

    share: what part of the tolerance the worst element needs; above 1 it is wrong.
    wrong: a line for each case that is wrong.
    """

    cases: int = 0
    max_error: float = 0.0
    share: float = 0.0
    wrong: list[str] = field(default_factory=list)


QUICK = 12  # cases of an operator


def chosen(options: argparse.Namespace, names: list[str]) -> list[BoundCase]:
    """The cases of --case; otherwise those of the operators, with --quick some of them, spread over all."""
    if options.case:
        return [parse_case(line) for line in options.case]
    cases = []
    for name in names:
        found = [case for case in cases_of(name) if not options.device or takes("npu", case)]
        step = -(-len(found) // QUICK) if options.quick else 1
        cases += found[::step]
    return cases


def run_parity(options: argparse.Namespace) -> int:
    names = [known(name) for name in (*options.operators, *options.op)] or operators()
    cases = chosen(options, names)
    if options.device:
        from ascend_vision_ops.cli.device import run_on_device

        return run_on_device(options, cases)
    if options.report or options.resume:
        raise Failure("--report and --resume: expected --device npu or --device sim with them")
    names = list(dict.fromkeys(case.operator for case in cases))
    if not missing("aclnn"):
        ascend_headers.prepare(names if options.operators or options.op or options.case else None)
    targets = [target for target in TARGETS if not missing(target)]
    work = [(case, target) for case in cases for target in targets if takes(target, case)]
    rows: dict[tuple, Row] = {}
    for case, target in track(work, "parity", disable=not sys.stdout.isatty(), transient=True):
        spec = spec_of(case.operator)
        for output, verdict in judge(case, target).items():
            dtype = spec.dtype_of(output, case.dtypes)
            row = rows.setdefault((case.operator, output, dtype, target), Row())
            row.cases += 1
            row.max_error = max(row.max_error, verdict.max_error)
            row.share = max(row.share, verdict.share)
            if not verdict.ok:
                row.wrong.append(f"{target}:{case.text}: {verdict.message}")
    out = console()
    if "aclnn" in targets:
        out.print(f"kernels against {ascend_headers.description()}", markup=False)
    figures = (">cases", ">max error", "tolerance", ">worst takes", "verdict")
    result = table("operator", "output", "dtype", "target", *figures)
    for (name, output, dtype, target), row in sorted(rows.items()):
        tolerance = spec_of(name).tolerance.get(dtype, EXACT)
        verdict = f"[red]{len(row.wrong)} wrong[/]" if row.wrong else "[green]ok[/]"
        figures = (
            str(row.cases), f"{row.max_error:.3g}", str(tolerance), f"{row.share:.0%} of it", verdict
        )  # fmt: skip
        result.add_row(name, output, dtype, target, *figures)
    out.print(result)
    wrong = [line for row in rows.values() for line in row.wrong]
    for line in wrong[:10]:
        out.print(line, markup=False, soft_wrap=True)
    if len(wrong) > 10:
        out.print(f"… and {len(wrong) - 10} more")
    for target in TARGETS:
        if missing(target):
            out.print(f"{target}: 0 of {sum(takes(target, case) for case in cases)} run, {missing(target)}")
    return 1 if wrong else 0
