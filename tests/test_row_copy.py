# SPDX-License-Identifier: Apache-2.0
"""Copies of rows that lie further apart than the gap of one copy, a number of bytes in 32 bits, can say."""

from __future__ import annotations

import json
import subprocess

import pytest

from ascend_vision_ops.testing.run import missing
from tests import built

PROGRAM = built.BUILD / "tests" / "far_rows"
LONGEST = (1 << 30) - 8  # elements of four bytes between two rows; less than 2^32 bytes, in whole data blocks

pytestmark = pytest.mark.skipif(bool(missing("aclnn")), reason="the simulated device is not built")


@pytest.mark.parametrize(
    ("gap", "copies"), [(0, 1), (24, 1), (LONGEST, 1), (LONGEST + 8, 3), (LONGEST + 32, 3)]
)
def test_rows_of_any_distance(gap, copies):
    assert PROGRAM.exists(), built.missing(PROGRAM)
    done = subprocess.run([PROGRAM, str(gap)], capture_output=True, text=True, timeout=60)
    assert done.returncode == 0, done.stderr
    pipes = json.loads(done.stdout)["pipes"]
    assert [pipes[name]["instructions"] for name in ("MTE2", "MTE3")] == [copies, copies]
