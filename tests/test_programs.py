# SPDX-License-Identifier: Apache-2.0
"""Compiles C++ programs for CANN unchanged, with what `avo config`, the .pc file and the CMake package say."""

from __future__ import annotations

import os
import shlex
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

import ascend_vision_ops as avo
from ascend_vision_ops.testing.run import spec_of

ROOT = Path(__file__).resolve().parents[1]
BUILD = Path(os.environ.get("AVO_BUILD", Path(avo.__file__).parents[2]))
COMPILER = os.environ.get("CXX") or shutil.which("c++") or shutil.which("g++")
PROGRAMS = sorted((BUILD / "gen" / "examples").glob("*.cpp")) + sorted((ROOT / "examples").glob("*.cpp"))
ENVIRONMENT = {key: value for key, value in os.environ.items() if key != "LD_LIBRARY_PATH"}


def run(*command: object, **options) -> str:
    done = subprocess.run(
        [str(part) for part in command], capture_output=True, text=True, env=ENVIRONMENT, **options
    )
    assert done.returncode == 0, f"{shlex.join(map(str, command))}\n{done.stdout}{done.stderr}"
    return done.stdout


def avo_config(*options: str) -> list[str]:
    return shlex.split(run(sys.executable, "-m", "ascend_vision_ops", "config", *options))


def test_programs_are_found():
    names = {path.name for path in PROGRAMS}
    assert "resample_views.cpp" in names
    with_entry = [operator for operator in avo.operators() if spec_of(operator).has_kernel]
    assert {f"aclnn_{operator}.cpp" for operator in with_entry} <= names


@pytest.mark.parametrize("program", PROGRAMS, ids=[path.stem for path in PROGRAMS])
def test_compiles_with_avo_config_and_runs(program, tmp_path):
    made = tmp_path / program.stem
    flags = avo_config("--cflags", "--libs")
    run(COMPILER, "-std=c++17", "-Wall", "-Wextra", "-Werror", program, *flags, "-o", made)
    assert "WRONG" not in run(made)


def test_cmake_package(tmp_path):
    (tmp_path / "CMakeLists.txt").write_text(
        "cmake_minimum_required(VERSION 3.24)\nproject(user CXX)\nfind_package(ascend_vision_ops 0.1 REQUIRED CONFIG)\n"
        f"add_executable(user {ROOT}/examples/resample_views.cpp)\n"
        "target_link_libraries(user PRIVATE ascend_vision_ops::aclnn)\n"
    )
    cmake = shutil.which("cmake", path=f"{Path(sys.executable).parent}:{os.environ['PATH']}")
    build = tmp_path / "build"
    run(cmake, "-S", tmp_path, "-B", build, f"-Dascend_vision_ops_DIR={avo_config('--cmakedir')[0]}")
    run(cmake, "--build", build)
    assert run(build / "user").endswith("all right\n")


@pytest.mark.skipif(shutil.which("pkg-config") is None, reason="no pkg-config here")
def test_pkg_config_says_the_same():
    environment = {**ENVIRONMENT, "PKG_CONFIG_PATH": str(Path(avo_config("--libdir")[0]) / "pkgconfig")}
    command = ["pkg-config", "--cflags", "--libs", "ascend_vision_ops"]
    said = subprocess.run(command, capture_output=True, text=True, env=environment, check=True).stdout

    def normal(flags):
        # pkg-config leaves ${pcfiledir}/../.. as it is.
        return {os.path.normpath(flag) if "/" in flag else flag for flag in flags}

    assert normal(shlex.split(said)) == normal(avo_config("--cflags", "--libs"))
