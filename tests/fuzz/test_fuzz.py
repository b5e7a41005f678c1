# SPDX-License-Identifier: Apache-2.0
"""`./build.sh fuzz` finds a fault, makes it small and prints it. A few calls of each operator are right."""

from __future__ import annotations

import math
import os
import random
import re

import hypothesis
import numpy as np
import pytest

from ascend_vision_ops import cpu, operators
from ascend_vision_ops.testing import parse_case
from ascend_vision_ops.testing.fuzz import calls, fuzz, main
from ascend_vision_ops.testing.run import as_tuple, judge, rerun_line, spec_of

pytestmark = pytest.mark.cpu_kernels
COMPUTING = [operator for operator in operators() if not spec_of(operator).composite]


@pytest.mark.parametrize("operator", COMPUTING)
def test_a_few_calls(operator):
    outcome = fuzz(operator, most=10, seed=1)
    assert outcome.calls == 10
    assert outcome.wrong is None, f"{outcome.message}\nrerun: {rerun_line(outcome.wrong, 'cpu')}"


@pytest.fixture
def fault(monkeypatch):
    """A kernel with a deliberate fault: its last element is wrong for some strided inputs."""
    operator = COMPUTING[0]
    right = getattr(cpu, operator)

    def wrong(*, out=None, **arguments):
        results = as_tuple(right(**arguments, out=out))
        first = next(value for value in arguments.values() if isinstance(value, np.ndarray))
        if first.ndim and first.strides[-1] != first.itemsize and results[0].size:
            results[0].flat[-1] += 1
        return results if len(results) > 1 else results[0]

    monkeypatch.setattr(cpu, operator, wrong)
    return operator


def blocks(image, out):
    """Kernels take channels of channels-last images in blocks; the last block is smaller."""
    return image.layout == out == "channels_last" and image.shape[1] > 64 and image.shape[3] > 64


def streamed(image, out):
    """Results with elements of 4 bytes or more are written around the caches."""
    return math.prod(image.shape) > 1 << 20


@pytest.mark.parametrize("there", [blocks, streamed])
@pytest.mark.parametrize("operator", [operator for operator in COMPUTING if "pool2d" in operator])
def test_calls_of_pools_reach(operator, there):
    settings = hypothesis.settings(max_examples=5000, database=None, phases=[hypothesis.Phase.generate])
    hypothesis.find(
        calls(operator),
        lambda call: there(call.case.args["input"], call.case.out),
        settings=settings,
        random=random.Random(0),
    )


def test_finds_a_fault_and_makes_it_small(fault):
    outcome = fuzz(fault, most=2000, seed=1)
    assert outcome.wrong is not None
    arrays = [value for value in outcome.wrong.arguments().values() if isinstance(value, np.ndarray)]
    assert sum(array.size for array in arrays) < 100
    # The printed call alone is wrong, too.
    assert not all(verdict.ok for verdict in judge(parse_case(outcome.wrong.text), "cpu").values())


def test_prints_the_call_that_is_wrong(fault, capfd):
    assert main([fault, "--seconds", "30", "--seed", "1"]) == 1
    printed = capfd.readouterr().out
    line = re.search(rf"--case 'cpu:({fault}\(.*)'$", printed, re.MULTILINE)
    assert line and "with seed 1" in printed and "1 of 1 operators failed" in printed
    assert parse_case(line[1]).operator == fault


def test_prints_the_call_that_the_process_dies_of(monkeypatch, capfd):
    operator = COMPUTING[0]
    monkeypatch.setattr(cpu, operator, lambda **arguments: os.abort())
    assert main([operator, "--seconds", "30", "--seed", "1"]) == 1
    printed = capfd.readouterr().out
    assert re.search(rf"^died with SIGABRT in\n  .*--case 'cpu:{operator}\(.*'$", printed, re.MULTILINE)


def test_stops_in_time(capfd):
    assert main(["--seconds", "0"]) == 0
    assert capfd.readouterr().out.count(": 0 calls, all right") == len(COMPUTING)
