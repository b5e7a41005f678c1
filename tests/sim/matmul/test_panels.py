# SPDX-License-Identifier: Apache-2.0
"""The sums of Mmad have the same bits with all registers of the host."""

import subprocess

from tests.sim.api.harness import BUILD


def test_sums_have_the_bits_of_sums_one_by_one():
    done = subprocess.run(
        [BUILD / "tests" / "sim_panels"], capture_output=True, text=True, timeout=60, check=True
    )
    lines = [line.split() for line in done.stdout.splitlines()]
    assert {type for _, type, _ in lines} == {"float", "int32_t"}
    for width, type, same in lines:
        assert same == "64", f"{type} with registers of {width} bytes"
