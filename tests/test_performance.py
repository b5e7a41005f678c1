# SPDX-License-Identifier: Apache-2.0
"""docs/performance.md agrees with the simulated device: the cheapest rows are measured again.

The page is written by `./build.sh performance`; nothing here names an operator.
"""

from __future__ import annotations

from pathlib import Path

import pytest

from ascend_vision_ops import _native, operators
from ascend_vision_ops.tables import ranged
from ascend_vision_ops.testing.run import spec_of
from benchmarks import others
from tools import measured, performance
from tools.performance import DEVICES, PAGE, calls, describe, measure, rows_of, sections, workload

PARTS = sections(PAGE.read_text(encoding="utf-8"))
CHEAP = 3_000_000  # bytes of the arguments


@pytest.fixture
def device():
    yield
    _native.sim.set_soc(DEVICES[0])


def size(arguments: dict[str, object]) -> int:
    return sum(value.nbytes for value in arguments.values() if hasattr(value, "nbytes"))


def figure(text: str) -> float:
    return float(text.split()[0].replace(",", ""))


def part_of(operator: str) -> str:
    """The section of the page on an operator."""
    assert operator in PARTS, (
        f"docs/performance.md has no section on {operator}: ./build.sh performance {operator} writes it"
    )
    return PARTS[operator]


# The page has no section for a composite; it costs what the operator costs that it calls.
OPERATORS = [name for name in operators() if spec_of(name).has_kernel]


@pytest.mark.parametrize("operator", OPERATORS)
def test_every_operator_is_on_the_page(operator):
    module = workload(operator)
    assert module is not None, f"benchmarks/workloads/*/{operator}.py has no device()"
    rows = rows_of(part_of(operator))
    shown = [describe(arguments, note) for arguments, _, note in calls(operator)]
    assert [row.call for row in rows] == [call for call in shown for _ in DEVICES]
    assert " ".join(module.device.__doc__.split()) in part_of(operator)


@pytest.mark.parametrize("operator", OPERATORS)
def test_the_cheapest_row_is_as_measured(operator, device):
    """Counts are exact. Times may differ a little, so that a change of the model's constants needs no new page."""
    arguments, mark, note = min(calls(operator), key=lambda call: size(call[0]))
    if size(arguments) > CHEAP:
        pytest.skip(f"its smallest call has {size(arguments):,} bytes of arguments")
    again = measure(operator, arguments, mark, note, DEVICES[0])
    row = next(
        row
        for row in rows_of(part_of(operator))
        if row.call == again.call and DEVICES[0].endswith(row.device)
    )
    assert (row.bytes, row.cores, row.scalar) == (again.bytes, again.cores, again.scalar)
    assert figure(row.time) == pytest.approx(figure(again.time), rel=0.02)
    assert row.over_roofline == pytest.approx(again.over_roofline, rel=0.02)


def made_build(folder: Path) -> Path:
    """A build tree with an object of each of two operators, one that all need, and the libraries."""
    for name in (
        "avo_kernels.dir/a_sim.cpp.o",
        "avo_kernels.dir/a_backward_sim.cpp.o",
        "avo_host.dir/shared.cpp.o",
    ):
        path = folder / "CMakeFiles" / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(name)
    for name in measured.LIBRARIES:
        path = folder / "python" / "ascend_vision_ops" / "lib" / f"lib{name}.so"
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(name)
    return folder


@pytest.mark.parametrize(
    ("changed", "again"),
    [
        ("CMakeFiles/avo_kernels.dir/a_sim.cpp.o", True),
        ("CMakeFiles/avo_kernels.dir/a_backward_sim.cpp.o", False),  # of another operator
        ("CMakeFiles/avo_host.dir/shared.cpp.o", True),
        ("python/ascend_vision_ops/lib/libascendc_sim.so", True),
    ],
)
def test_rows_are_kept_as_long_as_their_code_is_the_same(tmp_path, monkeypatch, changed, again):
    workload_file = tmp_path / "a.py"
    workload_file.write_text("def device(): ...\n")
    monkeypatch.setitem(measured.FILES, "a", workload_file)
    build = made_build(tmp_path / "build")

    def digest() -> str:
        measured.digest_of.cache_clear()
        return measured.digest("a", DEVICES[0], ["a", "a_backward"], build)

    before = digest()
    assert digest() == before
    (build / changed).write_text("changed")
    assert (digest() != before) == again


def test_a_text_of_a_workload_changes_no_row():
    source = 'def device():\n    "What limits the kernel."\n    yield {"n": 1}, ""\n'
    assert measured.calls_of(source) == measured.calls_of(source.replace("What limits", "Nothing limits"))
    assert measured.calls_of(source) != measured.calls_of(source.replace("1}", "2}"))


def test_stored_rows_are_read_under_their_digest_alone(tmp_path, monkeypatch):
    monkeypatch.setattr(measured, "FOLDER", tmp_path)
    measured.store("a", DEVICES[0], "one", [{"call": "x"}])
    assert measured.load("a", DEVICES[0], "one") == [{"call": "x"}]
    assert measured.load("a", DEVICES[0], "other") is None
    assert measured.load("a", DEVICES[1], "one") is None


def test_a_time_is_written_with_its_range():
    assert ranged(348.2, (310.4, 394.9)) == "348 us (310..395)"
    assert ranged(4.4, (3.7, 5.2444)) == "4.40 us (3.70..5.24)"
    assert ranged(12345.6, (9876, 15432.1), unit="") == "12,346 (9,876..15,432)"


def test_kernels_of_other_projects_are_on_the_page():
    """Each was measured on a call of the page, and the ratio is that of the two times beside it."""
    text = PARTS[others.TITLE]
    assert {line.split(" | ")[0].strip("| ") for line in text.splitlines() if line.startswith("| ")} >= {
        entry["operator"] for entry in others.document()["kernels"]
    }
    times = {
        (name, row.call): row.time
        for name, part in PARTS.items()
        for row in rows_of(part)
        if name != others.TITLE and DEVICES[0].endswith(row.device)
    }
    assert text.strip() == others.section(times).strip()


def test_ratio_to_a_kernel_of_another_project(monkeypatch):
    entry = {
        "operator": "op", "call": "`x=f32[1]`", "project": "there", "kernel": "k", "us": 30.0, "note": "reads twice"
    }  # fmt: skip
    found = {
        "device": "a device",
        "sources": {"there": {"repository": "a/b", "commit": "0" * 40}},
        "kernels": [entry],
    }
    monkeypatch.setattr(others, "document", lambda: found)
    key = ("op", "`x=f32[1]`")
    assert (
        "| op | `x=f32[1]` | 20.0 us (18.0..22.0) | 30.0 us | 1.50 x | there k | reads twice |"
        in others.section({key: "20.0 us (18.0..22.0)"})
    )
    assert "| **0.03 x** |" in others.section({key: "1,200 us"})
    assert "there: a/b at `000000000000`" in others.section({key: "1 us"})
    with pytest.raises(KeyError):
        others.section({})


def test_rows_read_back():
    """A row is the same after it was written and read."""
    row = performance.Row(
        "`x=f32[1,2]`", "910B1", "4.40 us (4.01..4.83)", "1.5 x", "1.00 x", "48", "0", "V 80%", "L2 6%", ""
    )
    assert rows_of(f"## op\n\n{row.line()}\n") == [row]
