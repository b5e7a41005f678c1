# SPDX-License-Identifier: Apache-2.0
"""build.sh on machines that lack something prints one clear line and does not exit with 0."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[1]
OFFLINE = {"PIP_CONFIG_FILE": "/dev/null", "PIP_INDEX_URL": "http://127.0.0.1:9", "PIP_FIND_LINKS": ""}
OFFLINE |= {"PIP_EXTRA_INDEX_URL": "", "PIP_RETRIES": "0"}


def build_sh(*arguments: str, **environment: str) -> subprocess.CompletedProcess:
    command = [str(ROOT / "build.sh"), *arguments]
    return subprocess.run(
        command, capture_output=True, text=True, env={**os.environ, **environment}, timeout=300
    )


def program(folder: Path, name: str, text: str) -> str:
    path = folder / name
    path.write_text(f"#!/bin/sh\n{text}\n")
    path.chmod(0o755)
    return str(path)


def last_line(done: subprocess.CompletedProcess) -> str:
    assert done.returncode != 0
    assert len(done.stderr.splitlines()) == 1, done.stderr
    return done.stderr


def test_help():
    done = build_sh("--help")
    assert done.returncode == 0
    for command in [
        "setup",
        "build",
        "demo",
        "test",
        "fuzz",
        "onnxruntimes",
        "bench",
        "performance",
        "gen",
        "docs",
        "check",
        "package",
        "clean",
    ]:
        assert f"\n  {command}" in done.stdout


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (["dance"], "unknown command 'dance'"),
        (["build", "--fast"], "unknown option --fast"),
        (["build", "--target", "gpu"], "--target is sim or npu, not 'gpu'"),
        (["test", "no_such_operator"], "no operator 'no_such_operator'"),
        (["tests", "no_such_operator"], "unknown command 'tests'"),
        (["build", "argmax"], "'build' takes no operator"),
        (["build", "--only", "argmax,no_such_operator"], "no operator 'no_such_operator'"),
        (["demo", "--only", "argmax"], "'demo' takes no --only"),
        (["test", "argmax", "--only", "cummax"], "--only: expected argmax among the operators, got cummax"),
        (["demo", "--target", "npu"], "demo works on target sim only"),
        (
            ["test", "--target", "npu", "--cpu"],
            "a tree of CPU kernels (--cpu) has no project for --target npu",
        ),
        (["clean", "--ascend-headers", "."], "'clean' takes no --ascend-headers"),
        (
            ["test", "--ascend-headers", "no-such-folder"],
            "--ascend-headers: expected a folder, got no-such-folder",
        ),
        (["build", "--cpu", "--ascend-headers", "."], "--cpu) has no kernels to compile against headers"),
    ],
)
def test_wrong_use(arguments, words):
    assert words in last_line(build_sh(*arguments))


def test_no_python(tmp_path):
    line = last_line(build_sh("setup", AVO_VENV=str(tmp_path / "venv"), PYTHON="no-such-python"))
    assert "no Python: 'no-such-python'" in line


def test_old_python(tmp_path):
    old = program(tmp_path, "python", 'case $1 in -V) echo "Python 3.8.1" ;; *) exit 1 ;; esac')
    line = last_line(build_sh("setup", AVO_VENV=str(tmp_path / "venv"), PYTHON=old))
    assert "Python 3.8.1 is too old: needs Python 3.10" in line


def test_no_compiler(tmp_path):
    line = last_line(build_sh("setup", AVO_VENV=str(tmp_path / "venv"), PYTHON=sys.executable, CXX="false"))
    assert "'false' does not compile C++17" in line


def test_no_network(tmp_path):
    line = last_line(build_sh("setup", AVO_VENV=str(tmp_path / "venv"), PYTHON=sys.executable, **OFFLINE))
    assert "pip could not install it, no network?" in line


def test_an_importable_torch_is_used(tmp_path):
    """The new environment uses the torch of PYTHON and what that torch depends on."""
    venv = tmp_path / "venv"
    done = build_sh("setup", AVO_VENV=str(venv), PYTHON=sys.executable)
    if "no network?" in done.stderr:
        pytest.skip("no network to install tools from")
    assert done.returncode == 0, done.stderr
    assert "using the torch in" in done.stdout
    again = build_sh("setup", AVO_VENV=str(venv), PYTHON=sys.executable)
    assert (again.returncode, again.stdout) == (0, "")
    assert not list(venv.glob("lib/*/site-packages/torch"))
    subprocess.run([venv / "bin" / "python", "-c", "import torch, pybind11, numpy"], check=True)
    assert (venv / "bin" / "cmake").exists()


def test_package_for_npu_without_cann(tmp_path):
    done = build_sh("package", "--target", "npu", AVO_VENV=str(Path(sys.prefix)), ASCEND_HOME_PATH="")
    assert "needs CANN: ASCEND_HOME_PATH is not set" in last_line(done)


# A stand-in for the functions of CANN's CMake package that the project calls; both targets only write a file.
CANN_CMAKE = """\
foreach(name npu_op_package npu_op_code_gen npu_op_kernel_sources npu_op_package_add)
  function(${name})
  endfunction()
endforeach()
function(npu_op_library name)
  add_custom_target(${name})
endfunction()
function(npu_op_kernel_library)
endfunction()
function(target_include_directories)
endfunction()
add_custom_target(binary COMMAND ${CMAKE_COMMAND} -E touch ${CMAKE_BINARY_DIR}/binary_done)
add_custom_target(package COMMAND ${CMAKE_COMMAND} -E copy ${CMAKE_BINARY_DIR}/binary_done
  ${CMAKE_BINARY_DIR}/custom_opp_test.run)
"""


def test_package_for_npu(tmp_path):
    """Kernels are compiled before the package is made. A stand-in replaces CANN's CMake functions."""
    cann = tmp_path / "cann"
    folder = cann / "compiler" / "tikcpp" / "ascendc_kernel_cmake"
    folder.mkdir(parents=True)
    (folder / "ASCConfig.cmake").write_text(CANN_CMAKE)
    tree = tmp_path / "tree"
    skipped = shutil.ignore_patterns(".*", "build", "dist", "tests", "sim", "__pycache__")
    shutil.copytree(ROOT, tree, ignore=skipped)
    command = [tree / "build.sh", "package", "--target", "npu"]
    environment = {**os.environ, "AVO_VENV": sys.prefix, "ASCEND_HOME_PATH": str(cann)}
    done = subprocess.run(command, capture_output=True, text=True, env=environment, timeout=300)
    assert done.returncode == 0, done.stderr
    assert (tree / "dist" / "custom_opp_test.run").exists()


def test_own_names_are_for_packages():
    assert "'test' takes no --own-names" in last_line(build_sh("test", "--own-names"))
