# SPDX-License-Identifier: Apache-2.0
"""Tests the documented aclnn functions of the npu target with a C++ program (CMakeLists.txt says what stands for CANN).
Each test runs in a process of its own, with or without a library of CANN's.
"""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

import ascend_vision_ops as avo
from ascend_vision_ops.testing import npu_project
from ascend_vision_ops.testing.run import spec_of
from tests.built import BUILD, listed, missing

PROGRAM = BUILD / "tests" / "npu_entry_tests"
CANN = BUILD / "tests" / "npu_entries_cann" / "libopapi.so"


def run(name: str, libraries: Path, **more: str) -> None:
    drop = ("AVO_SIM_", "ASCEND_", "LD_LIBRARY_PATH")
    env = {key: value for key, value in os.environ.items() if not key.startswith(drop)}
    env |= {"LD_LIBRARY_PATH": str(libraries), **more}
    done = subprocess.run([PROGRAM, name], capture_output=True, text=True, timeout=300, check=False, env=env)
    assert done.returncode == 0, done.stderr


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
    assert PROGRAM.exists(), missing(PROGRAM)


@pytest.mark.parametrize("name", [name for name in listed(PROGRAM) if "without_cann" not in name])
def test_with_cann(name):
    refuses = {"OPBUILD_REFUSES": "1"} if name == "cann_is_asked_where_opbuilds_function_fails" else {}
    run(name, CANN.parent, **refuses)


@pytest.mark.parametrize("name", [name for name in listed(PROGRAM) if "without_cann" in name])
def test_without_cann(name, no_cann):
    run(name, no_cann)


def test_our_functions_are_not_taken_for_those_of_cann(tmp_path):
    """A library that depends on ours has our functions in its reach, under the names that are looked up."""
    ours = BUILD / "tests"
    folder = empty_library(
        tmp_path, "-Wl,--no-as-needed", f"-L{ours}", "-lnpu_entries_opapi", f"-Wl,-rpath,{ours}"
    )
    run("without_cann_the_contract_decides", folder)


def test_functions_in_one_library_for_each_repository(no_cann):
    """As CANN 9 has it: libopapi_*.so in the toolkit's lib64, and a libopapi.so without these functions."""
    folder = no_cann / "toolkit" / "lib64"
    folder.mkdir(parents=True)
    shutil.copy(CANN, folder / "libopapi_math.so")
    (folder / "libopapi_notes.txt").write_text("no library")
    run("results_may_get_their_addresses_after_the_first_phase", no_cann, ASCEND_HOME_PATH=str(folder.parent))


STRIDED = """
import sys
from ascend_vision_ops.testing import npu_project
npu_project.load()
import ascend_vision_ops as avo
from ascend_vision_ops.testing import poisoned
from ascend_vision_ops.testing.compare import POISON_BYTE
from ascend_vision_ops.testing.run import cases_of, takes

operator = getattr(avo.aclnn, sys.argv[1])
for case in [case for case in cases_of(sys.argv[1]) if takes("npu_project", case)][:4]:
    dense = operator(**case.arguments())
    dense = dense if isinstance(dense, tuple) else (dense,)
    around = [poisoned((*array.shape, 2), array.dtype) for array in dense]
    views = tuple(array[..., 0] for array in around)
    operator(**case.arguments(), out=views if len(views) > 1 else views[0])
    for array, view, whole in zip(dense, views, around):
        assert array.tobytes() == view.tobytes(), case
        assert set(whole[..., 1].tobytes()) <= {POISON_BYTE}, case
"""


@pytest.mark.parametrize("operator", [name for name in avo.operators() if spec_of(name).has_kernel])
def test_strided_results_through_the_project(operator):
    """The stand-in of CANN's framework writes results densely, as CANN does."""
    env = {**os.environ, npu_project.VARIABLE: str(npu_project.built(BUILD)), "AVO_SIM_FAST": "1"}
    done = subprocess.run(
        [sys.executable, "-c", STRIDED, operator], capture_output=True, text=True, check=False, env=env
    )
    assert done.returncode == 0, done.stderr
