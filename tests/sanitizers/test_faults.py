# SPDX-License-Identifier: Apache-2.0
"""Each sanitizer of this build sees a fault of its kind, in a library that runs like the CPU kernels."""

from __future__ import annotations

import ctypes
import os
from pathlib import Path

import pytest

from ascend_vision_ops import cpu
from ascend_vision_ops.testing import parse_case, sanitizers
from ascend_vision_ops.testing.run import judge

BUILD = Path(os.environ.get("AVO_BUILD", ""))
SANITIZERS = BUILD.name.split("-")[1:] if sanitizers.VARIABLE in os.environ else []

pytestmark = [
    pytest.mark.cpu_kernels,
    pytest.mark.skipif(
        not SANITIZERS, reason="a build without sanitizers: ./build.sh test --cpu --sanitize LIST"
    ),
]

FAULTS = {
    "address": ("heap-buffer-overflow", lambda faults: faults.Read(ctypes.c_int64(10), ctypes.c_int64(10))),
    "undefined": ("signed integer overflow", lambda faults: faults.Sum(2**31 - 1, 1)),
    "thread": ("data race", lambda faults: faults.Race()),
}


@pytest.fixture
def faults():
    if os.cpu_count() == 1:
        pytest.skip("one core: the pool has no second thread")
    sanitizers.check()
    return ctypes.CDLL(str(BUILD / "tests" / "sanitizers" / "libsanitizer_faults.so"))


@pytest.mark.parametrize("sanitizer", SANITIZERS)
def test_a_fault_fails_the_case_that_it_happens_in(faults, sanitizer, monkeypatch):
    """It happens once, because a sanitizer reports each place one time."""
    words, fault = FAULTS[sanitizer]
    case = parse_case("upsample_linear1d(self=f32[1,1,5],output_size=[7])")
    right = getattr(cpu, case.operator)

    def with_fault(**arguments):
        fault(faults)
        return right(**arguments)

    monkeypatch.setattr(cpu, case.operator, with_fault)
    verdict = judge(case, "cpu")["out"]
    assert not verdict.ok
    assert "sanitizer: " in verdict.message and words in verdict.message and "faults.cpp" in verdict.message


def test_what_is_right_is_not_reported(faults):
    assert faults.Apart() == 3
    assert faults.Read(ctypes.c_int64(10), ctypes.c_int64(9)) == 0
    assert faults.Sum(2**31 - 2, 1) == 2**31 - 1
    assert not sanitizers.new_reports()
