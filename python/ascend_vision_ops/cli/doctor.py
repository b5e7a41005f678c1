# SPDX-License-Identifier: Apache-2.0
"""`avo doctor`: says what is there and what does not fit, and what to do about it."""

from __future__ import annotations

import argparse
import dataclasses
import json

from rich.table import Table

from ascend_vision_ops.doctor import ATTENTION, MISSING, OK, Finding, examine, runs_on
from ascend_vision_ops.tables import console, table

COLOURS = {OK: "green", ATTENTION: "yellow", MISSING: "red"}


def findings_table(findings: list[Finding]) -> Table:
    rows = table("part", "what", "state", "found")
    part = ""
    for finding in findings:
        state = f"[{COLOURS[finding.state]}]{finding.state}[/]"
        rows.add_row(finding.part if finding.part != part else "", finding.item, state, finding.found)
        part = finding.part
    return rows


def run_doctor(options: argparse.Namespace) -> int:
    findings = examine()
    targets = runs_on(findings)
    if options.json:
        print(
            json.dumps(
                {"runs_on": targets, "findings": [dataclasses.asdict(one) for one in findings]}, indent=1
            )
        )
        return 0 if targets else 1
    out = console()
    out.print(findings_table(findings))
    todo = [finding for finding in findings if finding.advice]
    if todo:
        out.print("\nWhat to do:")
    for finding in todo:
        out.print(f"  {finding.item}: {finding.advice}", markup=False, soft_wrap=True)
    where = {"sim": "on the simulated device", "npu": "on an NPU"}
    out.print(f"\nThe operators run {' and '.join(where[target] for target in targets) or 'nowhere here'}.")
    return 0 if targets else 1
