# SPDX-License-Identifier: Apache-2.0
"""Runs the nodes in other versions of ONNX Runtime than the installed one, which `./build.sh onnxruntimes` fetched."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
FOLDERS = sorted((ROOT / "build" / "onnxruntimes").glob("*/onnxruntime"))
NONE = pytest.param(
    None, marks=pytest.mark.skip("no other versions here; ./build.sh onnxruntimes fetches some")
)


@pytest.mark.parametrize(
    "folder", [path.parent for path in FOLDERS] or [NONE], ids=lambda path: path and path.name
)
def test_nodes_in_another_version(folder):
    """A process of its own finds that version before the installed one and runs every tenth case."""
    environment = {
        **os.environ,
        "PYTHONPATH": os.pathsep.join(filter(None, [str(folder), os.environ.get("PYTHONPATH")])),
        "AVO_ONNX_EVERY": "10",
        "AVO_ONNX_RUNTIME": folder.name,
    }
    command = [sys.executable, "-m", "pytest", "-q", "-x", "-p", "no:cacheprovider", "-p", "no:xdist"]
    command.append("tests/onnx/test_onnxruntime.py")
    done = subprocess.run(command, cwd=ROOT, env=environment, capture_output=True, text=True)
    assert done.returncode == 0, done.stdout[-4000:] + done.stderr[-4000:]
