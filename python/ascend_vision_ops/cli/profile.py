# SPDX-License-Identifier: Apache-2.0
"""`avo profile`: shows what one call costs on the simulated device; compares the simulator with published times."""

from __future__ import annotations

import argparse
import tempfile
from pathlib import Path

from ascend_vision_ops import ascend_headers, calibration, paths, profiling
from ascend_vision_ops.cli import Failure
from ascend_vision_ops.cli.call import call_of
from ascend_vision_ops.tables import console, show_figures, table


def run_profile(options: argparse.Namespace) -> int:
    if options.calibration:
        return show_calibration()
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
    if figures.reports:
        show_figures(out, figures)
    else:
        out.print("The call launches no kernel, because it has nothing to compute.")
    if options.trace:
        Path(options.trace).write_text(figures.trace, encoding="utf-8")
        out.print(f"trace: {options.trace} (open in ui.perfetto.dev)")
    if options.html:
        out.print(f"page: {options.html}")
    return 0


def write_html(timelines: str, page: str, title: str, figures: profiling.Figures) -> None:
    """Writes the page of the run, with the figures that need the whole call."""
    from ascend_vision_ops.run_page import write_page

    facts = [
        (
            "roofline",
            f"{figures.roofline_microseconds:.2f} us (HBM or cube unit at its peak); "
            f"the call takes {figures.time_over_roofline:.2f} x as long",
        ),
        ("bytes of global memory", f"{figures.bytes_over_least:.3f} x of the least"),
    ]
    write_page(timelines, None, page, title, facts)


def show_calibration() -> int:
    """Compares the simulator with published measurements; returns 1 where a kernel has a fault."""
    out = console()
    with out.status("Running the kernels of the published measurements on the simulated device"):
        try:
            result = calibration.run(paths.PACKAGE / "bin" / "sim_calibrate")
        except RuntimeError as error:
            raise Failure(str(error)) from None
    rows = table("case", "pipe", ">published", ">modelled", ">error", "what")
    for entry in result["rows"]:
        what = entry["what"]
        for name, pair in entry.items():
            if isinstance(pair, dict):
                figures = calibration.texts(entry, pair)
                rows.add_row(entry["case"], name, *figures, f"{pair['error']:+.1%}", what)
                what = ""
    out.print(rows)
    out.print(f"{calibration.counts(result['rows'])}.", markup=False)
    disordered = ", ".join(result["disordered"]) or "none"
    out.print(f"Experiments whose times are not in the published order: {disordered}.", markup=False)
    return 1 if result["failed"] else 0
