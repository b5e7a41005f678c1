# SPDX-License-Identifier: Apache-2.0
"""`avo parity --device npu`: runs the cases of the operators on a device, whatever happens, and writes a report."""

from __future__ import annotations

import argparse
import contextlib
import dataclasses
import sys
from pathlib import Path

from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeRemainingColumn

import ascend_vision_ops
from ascend_vision_ops.cli import Failure
from ascend_vision_ops.cli.report import show
from ascend_vision_ops.doctor import examine
from ascend_vision_ops.doctor.host import commit
from ascend_vision_ops.tables import console
from ascend_vision_ops.testing import report
from ascend_vision_ops.testing.campaign import Campaign, NoWorker
from ascend_vision_ops.testing.cases import BoundCase

REPEAT = {"npu": 10, "sim": 0}


def run_on_device(options: argparse.Namespace, cases: list[BoundCase]) -> int:
    if options.resume and not options.report:
        raise Failure("--resume: expected --report FILE, the report to go on with")
    path = Path(options.report) if options.report else None
    done = former(path, options) if path else None
    texts = [case.text for case in cases]
    left = [text for text in texts if done is None or text not in done.records]
    repeat = REPEAT[options.device] if options.repeat is None else options.repeat
    campaign = Campaign(options.device, seconds=options.timeout, repeat=repeat, model=not options.no_model)
    read = done or report.Report({})
    with contextlib.ExitStack() as stack:
        try:
            stack.enter_context(campaign)
        except NoWorker as error:
            raise Failure(f"--device {options.device}: {error}; `avo doctor` says what is there") from None
        read.head = head(options, campaign)
        writer = stack.enter_context(report.Writer(path, read.head, read.records.values())) if path else None
        stopped = go(campaign, left, read, writer)
    show(read)
    if path:
        console().print(f"report: {path}", markup=False)
    if stopped:
        raise Failure(f"stopped: {stopped}; --resume goes on with the report")
    bad = [one for one in read.records.values() if one["outcome"] in report.BAD]
    return 1 if bad else 0


def former(path: Path, options: argparse.Namespace) -> report.Report | None:
    """The report of a former run; None where there is none."""
    if not path.exists():
        return None
    if not options.resume:
        raise Failure(f"--report: {path} exists; expected a new file, or --resume to go on with it")
    return report.read(path)


def head(options: argparse.Namespace, campaign: Campaign) -> dict:
    return {
        "version": ascend_vision_ops.__version__,
        "commit": commit(),
        "device": options.device,
        "soc": campaign.device.get("soc", ""),
        "model_soc": campaign.model_device.get("soc", ""),
        "timeout": options.timeout,
        "repeat": campaign.repeat,
        "findings": [dataclasses.asdict(finding) for finding in examine()],
    }


def go(campaign: Campaign, texts: list[str], read: report.Report, writer: report.Writer | None) -> str:
    """Runs the cases; returns why it stopped before the last one, empty where it did not."""
    counts = {report.PASSED: 0}
    columns = (TextColumn("{task.description}"), BarColumn(), MofNCompleteColumn(), TimeRemainingColumn())
    with Progress(*columns, disable=not sys.stdout.isatty(), transient=True) as progress:
        task = progress.add_task("", total=len(texts))
        try:
            for record in campaign.run(texts):
                read.records[record["case"]] = record
                if writer:
                    writer.add(record)
                counts[record["outcome"]] = counts.get(record["outcome"], 0) + 1
                told = ", ".join(f"{count} {name}" for name, count in counts.items())
                progress.update(task, advance=1, description=f"{record['operator']}: {told}")
        except NoWorker as error:
            return str(error)
        except KeyboardInterrupt:
            return "interrupted"
    return ""
