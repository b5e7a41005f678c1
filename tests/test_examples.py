# SPDX-License-Identifier: Apache-2.0
"""The demos in Python, as far as they run without a network."""

from __future__ import annotations

import importlib.util
import os
import re
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

from ascend_vision_ops import sim

ROOT = Path(__file__).resolve().parents[1]
PHOTOGRAPHS = ROOT / "build" / "photographs"
cv2 = pytest.importorskip("cv2")


def example(name: str, *arguments: object) -> subprocess.CompletedProcess:
    command = [sys.executable, ROOT / "examples" / f"{name}.py", *arguments]
    # Tables in a pipe are narrow; a wide one keeps each message in one line.
    environment = {**os.environ, "COLUMNS": "200"}
    return subprocess.run([str(part) for part in command], capture_output=True, text=True, env=environment)


@pytest.mark.skipif(not any(PHOTOGRAPHS.glob("*")), reason="no photograph here; ./build.sh demo fetches one")
def test_detects_a_face(tmp_path):
    done = example("detect_faces", "--cache", PHOTOGRAPHS, "--out", tmp_path)
    assert done.returncode == 0, done.stdout + done.stderr
    assert " face windows" in done.stdout
    assert done.stdout.count(" ok") == 15
    assert cv2.imread(str(tmp_path / "detect_faces.jpg")).shape == (600, 1200, 3)


def test_says_that_nothing_is_there(tmp_path):
    cv2.imwrite(str(tmp_path / "grey.png"), np.full((64, 64, 3), 128, np.uint8))
    done = example("detect_faces", "--image", tmp_path / "grey.png", "--out", tmp_path)
    assert done.returncode == 1
    assert done.stderr.strip().endswith("grey.png")
    assert "the cascades find nothing" in done.stderr


def test_takes_no_other_file_for_the_photograph(tmp_path):
    (tmp_path / "astronaut.png").write_bytes(b"something else")
    done = example("detect_faces", "--cache", tmp_path, "--out", tmp_path)
    assert done.returncode == 1
    assert "is not the photograph expected; remove it to fetch it again" in done.stderr


@pytest.mark.skipif(importlib.util.find_spec("onnxruntime") is None, reason="onnxruntime is not installed")
def test_exports_a_detector(tmp_path):
    done = example("onnx_detector", "--out", tmp_path)
    assert done.returncode == 0, done.stdout + done.stderr
    assert not done.stderr
    counts = [int(count) for count in re.search(r"^all +(.+)$", done.stdout, re.M)[1].split()]
    assert len(counts) == 4
    assert counts[0] > counts[1] == counts[2] == counts[3]
    assert "tolerance 1e-04: ok" in done.stdout
    assert len(list(tmp_path.glob("onnx_detector*.onnx"))) == 4
    assert cv2.imread(str(tmp_path / "onnx_detector.jpg")).shape[1] > 1000


@pytest.mark.skipif(importlib.util.find_spec("onnxruntime") is None, reason="onnxruntime is not installed")
def test_notices_a_pass_that_changes_results(tmp_path, monkeypatch, capsys):
    spec = importlib.util.spec_from_file_location("onnx_detector", ROOT / "examples" / "onnx_detector.py")
    demo = importlib.util.module_from_spec(spec)
    monkeypatch.setitem(sys.modules, "onnx_detector", demo)
    spec.loader.exec_module(demo)

    def wrong(model, names):
        weight = next(node for node in reversed(model.graph) if node.op_type == "Conv").inputs[1]
        weight.const_value = demo.ir.tensor(weight.const_value.numpy() * np.float32(1.001))

    monkeypatch.setattr(demo.passes, "simplify", wrong)
    monkeypatch.setattr(sys, "argv", ["onnx_detector", "--out", str(tmp_path)])
    assert demo.main() == 1
    assert "too far apart" in capsys.readouterr().out


@pytest.mark.skipif(importlib.util.find_spec("torch_npu") is None, reason="torch_npu is not installed")
@pytest.mark.skipif(bool(sim.obstacle()), reason=f"no simulation here: {sim.obstacle()}")
def test_trains_a_detector(tmp_path):
    done = example("torch_detector", "--steps", 3, "--batch", 2, "--out", tmp_path)
    assert done.returncode == 0, done.stdout + done.stderr
    losses = re.findall(r"^ *\d+ +(\d+\.\d+) +(\d+\.\d+) ", done.stdout, re.M)
    assert len(losses) == 3
    for cpu, npu in losses:
        assert float(npu) == pytest.approx(float(cpu), rel=1e-4)
    assert len({cpu for cpu, _ in losses}) == 3
    assert "largest relative difference" in done.stdout
    assert cv2.imread(str(tmp_path / "torch_detector.jpg")).shape == (540, 1200, 3)


@pytest.mark.skipif(importlib.util.find_spec("torch_npu") is None, reason="torch_npu is not installed")
@pytest.mark.skipif(bool(sim.obstacle()), reason=f"no simulation here: {sim.obstacle()}")
def test_trains_a_detector_on_several_devices(tmp_path):
    done = example("distributed_detector", "--out", tmp_path)
    assert done.returncode == 0, done.stdout + done.stderr
    rows = re.findall(r"^ *(\d) +(DDP|FSDP2) +(\d+\.\d+) .*? (\S.*B|none) *$", done.stdout, re.M)
    assert [row[:2] for row in rows] == [(count, how) for count in "124" for how in ("DDP", "FSDP2")]
    assert "1 HcclAllReduce" in rows[2][3]
    assert "HcclReduceScatter" in rows[3][3]
    assert done.stdout.count(": ok") == 2
    assert cv2.imread(str(tmp_path / "distributed_detector.jpg")).shape[1] == 700
