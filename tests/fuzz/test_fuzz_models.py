# SPDX-License-Identifier: Apache-2.0
"""`./build.sh fuzz models` finds commands that die, hang or show a traceback; `avo onnx` does not."""

from __future__ import annotations

import os
import re
import subprocess
import sys

import pytest

onnx = pytest.importorskip("onnx", reason="models are made with the package onnx")
pytest.importorskip("onnxruntime", reason="the package onnxruntime is not installed")

from onnx import TensorProto, helper  # noqa: E402

from ascend_vision_ops.cli import main as avo  # noqa: E402
from ascend_vision_ops.paths import onnxruntime_library  # noqa: E402
from tests.fuzz import models  # noqa: E402

pytestmark = pytest.mark.skipif(
    not onnxruntime_library().is_file(), reason="the library for ONNX Runtime is not built"
)


def test_a_few_models(tmp_path):
    """In a process of its own, whose memory is limited."""
    options = ["--seconds", "600", "--models", "25", "--seed", "3", "--folder", str(tmp_path)]
    command = [sys.executable, "-m", models.__name__, *options]
    done = subprocess.run(command, capture_output=True, text=True, timeout=900)
    assert done.returncode == 0, done.stdout + done.stderr
    assert "25 models, 100 commands, 0 models wrong" in done.stdout
    assert not list(tmp_path.glob("3_*.onnx"))


@pytest.fixture
def small_run(monkeypatch, tmp_path):
    """Starts a run of two models in this process's child, with a command that is replaced."""
    model = helper.make_model(helper.make_graph([], "none", [], []))
    monkeypatch.setattr(models, "corpus", lambda rng, count: [model])
    monkeypatch.setattr(models, "limit_memory", lambda more: None)

    def start(command) -> int:
        monkeypatch.setattr(models, "avo", command)
        return models.main(["--seconds", "600", "--models", "2", "--seed", "1", "--folder", str(tmp_path)])

    return start


def two_lines(words):
    print("avo: one\ntwo", file=sys.stderr)
    return 1


@pytest.mark.parametrize(
    ("command", "message"),
    [
        (lambda words: os.abort(), r"died with SIGABRT in\n  avo onnx info .*1_0\.onnx"),
        (lambda words: [][0], r"a traceback: (?s:.*)IndexError"),
        (lambda words: 3, r"status 3"),
        (two_lines, r"expected an error of one line, got 2: avo: one"),
    ],
)
def test_a_fault_is_told_and_the_model_is_kept(small_run, capfd, tmp_path, command, message):
    assert small_run(command) == 1
    assert re.search(message, capfd.readouterr().out)
    assert (tmp_path / "1_0.onnx").is_file()


def test_a_command_that_does_not_end_is_told(small_run, monkeypatch, capfd):
    def endless(words):
        while True:
            pass

    monkeypatch.setattr(models, "SECONDS", 1)
    assert small_run(endless) == 1
    assert "died with SIGPROF in" in capfd.readouterr().out


def test_right_commands_are_right(small_run, capfd, tmp_path):
    assert small_run(lambda words: 0) == 0
    assert "no fault found" in capfd.readouterr().out
    assert not list(tmp_path.iterdir())


# --- what a run has found


def save(tmp_path, nodes, inputs, outputs):
    values = [
        [helper.make_tensor_value_info(name, TensorProto.FLOAT, shape) for name, shape in side]
        for side in (inputs, outputs)
    ]
    model = helper.make_model(
        helper.make_graph(nodes, "g", *values), opset_imports=[helper.make_opsetid("", 16)]
    )
    onnx.save(model, tmp_path / "m.onnx")
    return str(tmp_path / "m.onnx")


@pytest.mark.parametrize("command", [["info"], ["run"], ["simplify"]])
def test_an_output_that_nothing_computes(tmp_path, capfd, command):
    path = save(tmp_path, [helper.make_node("Relu", ["x"], ["y"])], [("x", [2])], [("z", [2])])
    assert avo(["onnx", *command, path]) == 1
    error = capfd.readouterr().err
    assert error.count("\n") == 1 and "nothing computes its output 'z'" in error


def test_an_input_larger_than_memory(tmp_path, capfd):
    path = save(tmp_path, [helper.make_node("Relu", ["x"], ["y"])], [("x", [2**40, 2**10])], [("y", None)])
    assert avo(["onnx", "run", path]) == 1
    error = capfd.readouterr().err
    assert error.count("\n") == 1 and re.search("allocate|memory", error)


@pytest.mark.parametrize("command", [["info"], ["run"], ["simplify"]])
def test_a_node_without_inputs(tmp_path, capfd, command):
    path = save(tmp_path, [helper.make_node("Transpose", [], ["y"])], [("x", [2])], [("y", [2])])
    status, error = avo(["onnx", *command, path]), capfd.readouterr().err
    assert (status, error.count("\n")) in ((0, 0), (1, 1)), error
    assert command == ["info"] or status == 1
