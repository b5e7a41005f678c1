# SPDX-License-Identifier: Apache-2.0
"""Writes what ran on the simulated device as one page of HTML, which needs no server and no other file."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from ascend_vision_ops.page import write

from .content import content_of
from .timelines import read_launches

FOLDER = Path(__file__).parent


def write_page(
    timelines: str | Path,
    report: str | Path | None,
    page: str | Path,
    title: str = "",
    facts: Sequence[tuple[str, str]] = (),
) -> None:
    """Writes the page.

    Args:
        timelines: the folder that a program filled which ran with AVO_SIM_TIMELINE=FOLDER; it is not there where the
            program launched no kernel
        report: the file of AVO_SIM_REPORT of the same run, whose faults take the place of those in the folder
        page: the file to write
        title: what ran; by default the names of the kernels
        facts: more about the run for the head of the page: names and values

    Raises:
        NotADirectoryError: `timelines` is no folder
    """
    launches = read_launches(Path(timelines), Path(report) if report else None)
    title = title or ", ".join(dict.fromkeys(launch.kernel for launch in launches)) or "no kernel ran"
    data = {"title": title, "facts": [list(fact) for fact in facts], **content_of(launches)}
    write(page, title, data, FOLDER)
