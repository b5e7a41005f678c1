# SPDX-License-Identifier: Apache-2.0
"""Blocks that hand data to each other, ordered by cross-core flags or by words in global memory."""

import json
import subprocess

import pytest

from tests.sim.api.harness import BUILD


def run(name, blocks):
    done = subprocess.run(
        [BUILD / "tests" / "sim_meetings", name, str(blocks)], capture_output=True, timeout=60, check=True
    )
    report, _, numbers = done.stdout.decode().partition("\n")
    faults = [fault["text"] if isinstance(fault, dict) else fault for fault in json.loads(report)["faults"]]
    return faults, [int(number) for number in numbers.split()]


@pytest.mark.parametrize("name", ["flag", "counters", "pass"])
@pytest.mark.parametrize("blocks", [2, 40])
def test_each_block_reads_what_the_next_one_wrote(name, blocks):
    faults, numbers = run(name, blocks)
    assert not faults, faults
    assert numbers == [(block + 1) % blocks for block in range(blocks)]


def test_without_order_blocks_conflict():
    faults, _ = run("none", 4)
    assert any("BlockConflict" in text for text in faults), faults


@pytest.mark.parametrize("name", ["flag absent", "counters absent", "pass absent"])
def test_a_block_that_does_not_come(name):
    faults, _ = run(name, 4)
    assert any("Flag" in text for text in faults), faults


@pytest.mark.parametrize("name", ["flag", "counters"])
def test_more_blocks_than_the_device_runs_at_a_time(name):
    faults, _ = run(name, 60)
    assert any("60 blocks are to meet" in text for text in faults), faults
