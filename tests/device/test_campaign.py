# SPDX-License-Identifier: Apache-2.0
"""Cases in worker processes: wrong results, faults, deaths and hangs are told, and the run goes on."""

from __future__ import annotations

import importlib.util
import os
import subprocess
import sys
from pathlib import Path

import pytest

from ascend_vision_ops import sim
from ascend_vision_ops.cli import main
from ascend_vision_ops.testing import campaign, report
from ascend_vision_ops.testing.campaign import Campaign, NoWorker
from ascend_vision_ops.testing.run import missing

BROKEN = (sys.executable, str(Path(__file__).with_name("broken_worker.py")))
RIGHT, WRONG, ABORTS, HANGS, FAULTS, EXITS = range(6)


def line(what: int) -> str:
    """A case of an operator with results; the broken worker reads from `dim` what to do."""
    return f"cummax(input=f32[{','.join('2' * 6)}],dim={what})"


@pytest.fixture(scope="module")
def records() -> list[dict]:
    """What one run of several cases gave; processes take long to start."""
    whats = [RIGHT, WRONG, ABORTS, RIGHT, EXITS, FAULTS, FAULTS]
    with Campaign("npu", seconds=60, model=False, command=BROKEN) as running:
        return list(running.run([line(what) for what in whats]))


def test_a_right_and_a_wrong_result(records):
    right, wrong = records[:2]
    assert right["outcome"] == "passed" and right["operator"] == "cummax" and right["case"] == line(RIGHT)
    assert wrong["outcome"] == "wrong" and "elements wrong" in wrong["message"]
    assert right["pid"] == wrong["pid"], "a wrong result leaves the process alive"


def test_a_process_that_dies(records):
    _, wrong, aborted, after, ended = records[:5]
    assert aborted["outcome"] == ended["outcome"] == "died"
    assert "signal SIGABRT: about to abort" in aborted["message"]
    assert "ended by status 3" in ended["message"]
    assert after["outcome"] == "passed" and after["pid"] != wrong["pid"]


def test_a_fault_gets_a_new_process(records):
    """The context of a device is of no use behind a fault."""
    first, second = records[-2:]
    assert first["outcome"] == second["outcome"] == "failed"
    assert first["message"] != second["message"]


def test_a_process_that_hangs_is_ended_and_says_where():
    with Campaign("npu", seconds=60, model=False, command=BROKEN) as running:
        (before,) = running.run([line(RIGHT)])
        running.seconds = 0.2
        (hung,) = running.run([line(HANGS)])
        running.seconds = 60
        (after,) = running.run([line(RIGHT)])
    assert hung["outcome"] == "hung" and "no answer within 0.2 s" in hung["message"]
    assert "in answer" in hung["message"], "the stack of the process"
    assert after["outcome"] == "passed" and after["pid"] != before["pid"]
    with pytest.raises(ProcessLookupError):
        os.kill(before["pid"], 0)


class Stuck:
    """A process that the driver holds: no signal ends it."""

    killed = False

    def kill(self) -> None:
        self.killed = True

    def wait(self, seconds: float) -> int:
        raise subprocess.TimeoutExpired("stuck", seconds)


class Late(Stuck):
    """A process that ends once it is killed."""

    def wait(self, seconds: float) -> int:
        return -9 if self.killed else super().wait(seconds)


def test_a_process_that_no_signal_ends_does_not_hold_up_the_run():
    stuck, late = Stuck(), Late()
    assert campaign.end_of(late) == -9
    assert campaign.end_of(stuck) is None and stuck.killed
    assert "the driver holds it" in campaign.how_it_ended(None)
    assert "SIGKILL" in campaign.how_it_ended(-9)


def test_a_device_that_does_not_start():
    with pytest.raises(NoWorker, match="aclrtGetDeviceCount returns 507008"), Campaign("sim", command=BROKEN):
        pass


@pytest.fixture
def parity(monkeypatch, capsys, tmp_path):
    """Runs `avo parity --device npu` with the broken worker, and gives status, output and error output."""
    monkeypatch.setattr(
        "ascend_vision_ops.cli.device.Campaign", lambda *a, **k: Campaign(*a, **k, command=BROKEN)
    )

    def call(*options: str, whats: list[int]) -> tuple[int, str, str]:
        lines = [part for what in whats for part in ("--case", line(what))]
        status = main(["parity", "--device", "npu", "--no-model", *lines, *options])
        done = capsys.readouterr()
        return status, done.out, done.err

    return call


def test_a_report_has_every_case_and_the_machine_and_a_run_goes_on_with_it(parity, tmp_path):
    path = tmp_path / "report.json.gz"
    status, out, _ = parity("--report", str(path), whats=[RIGHT, ABORTS])
    before = report.read(path)
    assert status == 1
    assert [one["outcome"] for one in before.records.values()] == ["passed", "died"]
    assert before.head["soc"] == "Broken910" and before.head["device"] == "npu"
    assert {"system", "torch_npu", "CANN"} <= {finding["item"] for finding in before.head["findings"]}
    assert f"avo parity --device npu --case '{line(ABORTS)}'" in out

    status, _, error = parity("--report", str(path), whats=[RIGHT])
    assert status == 1 and "expected a new file, or --resume" in error

    parity("--report", str(path), "--resume", whats=[RIGHT, ABORTS, WRONG])
    after = report.read(path).records
    assert list(after) == [line(RIGHT), line(ABORTS), line(WRONG)]
    assert after[line(RIGHT)] == before.records[line(RIGHT)], "cases of the former run are not run again"
    assert after[line(WRONG)]["outcome"] == "wrong"


def test_all_passed_is_status_0(parity):
    assert parity(whats=[RIGHT])[0] == 0


def test_report_without_a_device(capsys):
    assert main(["parity", "--report", "x"]) == 1
    assert "expected --device npu" in capsys.readouterr().err


# --- the whole way, on the simulated device under torch_npu

CASES = ("cummax(input=f32[2,33].special,dim=1).strided", "max_pool2d(input=f16[1,2,7,9],kernel_size=[3,2])")


@pytest.fixture
def simulated(capsys, tmp_path, monkeypatch):
    if importlib.util.find_spec("torch_npu") is None or sim.obstacle():
        pytest.skip("torch_npu is not installed, or here is an NPU")
    if missing("aclnn"):
        pytest.skip("the simulated device is not built")

    def call(*options: str) -> tuple[report.Report, str]:
        path = tmp_path / "report.json"
        cases = [part for case in CASES for part in ("--case", case)]
        status = main(["parity", "--device", "sim", *cases, "--report", str(path), *options])
        return report.read(path), (status, capsys.readouterr().out)

    return call


def test_cases_pass_on_npu_tensors_and_are_timed(simulated):
    read, (status, out) = simulated("--repeat", "1")
    assert status == 0, out
    assert read.head["soc"] == read.head["model_soc"] == "Ascend910B1"
    for record in read.records.values():
        assert record["outcome"] == "passed"
        assert min(record[name] for name in ("device_us", "call_us", "model_us", "c_us", "cann_us")) > 0
    # Under the simulated device, libopapi holds our functions under CANN's names.
    assert [one["cann_function"] for one in read.records.values()] == ["aclnnCummax", "aclnnMaxPool"]


def test_a_fault_of_the_device_is_told(simulated, monkeypatch):
    """In strict mode every kernel with dependent vector instructions faults."""
    monkeypatch.setenv("AVO_SIM_STRICT", "1")
    read, (status, out) = simulated("--no-model")
    assert status == 1
    assert [one["outcome"] for one in read.records.values()] == ["failed", "failed"]
    assert all("MissingSync" in one["message"] for one in read.records.values())
    assert "failed: " in out and f"--case '{CASES[0]}'" in out
