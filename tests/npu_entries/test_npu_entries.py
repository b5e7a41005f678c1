# SPDX-License-Identifier: Apache-2.0
"""Tests the documented aclnn functions of the npu target with a C++ program (CMakeLists.txt says what stands for CANN).
Each test runs in a process of its own, with or without a library of CANN's.
"""

from __future__ import annotations

import os
import shutil
import subprocess
from pathlib import Path

import pytest

BUILD = Path(os.environ.get("AVO_BUILD", Path(__file__).parents[2] / "build" / "sim"))
PROGRAM = BUILD / "tests" / "npu_entry_tests"
CANN = BUILD / "tests" / "npu_entries_cann" / "libopapi.so"


def run(name: str, libraries: Path, **more: str) -> None:
    drop = ("AVO_SIM_", "ASCEND_", "LD_LIBRARY_PATH")
    env = {key: value for key, value in os.environ.items() if not key.startswith(drop)}
    env |= {"LD_LIBRARY_PATH": str(libraries), **more}
    done = subprocess.run([PROGRAM, name], capture_output=True, text=True, timeout=300, check=False, env=env)
    assert done.returncode == 0, done.stderr


def names() -> list[str]:
    if not PROGRAM.exists():
        return []
    return subprocess.run([PROGRAM, "--list"], capture_output=True, text=True, check=True).stdout.split()


@pytest.fixture
def no_cann(tmp_path):
    """A folder with a library of CANN's name and none of its functions."""
    return empty_library(tmp_path)


def empty_library(folder: Path, *options: str) -> Path:
    source = folder / "empty.c"
    source.write_text("")
    subprocess.run(["cc", "-shared", "-fPIC", source, "-o", folder / "libopapi.so", *options], check=True)
    return folder


def test_program_is_built():
    assert PROGRAM.exists(), f"{PROGRAM} is missing: ./build.sh test builds it (AVO_BUILD names another tree)"


@pytest.mark.parametrize("name", [name for name in names() if "without_cann" not in name])
def test_with_cann(name):
    refuses = {"OPBUILD_REFUSES": "1"} if name == "cann_is_asked_where_opbuilds_function_fails" else {}
    run(name, CANN.parent, **refuses)


@pytest.mark.parametrize("name", [name for name in names() if "without_cann" in name])
def test_without_cann(name, no_cann):
    run(name, no_cann)


def test_our_functions_are_not_taken_for_those_of_cann(tmp_path):
    """A library that depends on ours has our functions in its reach, under the names that are looked up."""
    ours = BUILD / "tests"
    folder = empty_library(tmp_path, "-Wl,--no-as-needed", f"-L{ours}", "-lnpu_entries_opapi", f"-Wl,-rpath,{ours}")
    run("without_cann_the_contract_decides", folder)


def test_functions_in_one_library_for_each_repository(no_cann):
    """As CANN 9 has it: libopapi_*.so in the toolkit's lib64, and a libopapi.so without these functions."""
    folder = no_cann / "toolkit" / "lib64"
    folder.mkdir(parents=True)
    shutil.copy(CANN, folder / "libopapi_math.so")
    (folder / "libopapi_notes.txt").write_text("no library")
    run("results_may_get_their_addresses_after_the_first_phase", no_cann, ASCEND_HOME_PATH=str(folder.parent))
