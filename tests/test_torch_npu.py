# SPDX-License-Identifier: Apache-2.0
"""tests/torch_npu in a process of its own: the simulated device must be active before torch_npu is imported."""

from __future__ import annotations

import importlib.util
import os
import subprocess
import sys
from pathlib import Path

import pytest

from ascend_vision_ops import sim

SUITE = Path(__file__).parent / "torch_npu"


@pytest.mark.skipif(importlib.util.find_spec("torch_npu") is None, reason="torch_npu is not installed")
@pytest.mark.skipif(bool(sim.obstacle()), reason=f"no simulation here: {sim.obstacle()}")
@pytest.mark.parametrize("part", sorted(path.name for path in SUITE.glob("test_*.py")))
def test_suite(part):
    command = [
        sys.executable,
        "-m",
        "pytest",
        "-q",
        "-p",
        "no:cacheprovider",
        "-p",
        "ascend_vision_ops.testing",
    ]
    command += ["--npu-devices", "2", "--confcutdir", str(SUITE), str(SUITE / part)]
    done = subprocess.run(command, capture_output=True, text=True, env={**os.environ, "OMP_NUM_THREADS": "1"})
    print(done.stdout[-20_000:], done.stderr[-5_000:])
    assert done.returncode == 0


def script(code: str, **environment: str) -> subprocess.CompletedProcess:
    command = [sys.executable, "-c", code]
    return subprocess.run(command, capture_output=True, text=True, env={**os.environ, **environment})


ACTIVATE = "import ascend_vision_ops as avo\navo.sim.activate()\n"


def test_activation_refuses_beside_cann():
    done = script(ACTIVATE, ASCEND_HOME_PATH="/usr/local/Ascend")
    assert done.returncode != 0
    assert "CANN is installed: ASCEND_HOME_PATH=/usr/local/Ascend" in done.stderr
    assert "force=True" in done.stderr


@pytest.mark.parametrize("devices", [0, -1])
def test_activation_refuses_no_devices(devices):
    with pytest.raises(ValueError, match="devices: expected at least 1"):
        sim.activate(devices)
