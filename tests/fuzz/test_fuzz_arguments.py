# SPDX-License-Identifier: Apache-2.0
"""`./build.sh fuzz arguments` finds functions that die, hang or answer wrongly; ours do not."""

from __future__ import annotations

import json
import os
import re
import signal
import subprocess
import sys

import pytest

from ascend_vision_ops.testing import fuzz_arguments
from ascend_vision_ops.testing.fuzz_arguments import Drawn, fuzz, main, rerun_line, wrong_with
from ascend_vision_ops.testing.run import missing

pytestmark = pytest.mark.skipif(bool(missing("aclnn")), reason=f"entry points: {missing('aclnn')}")


def test_a_few_calls():
    """In a process of its own: a process that has used the device cannot use it in a fork."""
    command = [
        sys.executable,
        "-m",
        fuzz_arguments.__name__,
        "--seconds",
        "600",
        "--calls",
        "3000",
        "--seed",
        "1",
    ]
    done = subprocess.run(command, capture_output=True, text=True, timeout=600)
    assert done.returncode == 0, done.stdout + done.stderr
    told = {int(status) for _, status in re.findall(r"(\d+) x (-?\d+)", done.stdout)}
    assert {0, 161001, 161002} <= told, done.stdout
    assert "3000 calls" in done.stdout and "no fault found" in done.stdout


@pytest.fixture
def no_limit(monkeypatch):
    """The process of the tests keeps its memory."""
    monkeypatch.setattr(fuzz_arguments, "limit_memory", lambda more: None)


def test_a_seed_draws_the_same_calls(monkeypatch, no_limit):
    runs = []
    for _ in range(2):
        runs.append([])
        monkeypatch.setattr(Drawn, "make", lambda drawn: (0, ""))
        fuzz(fuzz_arguments.with_functions(), 600, 5, lambda drawn: runs[-1].append(drawn.text), most=50)
    assert runs[0] == runs[1] and len(set(runs[0])) > 40


@pytest.mark.parametrize(
    ("answer", "message"),
    [
        (lambda drawn: os.abort(), r"^died with SIGABRT in\n  \./build\.sh fuzz arguments -- --call '\{"),
        (
            lambda drawn: (5, "text"),
            r"^status 5 \(text\), expected one of 0, 161001, 161002, 561002\n  \./build",
        ),
        (lambda drawn: (161002, ""), r"^status 161002 without a message\n  \./build"),
        (lambda drawn: (0, ""), r"^no fault found"),
        (lambda drawn: [0][1], r"^IndexError: list index out of range\n  \./build"),
    ],
)
def test_a_fault_is_told(monkeypatch, no_limit, capfd, answer, message):
    monkeypatch.setattr(Drawn, "make", answer)
    status = main(["--seconds", "600", "--calls", "20", "--seed", "1"])
    printed = capfd.readouterr().out
    assert re.search(message, printed, re.MULTILINE), printed
    assert status == ("no fault found" not in printed)


def compute():
    while True:
        pass


@pytest.mark.parametrize(("endless", "died"), [(compute, "SIGPROF"), (signal.pause, "SIGALRM")])
def test_a_call_that_does_not_end_is_told(monkeypatch, no_limit, capfd, endless, died):
    monkeypatch.setattr(Drawn, "make", lambda drawn: endless())
    monkeypatch.setattr(fuzz_arguments, "SECONDS", 0.5)
    assert main(["--seconds", "600", "--seed", "1"]) == 1
    assert f"died with {died} in" in capfd.readouterr().out


def test_a_printed_call_is_made_again(capfd):
    text = re.search(r"--call '(.*)'$", rerun_line(Drawn("ArgMax", right(), [])))[1]
    assert main(["--call", text]) == 0
    assert "status 0, as it should" in capfd.readouterr().out
    wrong = Drawn("ArgMax", right() | {"dim": 7}, [])
    assert wrong_with(wrong) == (161002, "")
    assert json.loads(wrong.text)["arguments"]["dim"] == 7


def right() -> dict[str, object]:
    return {"self": dense([3, 4], "float32"), "dim": 0, "keepdim": False, "out": dense([4], "int64")}


def dense(shape: list[int], dtype: str, strides: list[int] | None = None) -> list:
    return [shape, dtype, 2, strides, 0]


# What a run has found: each took memory or time that grew with a number of the caller.
INTERLOCKED = {
    "valuesOut": dense([3, 3, 4], "float32", [2**32 - 1, 0, 4096]),
    "indicesOut": dense([3, 3, 4], "int64"),
}
LONG = {"indicesOut": dense([2**32 - 1], "int64"), "countOut": dense([1], "int64")}


@pytest.mark.parametrize(
    ("entry", "arguments"),
    [
        ("Cummin", {"self": dense([3, 3, 4], "float32"), "dim": 1} | INTERLOCKED),
        (
            "NmsPadded",
            {"boxes": dense([5, 4], "float32"), "scores": dense([5], "float32"), "idxsOptional": None,
             "iouThreshold": 0.5, "scoreThreshold": 0.1, "maxNum": 3, "offset": 0, "maxOutput": 2**32 - 1} | LONG,
        ),
    ],
)  # fmt: skip
def test_found_calls_answer_at_once(entry, arguments):
    status, wrong = wrong_with(Drawn(entry, arguments, []))
    assert not wrong and status == 161002
