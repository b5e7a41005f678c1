# SPDX-License-Identifier: Apache-2.0
"""`avo sim report`: shows what the judges said about a program (AVO_SIM_REPORT), and tells a CI."""

from __future__ import annotations

import argparse
from pathlib import Path

from ascend_vision_ops.tables import console
from ascend_vision_ops.testing import judgements


def run_judgements(options: argparse.Namespace) -> int:
    launches = judgements.read(Path(options.file))
    out = console()
    for launch in launches:
        for fault in launch["faults"]:
            mark = "warning: " if fault["severity"] == judgements.WARNING else ""
            out.print(mark + fault["text"], markup=False, soft_wrap=True)
    judgements.print_summary(launches, out)
    if options.junit:
        judgements.write_junit(launches, Path(options.junit))
    if options.json:
        judgements.write_json(launches, Path(options.json))
    return judgements.exit_code(launches)
