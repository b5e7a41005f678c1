# SPDX-License-Identifier: Apache-2.0
"""The options of the tests: which tests they keep."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

HERE = Path(__file__).resolve().parent


def kept(*options: str) -> list[str]:
    """Lists the parameters of a test that every operator has."""
    test = f"{HERE / 'test_ops.py'}::test_faces_have_one_signature"
    command = [sys.executable, "-m", "pytest", "-p", "no:cacheprovider", "--collect-only", "-q"]
    done = subprocess.run([*command, test, *options], capture_output=True, text=True, cwd=HERE.parent)
    assert done.returncode == 0, done.stdout + done.stderr
    return [line.partition("[")[2].rstrip("]") for line in done.stdout.splitlines() if "::" in line]


def test_op_keeps_all_that_it_names():
    assert kept("--op=nms", "--op=cummax") == ["nms", "cummax"]
