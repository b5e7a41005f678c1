# SPDX-License-Identifier: Apache-2.0
"""Kernels of other projects on the simulated device, beside ours: a section of docs/performance.md.

others.json has what was measured, outside this repository, with `ascend_vision_ops.sim.operator(folder).profile(…)`:
the project's own tiling and kernel, on calls of docs/performance.md with the same values. Results were compared with
torch. Ours come from the page.
"""

from __future__ import annotations

import json
from pathlib import Path

FILE = Path(__file__).with_name("others.json")
TITLE = "Kernels of other projects"
TEXT = """\
These public kernels [run on the simulated device](simulator.md#run-an-operator-project), too, with their own tiling, so
that one clock measures them and ours. All calls are calls of this page, with the same values, on {device}, and
their results agree with torch. **theirs** is the kernel alone: where it takes images with the channels last, nobody
counts the time that a caller needs to bring them into this order and back.

Sources: {sources}. ops-cv also has experimental kernels that work with
the scalar unit: roi_align_v2 takes 1,302 us for the shapes of case 13 of [CANN Bench](cann_bench.md#roi_align) and
298 us for those of case 3, and nms_with_mask takes 713 us for 1,024 sorted boxes.
"""
HEAD = "| operator | call | ours | theirs | theirs over ours | kernel | what it does |"
RULE = "| --- | --- | ---: | ---: | ---: | --- | --- |"


def document() -> dict:
    return json.loads(FILE.read_text(encoding="utf-8"))


def microseconds(cell: str) -> float:
    """Reads the time of a cell such as `1,302 us (1,200..1,400)`."""
    return float(cell.split()[0].replace(",", ""))


def section(times: dict[tuple[str, str], str]) -> str:
    """Gives the section; `times` has the cells of the page with our times, by operator and call."""
    found = document()
    sources = ", ".join(
        f"{name}: {source['repository']} at `{source['commit'][:12]}`"
        for name, source in found["sources"].items()
    )
    lines = [f"## {TITLE}", "", TEXT.format(device=found["device"], sources=sources), HEAD, RULE]
    for entry in found["kernels"]:
        ours = times[entry["operator"], entry["call"]]
        ratio = entry["us"] / microseconds(ours)
        shown = f"{ratio:.2f} x" if ratio >= 1 else f"**{ratio:.2f} x**"
        cells = (
            entry["operator"], entry["call"], ours, f"{entry['us']:,} us", shown,
            f"{entry['project']} {entry['kernel']}", entry["note"],
        )  # fmt: skip
        lines.append(f"| {' | '.join(cells)} |")
    return "\n".join([*lines, ""])
