# SPDX-License-Identifier: Apache-2.0
"""docs/performance.md agrees with the simulated device: the cheapest rows are measured again.

The page is written by `./build.sh performance`; nothing here names an operator.
"""

from __future__ import annotations

import pytest

from ascend_vision_ops import _native, operators
from ascend_vision_ops.testing.run import spec_of
from tools import performance
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
OPERATORS = [name for name in operators() if not spec_of(name).composite]


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


def test_rows_read_back():
    """A row is the same after it was written and read."""
    row = performance.Row(
        "`x=f32[1,2]`", "910B1", "4.4 us", "1.5 x", "1.00 x", "48", "0", "V 80%", "L2 6%", ""
    )
    assert rows_of(f"## op\n\n{row.line()}\n") == [row]
