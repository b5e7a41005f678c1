# SPDX-License-Identifier: Apache-2.0
"""The simulator must report each broken kernel. Each case of sim_faults runs in a process of its own."""

from __future__ import annotations

import os
import re
import subprocess

import pytest

from tests.built import BUILD, listed, missing

PROGRAM = BUILD / "tests" / "sim_faults"
LEAST_CASES = 150
# Small budgets, so that a kernel which does not end is found at once. One that polls reads fast.
TIMEOUT, INSTRUCTIONS = {"AVO_SIM_TIMEOUT": "0.3"}, {"AVO_SIM_INSTRUCTIONS": "20000"}


def test_program_is_built():
    assert PROGRAM.exists(), missing(PROGRAM)
    assert len(listed(PROGRAM)) >= LEAST_CASES


@pytest.mark.parametrize("name", listed(PROGRAM))
def test_fault(name):
    if os.uname().machine != "x86_64" and ("pointer" in name or "division" in name):
        pytest.skip("pointers of kernels are judged, and divisions by zero trap, on x86-64 hosts alone")
    variables = {key: value for key, value in os.environ.items() if not key.startswith("AVO_SIM_")}
    if name.startswith("endless"):
        variables |= TIMEOUT if "poll" in name else TIMEOUT | INSTRUCTIONS
    command = [PROGRAM, "--run", name]
    done = subprocess.run(command, capture_output=True, text=True, timeout=60, env=variables)
    assert done.returncode == 0, f"{PROGRAM} --run {name}\n{done.stdout}{done.stderr}"


def test_clock_of_a_long_kernel_goes_on():
    assert subprocess.run([PROGRAM, "--late"], timeout=60).returncode == 0


def test_how_often_a_core_polls_takes_no_time():
    done = subprocess.run([PROGRAM, "--polls"], capture_output=True, text=True, timeout=60, check=True)
    found = re.findall(r"(\d+) writes, (\d+) polls: ([\d.]+) cycles, 0 faults", done.stdout)
    assert [count for _, count, _ in found] == ["1", "2", "300", "1", "300"], done.stdout
    barrier, writes = ({cycles for work, _, cycles in found if work == wanted} for wanted in ("0", "1000"))
    assert len(barrier) == len(writes) == 1, done.stdout
    assert float(*writes) - float(*barrier) > 1000, "the writes of the scalar unit take their time"


def test_call_outside_a_kernel_says_so():
    done = subprocess.run([PROGRAM, "--outside"], capture_output=True, text=True, timeout=60)
    assert done.returncode != 0
    assert "called outside a kernel" in done.stderr
