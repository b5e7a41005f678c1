# SPDX-License-Identifier: Apache-2.0
"""`avo sim compare`: compares what kernels issue on the package's own AscendC headers and on CANN's."""

from __future__ import annotations

import argparse
import sys
from collections import Counter
from dataclasses import dataclass, field

from rich.progress import track

from ascend_vision_ops import ascend_headers, operators
from ascend_vision_ops.cli import Failure
from ascend_vision_ops.cli.call import call_of, on_device
from ascend_vision_ops.tables import console, table
from ascend_vision_ops.testing.cases import BoundCase
from ascend_vision_ops.testing.record import BackEnd, Recorded
from ascend_vision_ops.testing.run import cases_of, missing, spec_of, takes
from ascend_vision_ops.testing.sequences import Difference, Step, first_difference

MOST_SHOWN = 3  # differences of an operator that are shown with their source lines


@dataclass
class Row:
    """What the cases of one operator gave."""

    equal: int = 0
    kinds: Counter[str] = field(default_factory=Counter)  # of differences
    failed: list[str] = field(default_factory=list)
    cycles: list[float] = field(default_factory=lambda: [0.0, 0.0])  # ours, theirs
    shown: dict[str, str] = field(default_factory=dict)  # kind of difference: the first call that has it


def calls(options: argparse.Namespace) -> list[BoundCase]:
    """The calls to compare: the one that the options describe, or all cases of the operators."""
    if options.call and ("(" in options.call or options.shape or options.attr or options.dtype):
        return [call_of(options)]
    names = [on_device(options.call)] if options.call else [n for n in operators() if spec_of(n).has_kernel]
    cases = [case for name in names for case in cases_of(name) if takes("aclnn", case) and not case.case.out]
    chosen = [case for case in cases if options.case in (None, case.case.id)]
    if not chosen:
        raise Failure(f"--case: expected a case of {options.call}, got {options.case!r}")
    return chosen


def run_compare(options: argparse.Namespace) -> int:
    if missing("aclnn"):
        raise Failure(f"the simulated device is {missing('aclnn')}")
    chosen = calls(options)
    kernels = options.kernels or ascend_headers.prepare({case.operator for case in chosen})
    if not kernels:
        raise Failure("compare: expected --ascend-headers DIR, or AVO_ASCEND_HEADERS in the environment")
    rows: dict[str, Row] = {}
    out = console()
    with BackEnd("") as ours, BackEnd(kernels) as theirs:
        for case in track(chosen, "compare", disable=not sys.stdout.isatty(), transient=True):
            both = [end.record(case.text) for end in (ours, theirs)]
            add(
                rows.setdefault(case.operator, Row()),
                case.text,
                *(future.result() for future in both),
                options.scalar,
            )
        for name, row in rows.items():
            for text in list(row.shown.values())[:MOST_SHOWN]:
                both = [end.record(text, True) for end in (ours, theirs)]
                show(out, text, first_difference(*(one.result().kernels for one in both), options.scalar))
            for line in row.failed[:MOST_SHOWN]:
                out.print(f"{name}: {line}", markup=False, soft_wrap=True)
    out.print(summary(rows))
    return 1 if any(row.kinds or row.failed for row in rows.values()) else 0


def add(row: Row, text: str, ours: Recorded, theirs: Recorded, scalar: bool) -> None:
    """Compares one call and adds it to its operator's row."""
    for name, one in (("on its own headers", ours), ("on CANN's headers", theirs)):
        if one.error:
            row.failed.append(f"{text} fails {name}: {one.error}")
            return
    row.cycles[0] += ours.cycles
    row.cycles[1] += theirs.cycles
    difference = first_difference(ours.kernels, theirs.kernels, scalar)
    if difference is None:
        row.equal += 1
        return
    row.kinds[difference.kind] += 1
    row.shown.setdefault(difference.kind, text)


def show(out, text: str, difference: Difference | None) -> None:
    """Prints the two steps side by side, with the calls that led to each."""
    if difference is None:
        return
    out.print(
        f"\n{text}\nkernel {difference.kernel}, core {difference.core}, after {difference.before} equal steps",
        markup=False, soft_wrap=True,
    )  # fmt: skip
    rows = table("", "own headers", "CANN's headers")

    def cell(step: Step | None, part: str) -> str:
        if step is None:
            return "(the sequence ends)" if part == "name" else ""
        return {
            "name": step.name,
            "values": "\n".join(step.values),
            "calls": step.calls.replace(" > ", "\n"),
        }[part]

    for title, part in (("step", "name"), ("what", "values"), ("calls", "calls")):
        rows.add_row(title, cell(difference.ours, part), cell(difference.theirs, part))
    out.print(rows)


def summary(rows: dict[str, Row]):
    result = table(
        "operator", ">equal", ">different", "first differences, own / CANN's", ">failed", ">modelled time"
    )
    for name, row in sorted(rows.items()):
        kinds = ", ".join(f"{count} x {kind}" for kind, count in row.kinds.most_common(4))
        change = f"{row.cycles[1] / row.cycles[0] - 1:+.2%}" if row.cycles[0] else ""
        result.add_row(
            name, str(row.equal), str(sum(row.kinds.values())), kinds, str(len(row.failed)), change
        )
    return result
