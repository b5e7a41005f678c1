# SPDX-License-Identifier: Apache-2.0
"""Writes docs/benchmarks.md and its figure from the rows of a run."""

from __future__ import annotations

import platform
import re
from pathlib import Path

from benchmarks.report import FIGURE, MEASURED, NONE, PAGE, TURNS, Row, sort, tables
from benchmarks.workload import OUT, TURN, threaded

INTRO = """\
# Benchmarks

This page compares the CPU kernels with those of other projects, on torch tensors and in the same process.
`./build.sh bench setup` installs the peers. `./build.sh bench --save` measures everything and writes this page;
`./build.sh bench OP` measures one operator; with `--save` it replaces the rows of this operator and keeps all others.

- **Times** are milliseconds for one call, as medians over interleaved rounds. A busy machine slows all
  contestants alike, so look at the **ratio**: the best peer's time divided by ours. The figure after ± is half
  the distance between the quartiles.
- **Caches** hold what a contestant's own earlier calls left there, because each contestant {turns}. With
  `--turn 0` a contestant makes one call after a call of each other contestant, so that images come from memory.
  A maximum pool of 26 MB is then 1.2 to 1.7 times as fast as its best peer, instead of 2 to 2.4 times.
- **Memory**: each call allocates its results, with each project's own allocator in its default setting. ONNX
  Runtime and OpenVINO keep the memory of results from call to call; OpenVINO reuses it in place. The columns
  **out=** are for a result whose memory exists already, so that no page is touched for the first time. Their
  ratio is to the best of all peers, including those that also write into existing memory. `soft_nms` has no
  such column, because its length depends on the scores.
- **of limit** is the least time that the machine allows, divided by ours. The limit is to move all arguments
  and results once at the rate at which the machine copies that many bytes. For convolutions it is the rate of a
  matrix product in the same dtype. The same run measures both rates. A workload whose data lie in caches, or
  that reads more than it writes, may exceed the rate of a copy. Suppression has no such limit.
- **Targets** are for one thread. Before a contestant is timed, its result is compared with ours: indices
  exactly, floats to 0.02, because peers compute in their own precision. `numpy values` computes no indices and
  is a peer nevertheless.
- **Gradients** are the operators named `…_backward`. Only the backward pass is timed; the forward pass ran
  before. `max_pool2d_backward` has no indices and finds maxima again. A caller of torch without indices needs
  both of its passes, so these are its contestant. torch's backward pass alone reads the indices that its forward
  pass stored, and is measured beside `max_pool2d_with_indices_backward`, which does the same.
- **Threads**: every library's pool has this many threads, and idle threads do not spin.
- **Where we are behind a peer**, reading memory is the limit, and each call through torch adds 4 us, or 20 us
  where the operands have swept Python's code from the caches. NumPy's `argmax` of 64 x 32000 takes, in most
  processes, 3 to 9% longer than the fastest plain read that we found, which reads four streams. Our kernel
  takes 2% longer than that read, before the cost of the call, so a ratio of 1.1 is out of reach. NumPy's call
  of 8 x 1000 takes 1 us. torch's own operators, such as means of 7 x 7 images, have a shorter way to their
  kernels.

`./build.sh bench --gate` measures again and fails where a ratio is more than {allowance:.0%} below the ratio on
this page. On a machine that many people share, 11 of 172 rows fell by more than that between two runs of the
same build. The gate therefore measures such a row once more and takes the better result. Turns must be as long
as on this page. Seconds are not compared.

![Times of all peers over ours](images/benchmarks.svg)

## What is measured, and why these peers

| peer | why |
| --- | --- |
| torch | its users would call it otherwise; channels-last where that is faster |
| torchvision | detectors call its suppression, RoIAlign and deformable convolution |
| mmcv | the detection operators come from it; four are compiled from its sources, CornerPool calls torch's `cummax` |
| ONNX Runtime, OpenVINO | they run exported models on CPUs; OpenVINO is the fastest for most of them |
| OpenCV | resampling and soft suppression; version 5, whereas the demos use 4 |
| NumPy | its running maxima and its `argmax` are vectorised, those of torch are not |
"""


def processor() -> str:
    """Gives the processor's name and number of cores."""
    names = [
        line.partition(":")[2].strip()
        for line in Path("/proc/cpuinfo").read_text(encoding="utf-8").splitlines()
        if line.startswith("model name")
    ]
    return f"{names[0] if names else platform.machine()}, {len(names)} cores"


def heading(lines: list[dict], clock: str) -> list[str]:
    """Says on which machine and with which projects the run measured, in a line each."""
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


def heading_beside(saved: list[str], operator: str, heading: list[str]) -> list[str]:
    """Gives the sentences of a page whose rows of one operator are new. They were measured as `heading` says, which
    names the processor first; the page says so where that is not the processor of its other rows.
    """
    own = f"rows of {operator}: "
    kept = [sentence for sentence in saved if not sentence.startswith(own)]
    return kept if heading[0] == saved[0] else [*kept, own + heading[0]]


def write(heading: list[str], rows: list[Row], allowance: float) -> None:
    measured = "\n".join(f"- {sentence}" for sentence in heading)
    text = [
        INTRO.format(turns=TURNS.format(TURN), allowance=allowance),
        f"{MEASURED}\n\n{measured}\n",
        tables(rows),
    ]
    PAGE.write_text("\n".join(text), encoding="utf-8")
    draw(rows, FIGURE)


# A colour for each project; its variants share it.
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
    """Gives the milliseconds of each contestant of a row; ours has the name ''."""
    cells = [f"{row.best} {row.best_time}", *re.split(", (?=[a-z])", row.others)]
    pairs = (cell.rsplit(" ", 1) for cell in cells if NONE not in cell)
    found = {name: float(value.replace(",", "")) for name, value in pairs}
    return {"": float(row.ours.split()[0].replace(",", "")), **found}


def draw(rows: list[Row], path: Path) -> None:
    """Draws every peer's time divided by ours: a line for each workload, a panel for each number of threads."""
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
