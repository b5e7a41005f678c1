# SPDX-License-Identifier: Apache-2.0
"""`./build.sh soak` finds wrong bits, lost calls and memory that is not freed; kernels have none of these."""

from __future__ import annotations

import os
import re
import subprocess
import sys

import pytest

from ascend_vision_ops import operators
from ascend_vision_ops.testing.run import missing, spec_of

pytestmark = pytest.mark.skipif(bool(missing("aclnn")), reason=f"entry points: {missing('aclnn')}")
ONE = next(operator for operator in operators() if spec_of(operator).has_kernel)

# A process that soaks with a fault in some of the calls that threads make.
PROGRAM = """
import ctypes, itertools, sys, threading
from ascend_vision_ops.testing import soak

right, kept, number = soak.run, [], itertools.count()

def run(*arguments):
    results = right(*arguments)
    if threading.current_thread() is not threading.main_thread() and next(number) >= 7:
        {fault}
    return results

soak.run = run
{before}
sys.exit(soak.main(sys.argv[1:]))
"""


def soaked(*options: str, fault: str = "pass", before: str = "", memory: str = "") -> tuple[int, str]:
    environment = {name: value for name, value in os.environ.items() if not name.startswith("AVO_SIM_")}
    if memory:
        environment["AVO_SIM_MEMORY_BYTES"] = memory
    program = PROGRAM.format(fault=fault, before=before)
    command = [sys.executable, "-c", program, "--seed", "1", "--seconds", "0", *options]
    done = subprocess.run(command, capture_output=True, text=True, env=environment, timeout=600)
    return done.returncode, done.stdout + done.stderr


def test_calls_are_as_alone_or_without_memory():
    status, printed = soaked(memory=str(256 << 10))
    assert status == 0, printed
    same, refused = map(int, re.search(r"(\d+) calls as alone, (\d+) without memory", printed).groups())
    assert same > 100 and refused > 0


@pytest.mark.parametrize(
    ("fault", "message"),
    [
        (
            "wrong = results[0].copy(); wrong.reshape(-1).view('u1')[-1:] ^= 1; results = (wrong, *results[1:])",
            r"1 results have other bits than alone\n  \./build\.sh test",
        ),
        ("raise RuntimeError('broken')", r"RuntimeError: broken\n  \./build\.sh test"),
        ("raise SystemExit", r"\d+ calls were lost"),
        (
            "ctypes.CDLL(str(soak.library_dir() / 'libascendcl.so'))"
            ".aclrtMalloc(ctypes.byref(ctypes.c_void_p()), ctypes.c_size_t(100), 0)",
            r"\d+00 bytes of device memory were not freed",
        ),
    ],
)
def test_a_fault_is_found(fault, message):
    status, printed = soaked(ONE, fault=fault, before="soak.DRAWN = 2")
    assert status == 1 and re.search(message, printed), printed


def test_growth_of_the_process_is_found():
    before = "soak.GROWTH = 4 << 20; soak.DRAWN = 2; soak.make_right = soak.make\n"
    before += "soak.make = lambda known: (kept.append(b'x' * 2**20), soak.make_right(known))[1]"
    status, printed = soaked(ONE, before=before)
    assert status == 1 and re.search(r"the process grew by \d+ bytes, expected at most 4194304", printed), (
        printed
    )


def test_a_call_that_does_not_end_is_found():
    status, printed = soaked(
        ONE, fault="threading.Event().wait()", before="soak.HANGING = 1.0; soak.DRAWN = 2"
    )
    assert status == 1 and re.search(r"no end within 1 s\n  \./build\.sh test", printed), printed
