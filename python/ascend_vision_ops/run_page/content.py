# SPDX-License-Identifier: Apache-2.0
"""What the page shows: numbers, sentences and excerpts, which page.js lays out."""

from __future__ import annotations

from collections import defaultdict

import numpy as np

from .merge import budgets, encoded, merged
from .phases import Unit, judged, phases, units
from .sources import Sources
from .timelines import CAUSES, Launch, Site

MOST_LINES = 12  # source lines of a launch that are listed as hot
LEAST_SHARE = 0.001  # of all cycles that such a line takes


def content_of(launches: list[Launch]) -> dict:
    sources = Sources()
    shown = [
        launch_content(launch, budget, sources)
        for launch, budget in zip(launches, budgets(launches), strict=True)
    ]
    return {"launches": shown, "sources": sources.excerpts(), "causes": CAUSES}


def launch_content(launch: Launch, budget: int, sources: Sources) -> dict:
    report = launch.report
    for site in launch.sites:
        sources.add(site.file, site.line, launch.modules)
    content = {
        "kernel": launch.kernel,
        "soc": report.get("soc", ""),
        "headers": report.get("headers", ""),
        "blocks": report.get("blocks", 0),
        "cores": report.get("cores", 0),
        "seed": report.get("seed"),
        "suppressed": report.get("suppressed", 0),
        "microseconds": report.get("microseconds", 0),
        "range": report.get("microseconds_range"),
        "faults": [fault_content(fault, launch, sources) for fault in report.get("faults", ())],
    }
    found = units(launch)
    if not found or launch.ticks <= launch.start:
        return content | {"absent": "it ran without the cycle model (AVO_SIM_FAST), or issued nothing"}
    if budget == 0:
        return content | {"absent": "the page has timelines of the longest launches alone"}
    rows, gap = merged(launch, budget)
    unit, _, _, verdict = judged(launch, found, launch.start, launch.ticks)
    start = launch.microseconds(launch.start)
    if start > 0.3 * report["microseconds"]:
        verdict += f" {start:.2f} of {report['microseconds']:.2f} us is the launch itself."
    return content | {
        "clock": launch.device["clock_ghz"],
        "device": launch.device,
        "tick": launch.tick,
        "ticks": launch.ticks,
        "start": launch.start,
        "verdict": verdict,
        "bound": unit.pipe,
        "gap": gap,
        "instructions": sum(len(row.slices) for row in launch.rows),
        "groups": sum(len(row["start"]) for row in rows),
        "sites": [list(site) for site in launch.sites],
        "rows": [
            {
                "core": row.core,
                "cube": row.cube,
                "pipe": row.pipe,
                "size": len(part["start"]),
                "columns": list(part),
            }
            for row, part in zip(launch.rows, rows, strict=True)
        ],
        "words": encoded(rows),
        "phases": [
            [part.begin, part.end, part.pipe, part.share, part.cores, part.sentence]
            for part in phases(launch)
        ],
        "pipes": pipe_table(launch, found),
        "paths": path_table(launch),
        "roofline": roofline(launch, found),
        "hot": hot_lines(launch),
        "peaks": peaks(report, launch.device),
    }


def fault_content(fault: dict, launch: Launch, sources: Sources) -> dict:
    sites = fault.get("sites") or []
    for site in sites:
        sources.add(site.get("file") or "", site.get("line") or 0, launch.modules)
    return {
        "kind": fault["kind"],
        "severity": fault.get("severity", "error"),
        "block": fault["block"],
        "text": fault["text"],
        "sites": [
            [site.get("call", ""), site.get("file") or "", site.get("line") or 0, site.get("path") or []]
            for site in sites
        ],
    }


def pipe_table(launch: Launch, found: list[Unit]) -> list[dict]:
    """For each pipe the counters of the report, and shares of the time of a core: busy, and waiting by cause."""
    result = []
    for pipe, counters in launch.report["pipes"].items():
        same = [unit for unit in found if unit.pipe == pipe]
        cores = sum(unit.cores for unit in same)
        if not same or cores == 0:
            continue
        time = (launch.ticks - launch.start) * cores
        slices = [row.slices for unit in same for row in unit.rows]
        waited = sum(np.bincount(one["cause"], one["waited"], len(CAUSES)) for one in slices)
        stalled = sum(int(one["stalled"].sum()) for one in slices)
        cycles = counters["busy_cycles"]
        result.append(
            {
                "pipe": pipe,
                **{name: counters[name] for name in ("instructions", "repeats", "bytes")},
                "microseconds": cycles / cores / (launch.device["clock_ghz"] * 1e3),
                "busy": cycles / launch.tick / time,
                "stalled": min(stalled / time, cycles / launch.tick / time),
                "waits": {
                    name: float(ticks / time) for name, ticks in zip(CAUSES, waited, strict=True) if ticks
                },
            }
        )
    return result


def path_table(launch: Launch) -> list[dict]:
    """The paths to memory: bytes, and the part that these are of what the path could move in the time."""
    report, device = launch.report, launch.device
    seconds = report["microseconds"] * 1e-6
    result = []
    for name, key, peak in (
        ("HBM", "hbm", device["hbm_bytes_per_second"]),
        ("L2 (all of global memory)", "gm", device["l2_bytes_per_second"]),
    ):
        read, written = report[f"{key}_read_bytes"], report[f"{key}_write_bytes"]
        rate = (read + written) / seconds
        result.append(
            {"path": name, "read": read, "written": written, "rate": rate, "peak": peak, "share": rate / peak}
        )
    return result


def roofline(launch: Launch, found: list[Unit]) -> dict:
    """The work of the vector or cube units, in cycles, over the bytes through HBM, both of the whole launch."""
    report, device = launch.report, launch.device
    pipes = report["pipes"]
    pipe = max(("V", "M"), key=lambda name: pipes[name]["busy_cycles"])
    return {
        "pipe": pipe,
        "work": pipes[pipe]["busy_cycles"],
        "bytes": report["hbm_read_bytes"] + report["hbm_write_bytes"],
        "cycles": report["cycles"],
        "cores": device["cube_cores" if pipe == "M" else "vector_cores"],
        "bandwidth": device["hbm_bytes_per_second"] / (device["clock_ghz"] * 1e9),
    }


def peaks(report: dict, device: dict) -> list[list]:
    return [
        ["cores at work", f"{report['cores']}", ""],
        ["scalar accesses", f"{report['scalar_accesses']:,}", ""],
        ["Unified Buffer, peak", f"{report['ub_peak_bytes']:,} bytes", f"of {device['ub_bytes']:,}"],
    ]


def hot_lines(launch: Launch) -> list[dict]:
    """The source lines whose instructions take the most cycles, over all cores."""
    sites = len(launch.sites)
    totals: dict[str, np.ndarray] = {name: np.zeros(sites) for name in ("length", "bytes", "waited", "count")}
    issued = np.zeros(sites)
    pipes: dict[int, set[str]] = defaultdict(set)
    for row in launch.rows:
        numbers = row.slices["site"]
        for name in ("length", "bytes", "waited"):
            totals[name] += np.bincount(numbers, row.slices[name], sites)
        # The scalar unit issues what other pipes do, so that its part of a call is no further one.
        if row.pipe == "S":
            issued += np.bincount(numbers, minlength=sites)
        else:
            totals["count"] += np.bincount(numbers, minlength=sites)
        for number in np.unique(numbers[row.slices["length"] > 0]).tolist():
            pipes[number].add(row.pipe)
    totals["count"] = np.where(totals["count"] > 0, totals["count"], issued)
    lines: dict[tuple[str, int], list[int]] = defaultdict(list)
    for number, site in enumerate(launch.sites):
        lines[site.file, site.line].append(number)
    whole = max(totals["length"].sum(), 1)
    result = []
    for numbers in sorted(lines.values(), key=lambda numbers: -totals["length"][numbers].sum())[:MOST_LINES]:
        site: Site = launch.sites[max(numbers, key=lambda number: totals["length"][number])]
        result.append(
            {
                "name": site.name,
                "file": site.file,
                "line": site.line,
                "calls": site.calls,
                "pipes": sorted(
                    {pipe for number in numbers for pipe in pipes[number]},
                    key=lambda pipe: (pipe == "S", pipe),
                ),
                "share": float(totals["length"][numbers].sum() / whole),
                "cycles": float(totals["length"][numbers].sum() * launch.tick),
                "waited": float(totals["waited"][numbers].sum() * launch.tick),
                "bytes": float(totals["bytes"][numbers].sum()),
                "count": int(totals["count"][numbers].sum()),
            }
        )
    return [one for one in result if one["share"] >= LEAST_SHARE]
