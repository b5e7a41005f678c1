# SPDX-License-Identifier: Apache-2.0
"""`avo` beside other programs of the shell, and with impossible platforms: one line, and a status that says it."""

from __future__ import annotations

import os
import re
import shlex
import subprocess
import sys
from pathlib import Path

import pytest

from ascend_vision_ops import paths
from ascend_vision_ops._extras import named, need, wanted_by_pip
from ascend_vision_ops.cli import main

CALL = "upsample_linear1d(self=f32[1,80,1500],output_size=[3000])"
AVO = f"{shlex.quote(sys.executable)} -m ascend_vision_ops"


def shell(script: str) -> subprocess.CompletedProcess:
    command = ["bash", "-c", f"set -o pipefail; {script}"]
    # Unbuffered, so that each line meets the closed pipe.
    environment = {**os.environ, "PYTHONUNBUFFERED": "1"}
    return subprocess.run(command, capture_output=True, text=True, check=False, timeout=120, env=environment)


def into_closed_pipe(*words: str) -> subprocess.CompletedProcess:
    """Runs a program whose reader is gone before the program starts."""
    reader, writer = os.pipe()
    os.close(reader)
    try:
        return subprocess.run(
            words, stdout=writer, stderr=subprocess.PIPE, text=True, check=False, timeout=120
        )
    finally:
        os.close(writer)


def test_a_reader_that_has_seen_enough_is_no_failure():
    done = shell(f"{AVO} list | head -n 1")
    assert (done.returncode, done.stderr) == (0, "") and done.stdout.startswith("operator")
    done = into_closed_pipe(sys.executable, "-m", "ascend_vision_ops", "list")
    assert (done.returncode, done.stderr) == (0, "")


def test_a_program_that_does_nothing_about_a_closed_pipe_is_seen():
    done = into_closed_pipe(sys.executable, "-c", "print('operator')")
    assert done.returncode != 0 and "BrokenPipeError" in done.stderr


def test_a_closed_output_is_one_line():
    done = shell(f"{AVO} list >&-")
    assert (done.returncode, done.stderr) == (1, "avo: the standard output is closed\n")


@pytest.mark.skipif(not os.path.exists("/dev/full"), reason="the system has no /dev/full")
def test_a_full_disk_is_one_line():
    done = shell(f"{AVO} list > /dev/full")
    assert done.returncode == 1 and done.stderr == "avo: [Errno 28] No space left on device\n"


@pytest.mark.parametrize(("option", "value", "told"), [
    ("--cores", "0", "cores: expected a number from 1 to 65535, got 0"),
    ("--cores", "-5", "cores: expected a number from 1 to 65535, got -5"),
    ("--cores", "65536", "cores: expected a number from 1 to 65535, got 65536"),
    ("--ub", "-1", "ub_bytes: expected a number from 32 to 4294967296, got -1"),
    ("--ub", "64", "the Unified Buffer has 64 bytes"),
])  # fmt: skip
def test_an_impossible_platform_is_told(option, value, told, capsys):
    assert main(["tiling", CALL, f"{option}={value}"]) == 1
    captured = capsys.readouterr()
    assert told in captured.err and captured.err.count("\n") == 1 and not captured.out


def test_the_platform_that_is_asked_for_is_planned_for(capsys):
    assert main(["tiling", CALL, "--cores=1"]) == 0
    assert "block_dim = 1\n" in capsys.readouterr().out


def test_a_call_without_launches_has_a_profile(capsys):
    assert main(["profile", "upsample_linear1d(self=f32[0,80,1500],output_size=[3000])"]) == 0
    shown = capsys.readouterr().out
    assert "launches no kernel" in shown and "nan" not in shown


def test_paths_with_spaces_are_quoted(monkeypatch, capsys, tmp_path):
    folder = tmp_path / "a folder"
    folder.mkdir()
    monkeypatch.setattr(paths, "include_dir", lambda: folder)
    monkeypatch.setattr(paths, "library_dir", lambda: folder)
    assert main(["config", "--cflags", "--libs"]) == 0
    words = shlex.split(capsys.readouterr().out)
    assert words[:3] == [f"-I{folder}", f"-L{folder}", f"-Wl,-rpath,{folder}"]


def test_the_extra_that_brings_a_module_is_named(monkeypatch):
    listed = ["numpy>=1.26", 'onnx-ir<2,>=1.1; extra == "onnx"', "hypothesis>=6.100; extra == 'test'"]
    monkeypatch.setattr("importlib.metadata.requires", lambda name: listed)
    assert wanted_by_pip("onnx_ir") == "'ascend-vision-ops[onnx]'"
    assert wanted_by_pip("hypothesis") == "'ascend-vision-ops[test]'"
    assert wanted_by_pip("numpy") == "numpy" and wanted_by_pip("scipy") == "scipy"


def test_what_needs_an_extra_names_it(monkeypatch):
    monkeypatch.setattr("importlib.metadata.requires", lambda name: ['torch>=2.10; extra == "torch"'])
    expected = r"nms needs the Python package torch, which is not installed: pip install 'ascend-vision-ops\[torch\]'"
    with pytest.raises(ModuleNotFoundError, match=expected), named("nms"):
        raise ModuleNotFoundError("No module named 'torch.nn'", name="torch.nn")
    with pytest.raises(ModuleNotFoundError, match="needs the Python package no_such_module"):
        need("no_such_module", "this test")
    need("numpy", "this test")
    # A module of our own that is not there is a fault of the package, which pip cannot mend.
    with pytest.raises(ModuleNotFoundError, match=r"^No module named 'ascend_vision_ops\.x'$"), named("x"):
        raise ModuleNotFoundError("No module named 'ascend_vision_ops.x'", name="ascend_vision_ops.x")


def imports_torch(source: str) -> bool:
    """Tells whether a module imports torch as soon as it is imported itself."""
    return re.search(r"^(import torch|from torch)\b", source, re.M) is not None


def test_cases_are_there_without_torch():
    """`avo parity` compares with NumPy; torch is the oracle of the tests."""
    folder = Path(__file__).resolve().parents[1] / "cases"
    assert imports_torch("import numpy\nimport torch\n") and not imports_torch("def f():\n    import torch\n")
    assert [path.name for path in folder.rglob("*.py") if imports_torch(path.read_text())] == []


def test_a_message_has_no_traceback_of_a_closed_pipe(tmp_path):
    """The interpreter flushes its output when it ends; what is left then must not fail."""
    script = tmp_path / "reader.py"
    script.write_text("import sys\nsys.stdin.read(1)\n")
    done = shell(f"{AVO} list | {shlex.quote(sys.executable)} {shlex.quote(str(Path(script)))}")
    assert (done.returncode, done.stderr) == (0, "")
