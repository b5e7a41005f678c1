# SPDX-License-Identifier: Apache-2.0
"""Unchanged programs for torch.distributed on several simulated NPUs, started as users start them."""

from __future__ import annotations

import importlib.util
import os
import re
import socket
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from ascend_vision_ops import sim

PROGRAMS = Path(__file__).parent / "programs"
LIMIT = 300  # seconds; a program needs some 15 where nothing else runs

pytestmark = [
    pytest.mark.skipif(importlib.util.find_spec("torch_npu") is None, reason="torch_npu is not installed"),
    pytest.mark.skipif(bool(sim.obstacle()), reason=f"no simulation here: {sim.obstacle()}"),
]

LAUNCH = ["-m", "torch.distributed.run", "--standalone", "--nproc-per-node", "2"]
SIMULATE = [sys.executable, "-m", "ascend_vision_ops.sim", "--devices", "2"]


def start(command: list[str], **environment: str) -> subprocess.CompletedProcess:
    variables = {**os.environ, "OMP_NUM_THREADS": "1", **environment}
    pipes = {"stdout": subprocess.PIPE, "stderr": subprocess.PIPE, "text": True}
    with subprocess.Popen(command, env=variables, **pipes) as process:
        try:
            out, err = process.communicate(timeout=LIMIT)
        except subprocess.TimeoutExpired:
            process.terminate()  # torchrun then ends its workers, which it would not do if it were killed
            raise
    print(out[-10_000:], err[-10_000:])
    return subprocess.CompletedProcess(command, process.returncode, out, err)


@pytest.mark.parametrize("program", ["collectives", "training", "zero", "graphs", "sharded", "mistakes"])
def test_program(program, tmp_path):
    done = start([*SIMULATE, *LAUNCH, str(PROGRAMS / f"{program}.py"), str(tmp_path)])
    assert done.returncode == 0
    # Lines of two processes may run into each other.
    assert sorted(re.findall(r"rank \d done", done.stdout)) == ["rank 0 done", "rank 1 done"]


def test_torchrun_with_variables_alone(tmp_path):
    printed = subprocess.run([*SIMULATE, "--environment"], capture_output=True, text=True, check=True).stdout
    assert "export AVO_SIM_DEVICES=2\n" in printed
    variables = sim.environment(2)
    done = start([sys.executable, *LAUNCH, str(PROGRAMS / "collectives.py"), str(tmp_path)], **variables)
    assert done.returncode == 0
    assert done.stdout.count(" done") == 2


def test_a_killed_rank_and_a_restart():
    # Otherwise rank 1 may read the root information of the first attempt, which torchrun's store has kept.
    fresh = {"TORCH_DISABLE_SHARE_RDZV_TCP_STORE": "1"}
    done = start([*SIMULATE, *LAUNCH, "--max-restarts", "1", str(PROGRAMS / "restarted.py")], **fresh)
    assert done.returncode == 0
    assert done.stdout.count(" done") == 2


def test_two_nodes_on_one_machine(tmp_path):
    with socket.socket() as chosen:
        chosen.bind(("localhost", 0))
        endpoint = f"localhost:{chosen.getsockname()[1]}"
    node = ["-m", "torch.distributed.run", "--nnodes", "2", "--nproc-per-node", "1", "--rdzv-id", "job"]
    node += ["--rdzv-backend", "c10d", "--rdzv-endpoint", endpoint, str(PROGRAMS / "collectives.py")]
    with ThreadPoolExecutor() as pool:
        done = list(pool.map(start, [[*SIMULATE, *node]] * 2))
    assert [one.returncode for one in done] == [0, 0]
    assert sorted(one.stdout.strip() for one in done) == ["rank 0 done", "rank 1 done"]


def test_processes_that_a_program_spawns():
    done = start([*SIMULATE, str(PROGRAMS / "spawned.py")])
    assert done.returncode == 0
    assert done.stdout.count(" done") == 2


NOTHING = "import sys; print('torch' in sys.modules, 'ctypes' in sys.modules)"
NPU_FIRST = "import torch_npu, torch; print(torch.ones(2).npu().sum().item(), torch_npu.__spec__.name)"


def test_a_process_with_the_variables_loads_nothing_before_torch_is_imported():
    done = start([sys.executable, "-c", NOTHING], **sim.environment(1))
    assert (done.returncode, done.stdout) == (0, "False False\n")


def test_a_process_with_the_variables_may_import_torch_npu_first():
    done = start([sys.executable, "-c", NPU_FIRST], **sim.environment(1))
    assert (done.returncode, done.stdout) == (0, "2.0 torch_npu\n")


def test_a_hidden_sitecustomize_runs_too(tmp_path):
    (tmp_path / "sitecustomize.py").write_text("print('hidden')\n")
    variables = sim.environment(1)
    path = os.pathsep.join([variables["PYTHONPATH"], str(tmp_path)])
    done = start([sys.executable, "-c", "print('main')"], **{**variables, "PYTHONPATH": path})
    assert done.stdout == "hidden\nmain\n"


def test_bad_arguments():
    for devices in (0, 33):
        message = f"devices: expected 1 to 32, for which torch_npu is compiled, got {devices}"
        with pytest.raises(ValueError, match=message):
            sim.environment(devices)
        done = start([sys.executable, "-m", "ascend_vision_ops.sim", "--devices", str(devices), "script.py"])
        assert done.returncode == 2 and done.stderr.splitlines()[-1].endswith(message)
    assert "expected a script" in start([*SIMULATE]).stderr
    assert "-m: expected the name of a module" in start([*SIMULATE, "-m"]).stderr


def test_bytes_of_a_ring():
    def ring(call: str, sent: int, received: int) -> float:
        return sim.Traffic("c", 4, 0, call, 1, sent, received).ring_bytes

    assert ring("HcclAllReduce", 1000, 1000) == 1500
    assert ring("HcclAllGather", 1000, 4000) == ring("HcclReduceScatter", 4000, 1000) == 3000
    assert (ring("HcclSend", 1000, 0), ring("HcclRecv", 0, 1000)) == (1000, 0)


def test_times_of_links():
    def seconds(call: str, ranks: int, sent: float, received: float) -> float:
        return sim.Traffic("c", ranks, 0, call, 1, sent, received).link_seconds

    # Each of 8 devices sends an eighth to each of 7 others, twice, at 28 GB/s.
    assert seconds("HcclAllReduce", 8, 28e9, 28e9) == pytest.approx(2 / 8)
    assert seconds("HcclAllGather", 2, 28e9, 56e9) == pytest.approx(1)
    assert seconds("HcclAllGather", 16, 25e9, 400e9) == pytest.approx(15)  # by RoCE, 25 GB/s
    assert (seconds("HcclSend", 4, 28e9, 0), seconds("HcclSend", 9, 25e9, 0)) == (pytest.approx(1),) * 2
    assert seconds("HcclAllReduce", 1, 100, 100) == seconds("HcclRecv", 4, 0, 100) == 0
    with pytest.raises(ValueError, match="ranks: expected at least 2, got 1"):
        sim.link_rate(1)
