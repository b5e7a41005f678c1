# SPDX-License-Identifier: Apache-2.0
"""Runs tests/torch_npu in a process of its own, because the simulated device must be active before torch_npu is
imported.
"""

from __future__ import annotations

import importlib.util
import os
import subprocess
import sys
from pathlib import Path

import pytest

from ascend_vision_ops import sim

SUITE = Path(__file__).parent / "torch_npu"


def pytest_generate_tests(metafunc):
    if "part" in metafunc.fixturenames:
        # A process takes longer to start than the tests of one operator take, so all files share one process.
        parts = (
            [""]
            if metafunc.config.getoption("--op")
            else sorted(path.name for path in SUITE.glob("test_*.py"))
        )
        metafunc.parametrize("part", parts)


@pytest.mark.skipif(importlib.util.find_spec("torch_npu") is None, reason="torch_npu is not installed")
@pytest.mark.skipif(bool(sim.obstacle()), reason=f"no simulation here: {sim.obstacle()}")
@pytest.mark.passes_op_on
def test_suite(part, request):
    """Runs one file of the suite; with --op it runs the tests of all files that are about these operators."""
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
    chosen = request.config.getoption("--op") or []
    command += [f"--op={operator}" for operator in chosen]
    done = subprocess.run(command, capture_output=True, text=True, env={**os.environ, "OMP_NUM_THREADS": "1"})
    print(done.stdout[-20_000:], done.stderr[-5_000:])
    if chosen and done.returncode == pytest.ExitCode.NO_TESTS_COLLECTED:
        pytest.skip(f"no test of npu tensors is about {', '.join(chosen)}")
    assert done.returncode == 0


def test_a_file_of_the_suite_named_alone_says_how_to_run_it():
    command = [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", str(SUITE / "test_nn.py")]
    done = subprocess.run(command, capture_output=True, text=True, cwd=SUITE.parents[1])
    assert done.returncode == pytest.ExitCode.USAGE_ERROR
    assert "./build.sh test -- tests/test_torch_npu.py" in done.stderr


def script(code: str, **environment: str) -> subprocess.CompletedProcess:
    command = [sys.executable, "-c", code]
    return subprocess.run(command, capture_output=True, text=True, env={**os.environ, **environment})


ACTIVATE = "import ascend_vision_ops as avo\navo.sim.activate()\n"
WORK = """
import torch
torch.manual_seed(1)
images = torch.randn(2, 3, 8, 8, requires_grad=True)
layer = torch.nn.Conv2d(3, 4, 3).npu()
avo.max_pool2d(layer(images.npu()), [2, 2]).sum().backward()
torch.optim.Adam(layer.parameters()).step()
"""


@pytest.mark.skipif(importlib.util.find_spec("torch_npu") is None, reason="torch_npu is not installed")
@pytest.mark.skipif(bool(sim.obstacle()), reason=f"no simulation here: {sim.obstacle()}")
def test_torch_npu_warns_of_nothing():
    done = script(ACTIVATE + WORK + "print('ends')")
    assert done.returncode == 0, done.stderr
    assert done.stdout == "ends\n"
    # One line, about padding, comes on every device of this kind.
    assert [line for line in warnings(done.stderr) if "32 padding size" not in line] == []
    assert warnings(script(ACTIVATE + WORK, TORCH_CPP_LOG_LEVEL="ERROR").stderr) == []


def warnings(printed: str) -> list[str]:
    """Leaves out a line that torch_npu prints by mistake, rarely, while a process ends: the thread of its queue asks a
    logger for its level, but the logger is a static variable that has been destroyed."""
    mistake = "Dequeue: taskqueue is empty, wait for efd_read end"
    return [line for line in printed.splitlines() if line and mistake not in line]


def test_activation_refuses_beside_cann():
    done = script(ACTIVATE, ASCEND_HOME_PATH="/usr/local/Ascend")
    assert done.returncode != 0
    assert "CANN is installed: ASCEND_HOME_PATH=/usr/local/Ascend" in done.stderr
    assert "force=True" in done.stderr


@pytest.mark.skipif(importlib.util.find_spec("torch_npu") is None, reason="torch_npu is not installed")
def test_a_forced_activation_leaves_canns_operators_alone():
    """torch_npu looks for operators in the folders that these variables name when its library is loaded."""
    names = ("ASCEND_HOME_PATH", "ASCEND_OPP_PATH", "ASCEND_CUSTOM_OPP_PATH")
    code = "import ascend_vision_ops as avo, os\navo.sim.activate(force=True)\n"
    code += f"print([name for name in {names} if name in os.environ])"
    done = script(code, **dict.fromkeys(names, "/nowhere"))
    assert done.returncode == 0, done.stderr
    assert done.stdout.splitlines()[-1] == "[]"


@pytest.mark.parametrize("devices", [0, -1])
def test_activation_refuses_no_devices(devices):
    with pytest.raises(ValueError, match="devices: expected 1 to 32"):
        sim.activate(devices)
