# SPDX-License-Identifier: Apache-2.0
"""Copies of rows that lie further apart than the gap of one copy, a number of bytes in 32 bits, can say."""

from __future__ import annotations

import json
import subprocess
from pathlib import Path

import pytest

from ascend_vision_ops.testing.run import missing
from tests import built

ROWS, BOX = (built.BUILD / "tests" / name for name in ("far_rows", "far_box"))
LONGEST = (1 << 30) - 8  # elements of four bytes between two rows; less than 2^32 bytes, in whole data blocks

pytestmark = pytest.mark.skipif(bool(missing("aclnn")), reason="the simulated device is not built")


def copies(program: Path, elements: int) -> list[int]:
    """Runs a program, and returns how many copies it made into the Unified Buffer and out of it."""
    assert program.exists(), built.missing(program)
    done = subprocess.run([program, str(elements)], capture_output=True, text=True, timeout=60)
    assert done.returncode == 0, done.stderr
    pipes = json.loads(done.stdout)["pipes"]
    return [pipes[name]["instructions"] for name in ("MTE2", "MTE3")]


@pytest.mark.parametrize(
    ("gap", "count"), [(0, 1), (24, 1), (LONGEST, 1), (LONGEST + 8, 3), (LONGEST + 32, 3)]
)
def test_rows_of_any_distance(gap, count):
    assert copies(ROWS, gap) == [count, count]


# The box has two columns. Beside the box, the kernel loads the grid.
@pytest.mark.parametrize(("width", "count"), [(4096, 1), ((1 << 30) + 1, 1), ((1 << 30) + 2, 2)])
def test_boxes_of_images_of_any_width(width, count):
    assert copies(BOX, width) == [1 + count, 1]
