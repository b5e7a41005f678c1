# SPDX-License-Identifier: Apache-2.0
"""`avo profile`: shows what one call costs on the simulated device; compares the simulator with published times."""

from __future__ import annotations

import argparse
import json
import subprocess
import tempfile
from pathlib import Path

from ascend_vision_ops import ascend_headers, paths, profiling
from ascend_vision_ops.cli import Failure
from ascend_vision_ops.cli.call import call_of
from ascend_vision_ops.cli.show import console, table


def run_profile(options: argparse.Namespace) -> int:
    if options.calibration:
        return calibration()
    case = call_of(options)
    ascend_headers.prepare([case.operator])
    if options.soc:
        from ascend_vision_ops import _native

        _native.sim.set_soc(options.soc)
    with tempfile.TemporaryDirectory() as timelines:
        figures = profiling.profile(
            case.operator,
            case.arguments(),
            trace=bool(options.trace),
            timelines=timelines if options.html else None,
        )
        if options.html:
            write_html(timelines, options.html, case.text, figures)
    out = console()
    out.print(f"{case.text} on {figures.device['soc']}", markup=False)
    out.print(f"kernels against {ascend_headers.description()}", markup=False)
    show(out, figures)
    if options.trace:
        Path(options.trace).write_text(figures.trace, encoding="utf-8")
        out.print(f"trace: {options.trace} (open in ui.perfetto.dev)")
    if options.html:
        out.print(f"page: {options.html}")
    return 0


def show(out, figures: profiling.Figures) -> None:
    """Prints a table for each kernel, and the figures of the call."""
    for report in figures.reports:
        out.print(f"\nkernel {report['kernel']}: {report['blocks']} blocks, {report['cores']} cores at work")
        rows = table("pipe", ">instructions", ">repeats", ">bytes", ">busy, mean us a block")
        for pipe, counters in report["pipes"].items():
            if counters["instructions"]:
                busy = counters["busy_cycles"] / figures.device["clock_ghz"] / 1e3 / max(report["blocks"], 1)
                numbers = (f"{counters[name]:,}" for name in ("instructions", "repeats", "bytes"))
                rows.add_row(pipe, *numbers, f"{busy:.2f}")
        out.print(rows)
    out.print()
    summary(out, figures)


def write_html(timelines: str, page: str, title: str, figures: profiling.Figures) -> None:
    """Writes the page of the run, with the figures that need the whole call."""
    from ascend_vision_ops.run_page import write_page

    facts = [
        ("AscendC headers", ascend_headers.description()),
        (
            "roofline",
            f"{figures.roofline_microseconds:.2f} us (HBM or cube unit at its peak); "
            f"the call takes {figures.time_over_roofline:.2f} x as long",
        ),
        ("bytes of global memory", f"{figures.bytes_over_least:.3f} x of the least"),
    ]
    write_page(timelines, None, page, title, facts)


def summary(out, figures: profiling.Figures) -> None:
    rows = table("figure", ">value", "against")
    paths = {
        name: sum(report[f"{name.lower().replace(' ', '_')}_bytes"] for report in figures.reports)
        for name in ("GM read", "GM write", "HBM read", "HBM write")
    }
    cores = f"{figures.device['vector_cores']} vector cores"
    products = any(report["pipes"]["M"]["instructions"] for report in figures.reports)
    if products:
        cores += f" and {figures.device['cube_cores']} cube cores"
    rows.add_row("cores used", str(figures.cores), cores)
    for name, count in paths.items():
        rows.add_row(f"{name}, bytes", f"{count:,}", "")
    rows.add_row("GM bytes", f"{figures.bytes_over_least:.3f} x", f"{figures.least_bytes:,} bytes in and out")
    rows.add_row(
        "modelled time", f"{figures.microseconds:.2f} us", f"{figures.time_over_roofline:.2f} x roofline "
        f"({figures.roofline_microseconds:.2f} us: HBM or cube unit at its peak)"
    )  # fmt: skip
    if products:
        rows.add_row("cube unit", f"{figures.pipe_shares['M']:.1%}", "busy, as a mean over the cube cores")
    rows.add_row("scalar accesses", f"{figures.scalar_accesses_per_output:.4f}", "an output")
    peak = max((report["ub_peak_bytes"] for report in figures.reports), default=0)
    rows.add_row("Unified Buffer, peak", f"{peak:,}", f"{figures.device['ub_bytes']:,} bytes")
    out.print(rows)


def calibration() -> int:
    """Compares the simulator with published measurements; returns 1 if an entry differs by more than its bound."""
    program = paths.PACKAGE / "bin" / "sim_calibrate"
    out = console()
    with out.status("Running the kernels of the published measurements on the simulated device"):
        done = subprocess.run([program], capture_output=True, text=True)
    if not done.stdout:
        raise Failure(f"{program.name} failed: {done.stderr.strip()}")
    result = json.loads(done.stdout)
    rows = table("case", "pipe", ">published", ">modelled", ">error", "what")
    for entry in [*result["times"], *result["ratios"], *result["products"]]:
        what = entry["what"]
        for name, pair in entry.items():
            if isinstance(pair, dict):
                unit = " x" if name == "relative" else " us"
                figures = (f"{pair[key]:.4g}{unit}" for key in ("published", "modelled"))
                rows.add_row(entry["case"], name, *figures, f"{pair['error']:+.1%}", what)
                what = ""
    out.print(rows)
    bound, order = f"{result['task_bound']:.0%}", "kept" if result["ordered"] else "NOT kept"
    verdict = "ok" if result["ok"] else "NOT within the bounds"
    out.print(f"Every task is within {bound}: {verdict}. The order of the measurements: {order}.")
    return 0 if result["ok"] else 1
