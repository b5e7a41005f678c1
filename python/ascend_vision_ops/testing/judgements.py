# SPDX-License-Identifier: Apache-2.0
"""What the judges of the simulated device said about a program: the file that AVO_SIM_REPORT names.

The file has a line for each launch, in the order in which they ended: its kernel, its counters and its faults
(docs/simulator.md). A launch with an error is a failure; warnings fail nothing.
"""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterable
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

from rich.console import Console

from ascend_vision_ops.tables import console, ranged, table

ERROR, WARNING = "error", "warning"
Launch = dict[str, Any]


def read(path: Path) -> list[Launch]:
    """The launches of a report. Raises ValueError, with file and line, where a line is no launch."""
    launches = []
    for number, line in enumerate(Path(path).read_text(encoding="utf-8", errors="replace").splitlines(), 1):
        try:
            launch = json.loads(line)
        except json.JSONDecodeError:
            launch = None
        if not isinstance(launch, dict) or not {"kernel", "faults", "suppressed"} <= launch.keys():
            raise ValueError(
                f"{path}:{number}: expected a launch as AVO_SIM_REPORT writes it, got {line[:60]!r}"
            )
        launches.append(launch)
    return launches


def faults(launch: Launch, severity: str) -> list[dict[str, Any]]:
    return [fault for fault in launch["faults"] if fault["severity"] == severity]


def exit_code(launches: Iterable[Launch]) -> int:
    """1 where a launch has an error, else 0."""
    return int(any(faults(launch, ERROR) for launch in launches))


def counts(launches: list[Launch]) -> dict[str, int]:
    return {
        "launches": len(launches),
        "errors": sum(len(faults(launch, ERROR)) for launch in launches),
        "warnings": sum(len(faults(launch, WARNING)) for launch in launches),
        "suppressed": sum(launch["suppressed"] for launch in launches),
    }


def summary_line(launches: list[Launch]) -> str:
    """'3 launches, 1 error, 0 warnings, 0 suppressed'"""
    words = {"launches": "launch", "errors": "error", "warnings": "warning"}
    return ", ".join(
        f"{count} {words.get(name, name) if count == 1 else name}" for name, count in counts(launches).items()
    )


def print_summary(launches: list[Launch], out: Console | None = None) -> None:
    """Prints a row for each kernel, and then the totals."""
    out = out or console()
    by_kernel: dict[str, list[Launch]] = {}
    for launch in launches:
        by_kernel.setdefault(launch["kernel"], []).append(launch)
    rows = table("kernel", ">launches", ">errors", ">warnings", ">suppressed", ">us", "kinds")
    for kernel, own in by_kernel.items():
        kinds = Counter(fault["kind"] for launch in own for fault in launch["faults"])
        time = sum(launch.get("microseconds", 0) for launch in own)
        bounds = [
            sum(ends)
            for ends in zip(*(launch.get("microseconds_range", (0, 0)) for launch in own), strict=True)
        ]
        rows.add_row(
            kernel,
            *(str(count) for count in counts(own).values()),
            ranged(time, bounds, unit="") if time else "-",  # AVO_SIM_FAST models none
            ", ".join(f"{kind} {count}" for kind, count in sorted(kinds.items())),
        )
    out.print(rows)
    out.print(summary_line(launches))


def write_junit(launches: list[Launch], path: Path) -> None:
    """Writes JUnit's XML: a test case for each launch, with the modelled time in seconds; warnings are its output."""
    total = counts(launches)
    suites = ElementTree.Element("testsuites")
    suite = ElementTree.SubElement(
        suites,
        "testsuite",
        name="simulated device",
        tests=str(len(launches)),
        failures=str(sum(bool(faults(launch, ERROR)) for launch in launches)),
        errors="0",
        time=_seconds(sum(launch.get("microseconds", 0) for launch in launches)),
    )
    for number, launch in enumerate(launches, 1):
        case = ElementTree.SubElement(
            suite,
            "testcase",
            classname=launch.get("soc") or "simulated device",
            name=f"{number} {launch['kernel']}",
            time=_seconds(launch.get("microseconds", 0)),
        )
        if errors := faults(launch, ERROR):
            kinds = ", ".join(dict.fromkeys(fault["kind"] for fault in errors))
            failure = ElementTree.SubElement(case, "failure", type=kinds, message=errors[0]["text"])
            failure.text = "\n".join(fault["text"] for fault in errors)
        if warnings := faults(launch, WARNING):
            ElementTree.SubElement(case, "system-out").text = "\n".join(fault["text"] for fault in warnings)
    if total["suppressed"]:
        properties = ElementTree.Element("properties")
        ElementTree.SubElement(properties, "property", name="suppressed", value=str(total["suppressed"]))
        suite.insert(0, properties)
    ElementTree.indent(suites)
    ElementTree.ElementTree(suites).write(path, encoding="utf-8", xml_declaration=True)


def _seconds(microseconds: float) -> str:
    return f"{microseconds / 1e6:.9f}"


def write_json(launches: list[Launch], path: Path) -> None:
    """Writes one object: the totals, and the launches as they are."""
    Path(path).write_text(json.dumps(counts(launches) | {"launched": launches}, indent=1) + "\n")
