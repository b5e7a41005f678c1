# SPDX-License-Identifier: Apache-2.0
"""Tests the ACL runtime with a C++ program. Each test of acl_tests runs in a process of its own."""

from __future__ import annotations

import os
import signal
import subprocess

import pytest

from tests.built import BUILD, listed, missing

PROGRAM = BUILD / "tests" / "acl_tests"
DRIVEN_ELSEWHERE = {"strided_copy"}
ENVIRONMENT = {
    "two_devices_are_apart": {"AVO_SIM_DEVICES": "2"},
    "the_environment_gives_a_size": {"AVO_SIM_CORES": "6", "AVO_SIM_UB_BYTES": "65536"},
    "the_environment_gives_a_size_of_memory": {"AVO_SIM_MEMORY_BYTES": "8388608"},
    "an_impossible_size_is_refused": {"AVO_SIM_CORES": "7"},
}


def run(name: str, **options) -> subprocess.CompletedProcess:
    """Runs one test of the program with the environment that it needs, without variables that change the device."""
    env = {key: value for key, value in os.environ.items() if not key.startswith("AVO_SIM_")}
    env.update(ENVIRONMENT.get(name, {}), **options.pop("env", {}))
    return subprocess.run([PROGRAM, name], capture_output=True, timeout=300, check=False, env=env, **options)


def names() -> list[str]:
    return [name for name in listed(PROGRAM) if name not in DRIVEN_ELSEWHERE]


def test_program_is_built():
    assert PROGRAM.exists(), missing(PROGRAM)


@pytest.mark.parametrize("name", [name for name in names() if not name.startswith("crash_")])
def test_acl(name):
    done = run(name)
    assert done.returncode == 0, done.stderr.decode(errors="replace")


@pytest.mark.parametrize("name", [name for name in names() if name.startswith("crash_")])
def test_host_access_to_device_memory_faults(name):
    assert run(name).returncode == -signal.SIGSEGV
