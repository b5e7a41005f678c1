# SPDX-License-Identifier: Apache-2.0
"""`./build.sh performance [OP]` measures on the simulated device and writes docs/performance.md with its figure.

It measures in as many processes as there are cores, and leaves out what has not changed since the last run
(tools/measured.py); `--again` measures that too.

The files benchmarks/workloads/<family>/<op>.py say what is measured. `device()` yields the arguments of the torch
operator, a mark, and where the values matter a word about them. A mark is the goal on the first device: "1.5 x" of
the roofline, "1500 us", or "" for no goal. The docstring of `device()` says what limits the kernel and what would
make it faster.
"""

from __future__ import annotations

import argparse
import multiprocessing
import os
import re
import sys
from collections.abc import Iterator
from dataclasses import asdict, dataclass, fields
from pathlib import Path

from ascend_vision_ops import _native, ascend_headers, operators, profiling
from ascend_vision_ops.tables import number, ranged
from ascend_vision_ops.testing.cases import SHORT
from ascend_vision_ops.testing.run import from_torch
from benchmarks.workload import FILES, module_of
from tools import measured

ROOT = Path(__file__).resolve().parents[1]
PAGE = ROOT / "docs" / "performance.md"
ELSEWHERE = ROOT / "build" / "performance-ascend-headers.md"  # what other headers than our own give
FIGURE = ROOT / "docs" / "images" / "performance.svg"
DEVICES = ("Ascend910B1", "Ascend910B4")
INTRO = """\
# Performance

`./build.sh performance` writes this page; `./build.sh performance OP` measures one operator again. No clock
timed anything here: the [simulated device](simulator.md) counts bytes, instructions and scalar accesses
exactly, and it models times.

- **time** is the modelled time, launch included, and what it may be where the constants of the model are as far
  off as [their measurements let them](simulator.md#ranges). **of roofline** divides it by the longer of two
  times: moving all inputs and outputs once at the full bandwidth of HBM (1.8 TB/s, of which published copies
  reach 84 %), and computing the contract's `flops` on the cube unit at its peak. It is below 1 where results
  still lie in L2 when the kernel ends.
- **bytes** divides what moved between global memory and the cores by the size of all inputs and outputs.
- **cores** counts the cores that had work. **scalar** is the number of memory accesses of the scalar unit for
  each output.
- **busiest pipe** is the share of the time in which that pipe was busy, as a mean over the cores. A pipe that
  waits for bandwidth counts as busy. **busiest path** divides the bytes through HBM, or between L2 and the
  cores, by the bytes that this path moves in the same time at full bandwidth.
- **mark** is the goal of the project for Ascend910B1, and whether the kernel meets it.

You can profile every call alone, with a trace of all pipes: `avo profile 'OPERATOR(CALL)' --trace trace.json`.

![Modelled time over roofline of every row](images/performance.svg)
"""


@dataclass(frozen=True)
class Row:
    """One line of the page; each member is the text of a cell."""

    call: str
    device: str
    time: str
    roofline: str
    bytes: str
    cores: str
    scalar: str
    pipe: str
    path: str
    mark: str

    def line(self) -> str:
        return "| " + " | ".join(getattr(self, field.name) for field in fields(self)) + " |"

    @property
    def over_roofline(self) -> float:
        return float(self.roofline.split()[0].replace(",", ""))


HEAD = Row(
    "call",
    "device",
    "time",
    "of roofline",
    "bytes",
    "cores",
    "scalar",
    "busiest pipe",
    "busiest path",
    "mark",
)
RULE = "| --- | --- |" + " ---: |" * 5 + " --- | --- | --- |"


def workload(operator: str):
    """Imports the module that says what to measure of an operator, or gives None."""
    module = module_of(operator)
    return module if hasattr(module, "device") else None


def calls(operator: str):
    """Yields what is measured of an operator, with the same values every time: arguments, mark, a word about the
    values.
    """
    import torch

    torch.manual_seed(0)
    for arguments, mark, *note in workload(operator).device():
        yield arguments, mark, "".join(note)


def shown(value: object) -> str:
    """Writes a value of a call so that `avo profile` can read it back."""
    if not hasattr(value, "shape"):
        return repr(value).replace(" ", "")
    return f"{SHORT[str(value.dtype).removeprefix('torch.')]}[{','.join(map(str, value.shape))}]"


def describe(arguments: dict[str, object], note: str = "") -> str:
    text = ",".join(f"{name}={shown(value)}" for name, value in arguments.items())
    return f"`{text}`" + (f" {note}" if note else "")


def verdict(mark: str, figures: profiling.Figures) -> str:
    if not mark:
        return ""
    limit, unit = mark.split()
    value = {"x": figures.time_over_roofline, "us": figures.microseconds}[unit]
    return f"≤ {mark}: {'met' if value <= float(limit) else '**missed**'}"


def measure(operator: str, arguments: dict[str, object], mark: str, note: str, soc: str) -> Row:
    """Measures one call on one device."""
    _native.sim.set_soc(soc)
    arrays = {
        name: from_torch(value) if hasattr(value, "numpy") else value for name, value in arguments.items()
    }
    figures = profiling.profile(operator, arrays)
    pipe, busy = max(figures.pipe_shares.items(), key=lambda item: item[1])
    path, share = max(figures.path_shares.items(), key=lambda item: item[1])
    return Row(
        describe(arguments, note),
        soc.removeprefix("Ascend"),
        ranged(figures.microseconds, figures.microseconds_range),
        f"{number(figures.time_over_roofline)} x",
        f"{figures.bytes_over_least:.2f} x",
        str(figures.cores),
        f"{figures.scalar_accesses_per_output:.3g}",
        f"{pipe} {busy:.0%}",
        f"{path} {share:.0%}",
        verdict(mark, figures) if soc == DEVICES[0] else "",
    )


def rows_on(operator: str, soc: str) -> list[Row]:
    """Measures all calls of an operator on one device."""
    return [measure(operator, *call, soc) for call in calls(operator)]


def measured_rows(operators: list[str], kept: bool) -> Iterator[tuple[str, list[Row]]]:
    """Measures operators on both devices, in as many processes as there are cores; yields them in their order.

    kept: rows that nothing has changed since are taken from the last run (tools/measured.py).
    """
    known = sorted(FILES)
    keys = {
        (name, soc): measured.digest(name, soc, known) if kept else ""
        for name in operators
        for soc in DEVICES
    }
    found = {pair: measured.load(*pair, key) if kept else None for pair, key in keys.items()}
    context = multiprocessing.get_context("spawn")
    # A process keeps the device that it has opened, so that each measures on one alone.
    with context.Pool(os.cpu_count(), prepare_process, maxtasksperchild=1) as pool:
        running = {pair: pool.apply_async(rows_on, pair) for pair, rows in found.items() if rows is None}
        for name in operators:
            columns = []
            for soc in DEVICES:
                if (name, soc) in running:
                    columns.append(running[name, soc].get())
                    if kept:
                        measured.store(name, soc, keys[name, soc], [asdict(row) for row in columns[-1]])
                else:
                    columns.append([Row(**row) for row in found[name, soc]])
            yield name, [row for both in zip(*columns, strict=True) for row in both]


def prepare_process() -> None:
    """Each process simulates with one thread: cores of a launch wait for each other, processes do not."""
    os.environ.setdefault("AVO_SIM_THREADS", "1")
    ascend_headers.prepare()


def section(operator: str, rows: list[Row]) -> str:
    """Gives heading, text and table of one operator."""
    text = " ".join(workload(operator).device.__doc__.split())
    return "\n".join([f"## {operator}", "", text, "", HEAD.line(), RULE, *(row.line() for row in rows), ""])


def sections(page: str) -> dict[str, str]:
    """Splits a page into the sections of its operators."""
    parts = re.split(r"^## ", page, flags=re.M)[1:]
    return {part.split("\n", 1)[0]: f"## {part}".rstrip() + "\n" for part in parts}


def rows_of(part: str) -> list[Row]:
    lines = [line for line in part.splitlines() if line.startswith("| `")]
    return [Row(*(cell.strip() for cell in line.strip("|").split("|"))) for line in lines]


def add_others(parts: dict[str, str]) -> None:
    """Writes what kernels of other projects take behind the sections of the operators."""
    from benchmarks import others

    short = DEVICES[0].removeprefix("Ascend")
    rows = [(name, row) for name, part in parts.items() for row in rows_of(part) if row.device == short]
    times = {(name, row.call): row.time for name, row in rows}
    with PAGE.open("a", encoding="utf-8") as page:
        page.write("\n" + others.section(times))


def draw(parts: dict[str, str]) -> None:
    """Draws modelled time over roofline, a dot for each row of the first device."""
    import matplotlib

    matplotlib.use("Agg")
    import matplotlib.pyplot as plt

    plt.rcParams.update({"svg.fonttype": "none", "svg.hashsalt": "avo", "font.size": 8})
    short = DEVICES[0].removeprefix("Ascend")
    points = {name: [row for row in rows_of(part) if row.device == short] for name, part in parts.items()}
    figure, axes = plt.subplots(figsize=(7.5, 0.8 + 0.24 * len(points)), layout="constrained")
    kinds = {"HBM or L2": "#2166ac", "vector": "#d6604d", "cube": "#4d9221", "scalar, launch": "#878787"}
    pipes = {"V": "vector", "M": "cube", "S": "scalar, launch"}
    seen = set()
    for y, rows in enumerate(points.values()):
        for row in rows:
            pipe, share = row.pipe.rsplit(" ", 1)
            kind = pipes.get(pipe, "HBM or L2") if float(share.rstrip("%")) >= 50 else "scalar, launch"
            label = None if kind in seen else f"bound: {kind}"
            seen.add(kind)
            axes.plot(row.over_roofline, y, "o", ms=4, alpha=0.8, color=kinds[kind], label=label)
    axes.axvline(1, color="black", lw=0.8)
    axes.axvline(1.5, color="black", lw=0.5, ls=":")
    axes.set_xscale("log")
    axes.set_yticks(range(len(points)), points)
    axes.invert_yaxis()
    axes.set_xlabel(f"modelled time over roofline on {DEVICES[0]}; dotted: 1.5 x")
    axes.grid(axis="x", which="both", lw=0.2)
    axes.legend(loc="lower right", fontsize=7)
    FIGURE.parent.mkdir(exist_ok=True)
    figure.savefig(FIGURE, metadata={"Date": None})
    plt.close(figure)


def write_elsewhere(names: list[str]) -> int:
    """Measures operators with kernels that are compiled against CANN's headers; the page of our own stays."""
    head = f"# Performance\n\nKernels against {ascend_headers.description()}.\n"
    parts = [section(name, rows) for name, rows in measured_rows(names, kept=False)]
    ELSEWHERE.write_text("\n".join([head, *parts]), encoding="utf-8")
    print(f"performance: {ELSEWHERE}")
    return 0


def main() -> int:
    parser = argparse.ArgumentParser(prog="./build.sh performance", description=__doc__.splitlines()[0])
    parser.add_argument("operators", metavar="OP", nargs="*", help="operators to measure again (all)")
    parser.add_argument("--again", action="store_true", help="measure what nothing has changed since, too")
    options = parser.parse_args()
    known = [name for name in operators() if workload(name)]
    for name in options.operators:
        if name not in known:
            parser.error(f"no benchmarks/workloads/*/{name}.py with device(); there are {', '.join(known)}")
    if ascend_headers.prepare(options.operators or None):
        return write_elsewhere(options.operators or known)
    before = sections(PAGE.read_text(encoding="utf-8")) if PAGE.exists() else {}
    wanted = [
        name for name in known if not options.operators or name in options.operators or name not in before
    ]
    parts = {name: before.get(name, "") for name in known}
    for name, rows in measured_rows(wanted, kept=not options.again):
        parts[name] = section(name, rows)
        print(f"performance: {name}, {len(rows)} rows", flush=True)
    PAGE.write_text("\n".join([INTRO, *parts.values()]), encoding="utf-8")
    draw(parts)
    add_others(parts)
    return 0


if __name__ == "__main__":
    sys.exit(main())
