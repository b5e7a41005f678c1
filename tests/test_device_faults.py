# SPDX-License-Identifier: Apache-2.0
"""Faults of the simulated device in kernels of operators: what a developer reads when a kernel is wrong.

Strict mode (docs/simulator.md) makes correct kernels fault: they rely on the compiler for the order of their vector
instructions. So each operator has a fault without a wrong kernel being compiled.
"""

from __future__ import annotations

import math
import re
import shutil

import pytest

from ascend_vision_ops import operators
from ascend_vision_ops.testing.cases import Array
from ascend_vision_ops.testing.run import cases_of, missing, run, spec_of, takes

# "Add (cummax.cpp:20 cummax_float32_int64 > cummax.h:31 Process > scan.h:120 Load)"
CALL_PATH = re.compile(r"\w+ \((\w+)\.cpp:\d+ (\w+)((?: > \w+\.h:\d+ \w+)+)\)")

CALLS, LEAST_ELEMENTS = 10, 200  # smaller calls have few instructions that depend on each other


def pytest_generate_tests(metafunc):
    chosen = metafunc.config.getoption("--op") or operators()
    metafunc.parametrize("operator", [name for name in chosen if spec_of(name).has_kernel])


def first_fault(operator: str) -> str:
    """The first report of a call that faults, of calls with a few hundred elements; empty where none of them does."""

    def size(case) -> int:
        return sum(math.prod(value.shape) for value in case.case.args.values() if isinstance(value, Array))

    cases = [case for case in cases_of(operator) if takes("aclnn", case) and not case.case.out]
    for case in sorted((case for case in cases if size(case) >= LEAST_ELEMENTS), key=size)[:CALLS]:
        try:
            run(operator, "aclnn", case.arguments())
        except RuntimeError as error:
            return str(error).splitlines()[0]
    return ""


@pytest.mark.skipif(bool(missing("aclnn")), reason=missing("aclnn"))
@pytest.mark.skipif(shutil.which("addr2line") is None, reason="no addr2line, which reads line tables")
def test_a_fault_names_the_calls_and_the_buffer(operator, monkeypatch):
    """A fault names the calls from the operator's entry to the API call, and the buffer by its name in the source."""
    monkeypatch.setenv("AVO_SIM_STRICT", "1")
    fault = first_fault(operator)
    if not fault:
        pytest.skip("small calls have no two instructions that depend on each other")
    assert "MissingSync: kernel " in fault
    calls = CALL_PATH.findall(fault)
    assert calls, fault
    assert all(file == operator and entry.startswith(operator) for file, entry, _ in calls), fault
    assert re.search(r"(UB|L1|L0A|L0B|L0C) bytes \[\d+, \d+\) of \w+", fault), fault
