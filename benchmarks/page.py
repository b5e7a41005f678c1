# SPDX-License-Identifier: Apache-2.0
"""docs/benchmarks.md and its figure, out of the rows of a run."""

from __future__ import annotations

import platform
import re
from pathlib import Path

from benchmarks.report import FIGURE, NONE, PAGE, TURNS, Row, sort, tables
from benchmarks.workload import OUT, TURN, threaded

INTRO = """\
# Benchmarks

CPU kernels on torch tensors, beside those of other projects in the same process. `./build.sh bench setup` installs the
peers, `./build.sh bench --save` measures everything and writes this page, `./build.sh bench OP` measures one operator.

- **Times** are milliseconds of a call, medians over interleaved rounds: a busy machine slows all contestants alike, so
  what counts is the **ratio**, the best peer's time over ours. Behind ±, half the distance between the quartiles.
- **Caches** hold what a contestant's own calls leave there: it {turns}. `--turn 0` is for
  one call behind those of the others, where images come from memory: a maximum pool of 26 MB is then ahead of its best
  peer by 1.2 to 1.7 instead of 2 to 2.4.
- **Memory**: results are allocated in each call, by each project's own allocator in its default setting. ONNX Runtime
  and OpenVINO keep results from call to call, the latter in place. Columns **out=** are for a result that is there
  already, so that no page is touched for the first time; their ratio is to the best peer of all, those that take a
  result too included. `soft_nms` takes none, as its length depends on the scores.
- **of limit**: the least time that the machine allows, over ours: moving all arguments and results once at the rate of
  copies of that many bytes, for convolutions their products at the rate of a matrix product in the same dtype, both
  measured in the same run. What lies in caches, or reads more than it writes, may exceed the rate of a copy.
  Suppression has no such limit.
- **Targets** are of one thread. Each contestant's result was compared with ours before it was timed: indices exactly,
  floats to 0.02, as peers compute in their own precision. `numpy values` has no indices, and is a peer nevertheless.
- **Gradients**, operators named `…_backward`: the backward pass alone, the forward one having run before. torch
  then reads the indices of maxima, which ours finds again.
- **Threads**: every library's pool has that many; idle threads do not spin.
- **Behind a peer** stands what reading bounds, and the way through torch comes on top: 4 us a call, 20 where operands
  have swept Python's code from the caches. NumPy's `argmax` of 64 x 32000 takes, in most processes, 3 to 9% longer
  than the fastest bare read of that we know, in four streams; our kernel takes 2% longer, before what comes on top:
  1.1 is out of reach. NumPy's call of 8 x 1000 takes 1 us; torch's own operators, such as means of 7 x 7 images, have
  a shorter way.

`./build.sh bench --gate` runs again and fails where a ratio is more than {allowance:.0%} below that of this page. On a
machine that many share, 11 of 172 rows fell by more between two runs of one build, so that it measures such rows once
more: the better counts. Turns must be as long as here. Seconds are not compared.

![Times of all peers over ours](images/benchmarks.svg)

## What is measured, and why these peers

| peer | why |
| --- | --- |
| torch | what its users would call; channels-last where that is faster |
| torchvision | suppression, RoIAlign and deformable convolution as detectors use them |
| mmcv | where the detection operators come from; four are compiled from its sources, CornerPool is torch's `cummax` |
| ONNX Runtime, OpenVINO | what runs exported models on CPUs; OpenVINO is the fastest for most of them |
| OpenCV | resampling, soft suppression; version 5, beside the 4 of the demos |
| NumPy | its running maxima and `argmax` are vectorised, torch's are not |
"""


def processor() -> str:
    """The processor's name and number of cores."""
    names = [
        line.partition(":")[2].strip()
        for line in Path("/proc/cpuinfo").read_text(encoding="utf-8").splitlines()
        if line.startswith("model name")
    ]
    return f"{names[0] if names else platform.machine()}, {len(names)} cores"


def heading(lines: list[dict], clock: str) -> list[str]:
    """What was measured on and with, a sentence each."""
    first = next(line for line in lines if line["kind"] == "versions")["versions"]
    present = ", ".join(f"{name} {version.split('-')[0]}" for name, version in first.items() if version)
    absent = ", ".join(name for name, version in first.items() if not version)
    found = [processor(), f"peers: {present}" + (f"; not installed: {absent}" if absent else "")]
    found.append({"wall": "clock: wall time", "cpu": "clock: CPU time of all threads"}[clock])
    for line in lines:
        if line["kind"] == "limits":
            copies = ", ".join(
                f"{rate / 1e9:.0f} of {int(size) >> 20} MiB" for size, rate in line["copy"].items()
            )
            products = ", ".join(f"{rate / 1e9:,.0f} in {name}" for name, rate in line["product"].items())
            found.append(
                f"limits at {threaded(line['threads'])}: copies, GB/s in and out, {copies}; "
                f"matrix products, GF/s, {products}"
            )
    return found


def write(lines: list[dict], rows: list[Row], clock: str, allowance: float) -> None:
    measured = "\n".join(f"- {sentence}" for sentence in heading(lines, clock))
    text = [
        INTRO.format(turns=TURNS.format(TURN), allowance=allowance),
        f"Measured on and with:\n\n{measured}\n",
        tables(rows),
    ]
    PAGE.write_text("\n".join(text), encoding="utf-8")
    draw(rows, FIGURE)


# A colour for each project, whatever its variant.
COLOURS = {
    "torch": "#d6604d",
    "torchvision": "#f4a582",
    "mmcv": "#b2abd2",
    "onnxruntime": "#4393c3",
    "openvino": "#2166ac",
    "opencv": "#4d9221",
    "numpy": "#e08214",
}


def times_of(row: Row) -> dict[str, float]:
    """Milliseconds of each contestant of a row, ours as ''."""
    cells = [f"{row.best} {row.best_time}", *re.split(", (?=[a-z])", row.others)]
    pairs = (cell.rsplit(" ", 1) for cell in cells if NONE not in cell)
    found = {name: float(value.replace(",", "")) for name, value in pairs}
    return {"": float(row.ours.split()[0].replace(",", "")), **found}


def draw(rows: list[Row], path: Path) -> None:
    """A line for each workload, a panel for each number of threads: every peer's time over ours."""
    import matplotlib

    matplotlib.use("Agg")
    import matplotlib.pyplot as plt

    plt.rcParams.update({"svg.fonttype": "none", "svg.hashsalt": "avo", "font.size": 7})
    counts = sorted({row.threads for row in rows})
    works = list(dict.fromkeys((row.operator, row.workload) for row in sort(rows)))
    figure, panels = plt.subplots(
        1, len(counts), figsize=(3.6 + 3 * len(counts), 1 + 0.145 * len(works)), sharey=True, layout="constrained",
        squeeze=False,
    )  # fmt: skip
    for axes, threads in zip(panels[0], counts, strict=True):
        for row in (row for row in rows if row.threads == threads):
            times, y = times_of(row), works.index((row.operator, row.workload))
            for name, value in times.items():
                project = name.split()[0] if name else ""
                if project and not name.endswith(OUT):
                    fill = "none" if "channels-last" in name else "full"
                    axes.plot(
                        value / times[""], y, "o", ms=3, fillstyle=fill, color=COLOURS.get(project, "grey")
                    )
            if found := re.match(r"≥ ([\d.]+) x", row.target):
                axes.plot(float(found[1]), y, "|", ms=7, color="black")
        axes.axvline(1, color="black", lw=0.8)
        axes.set_xscale("log")
        axes.set_title(threaded(threads), fontsize=8)
        axes.xaxis.set_major_formatter("{x:g}")
        axes.set_xlabel("time of a peer over ours\n(tick: target; hollow: channels-last)")
        axes.grid(axis="both", which="major", lw=0.2)
    panels[0][0].set_yticks(range(len(works)), [f"{operator}  {name}" for operator, name in works])
    panels[0][0].set_ylim(len(works) - 0.5, -0.5)
    marks = [plt.Line2D([], [], marker="o", ls="", ms=3, color=c, label=n) for n, c in COLOURS.items()]
    figure.legend(handles=marks, loc="outside upper center", ncols=len(marks), fontsize=7, frameon=False)
    path.parent.mkdir(exist_ok=True)
    figure.savefig(path, metadata={"Date": None} if path.suffix == ".svg" else None, dpi=110)
    plt.close(figure)
