# SPDX-License-Identifier: Apache-2.0
"""What calls answer where the system refuses memory: an error of the face. The next call is right again."""

from __future__ import annotations

import itertools
import os
import resource
import subprocess
import sys
from pathlib import Path

import pytest

from tests.built import BUILD, listed, missing, plain_process

LIBRARY = BUILD / "tests" / "librefuse_memory.so"
CALLS = Path(__file__).with_name("refused_calls.py")
ROOT = Path(__file__).parents[2]
OURS = "libavo_,_native,libcust_opapi,libnnopbase,libascendcl,libascendc_sim"

pytestmark = [plain_process, pytest.mark.skipif(not LIBRARY.exists(), reason=missing(LIBRARY))]


def python(*arguments: str | Path, **variables: str) -> subprocess.CompletedProcess:
    """Runs Python with the library that refuses memory."""
    env = {
        **os.environ,
        "LD_PRELOAD": str(LIBRARY),
        "AVO_REFUSE_TO": OURS,
        "PYTHONPATH": os.pathsep.join([str(ROOT), os.environ.get("PYTHONPATH", "")]),
        **variables,
    }
    return subprocess.run(
        [sys.executable, *map(str, arguments)],
        env=env,
        capture_output=True,
        text=True,
        timeout=600,
        check=False,
    )


@pytest.mark.parametrize("face", ["cpu", "torch", "onnxruntime"])
def test_every_operator_answers_with_an_error(face):
    if face == "onnxruntime":
        pytest.importorskip("onnxruntime", reason="the package onnxruntime is not installed")
    done = python(CALLS, face)
    lines = done.stdout.splitlines()
    assert done.returncode == 0, f"ended in: {lines[-1:]}\n{done.stderr[-2000:]}"
    assert [line for line in lines if line.startswith("wrong")] == []
    made = int(lines[-1].split()[1])
    assert made > 1000, "few allocations were refused: the library is not in the process, or counts nothing"


ACL_TESTS = BUILD / "tests" / "acl_tests"
# These tests end their process on purpose, need arguments, or have threads that call C++ functions.
LEFT_OUT = ("crash_", "strided_copy", "threads_share_a_device")


def acl(name: str, tmp_path: Path, **variables: str) -> tuple[int, int]:
    """Runs a test of the ACL runtime; returns its exit code, and how many allocations the libraries made."""
    count = tmp_path / "count"
    env = {key: value for key, value in os.environ.items() if not key.startswith("AVO_SIM_")}
    env |= {"LD_PRELOAD": str(LIBRARY), "AVO_REFUSE_TO": OURS, "AVO_REFUSE_COUNT": str(count)} | variables
    done = subprocess.run([ACL_TESTS, name], env=env, capture_output=True, timeout=60, check=False)
    return done.returncode, int(count.read_text()) if count.exists() else 0


@pytest.mark.parametrize("name", [name for name in listed(ACL_TESTS) if not name.startswith(LEFT_OUT)])
def test_programs_go_on(name, tmp_path):
    """A test of the runtime fails where memory is refused, or passes; a signal or a hang would be a fault of ours."""
    _, count = acl(name, tmp_path)
    for at in sorted({1, 2, 5, 10, 20, 50, 100, count // 2, count - 1, count} & set(range(1, count + 1))):
        for every in ({}, {"AVO_REFUSE_ALL": "1"}):
            code, _ = acl(name, tmp_path, AVO_REFUSE_AT=str(at), **every)
            assert code >= 0, f"allocation {at} of {count} {every}: ended by signal {-code}"


def test_memory_is_refused_to_these_libraries_alone():
    program = "import ctypes; r = ctypes.CDLL(None).refuse_memory; r(1, 1); print(len(bytes(10**7)), r(0, 0))"
    done = python("-c", program)
    assert done.stdout.split() == ["10000000", "0"], done.stderr


# The peer of a kernel that does not look at what an allocation returns ends its process: the refusal is a real one.
UNCHECKED = """
import ctypes
libc = ctypes.CDLL(None)
libc.malloc.restype = ctypes.c_void_p
libc.refuse_memory(1, 0)
print(libc.malloc(10))
"""


def test_a_refused_allocation_is_a_null_pointer(tmp_path):
    # The caller is libffi, through which ctypes calls.
    done = python("-c", UNCHECKED, AVO_REFUSE_TO="libffi,_ctypes")
    assert done.stdout.split() == ["None"], done.stderr


THREADS = BUILD / "tests" / "few_threads"


@pytest.mark.parametrize("refused", [0, 2, 3, 4])
def test_a_pool_goes_on_without_the_threads_that_get_no_memory(refused):
    assert THREADS.exists(), missing(THREADS)
    done = subprocess.run([THREADS, str(refused)], capture_output=True, text=True, timeout=60, check=False)
    assert done.returncode == 0, f"ended with {done.returncode}: {done.stderr}"
    assert int(done.stdout) == (refused or 4), (
        "the list of threads and three threads take one allocation each"
    )


LARGE = 2**30
# Windows of this size cover the images as windows of LARGE do, wherever they lie. torch walks through all of a window's
# padding, so it computes with these, as a peer of ours that has to end.
ENOUGH = 2**10
WINDOWS = [
    ([2, 2], [LARGE, LARGE], [0, 0]),
    ([2, 2], [2**62, 2**62], [0, 0]),
    ([2, 2], [LARGE, 1], [0, 0]),
    ([2, 2], [1, LARGE], [0, 0]),
    ([LARGE, 2], [1, 1], [LARGE // 2, 0]),
    ([2, LARGE], [1, 2], [0, LARGE // 2]),
    ([LARGE, 2], [LARGE, 2], [LARGE // 2, 0]),
    ([LARGE, LARGE], [LARGE // 4, LARGE // 4], [LARGE // 2, LARGE // 2]),
]


@pytest.mark.cpu_kernels
@pytest.mark.parametrize(("kernel", "stride", "padding"), WINDOWS)
def test_memory_of_pooling_grows_with_the_image_alone(kernel, stride, padding):
    import torch
    from torch.nn import functional

    from ascend_vision_ops import cpu

    generator = torch.Generator().manual_seed(0)
    images = [torch.randn(1, 16, 64, 64, generator=generator), torch.randn(1, 1, 8, 8, generator=generator)]
    images.append(images[0].contiguous(memory_format=torch.channels_last))
    window = [
        [min(number, LARGE) * ENOUGH // LARGE if number > 2 else number for number in numbers]
        for numbers in (kernel, stride, padding)
    ]
    before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    for image, kind in itertools.product(images, ("max", "avg")):
        image = image.clone().requires_grad_()
        last = ([1, 1],) if kind == "max" else ()
        if kind == "max":
            wanted = functional.max_pool2d(image, *window)
        else:
            wanted = functional.avg_pool2d(image, *window, count_include_pad=False)
        wanted.sum().backward()
        array, ones = image.detach().numpy(), torch.ones_like(wanted).numpy()
        got = getattr(cpu, f"{kind}_pool2d")(array, kernel, stride, padding, *last)
        grad = getattr(cpu, f"{kind}_pool2d_backward")(ones, array, kernel, stride, padding, *last)
        torch.testing.assert_close(torch.from_numpy(got), wanted.detach(), rtol=1e-5, atol=1e-5)
        torch.testing.assert_close(torch.from_numpy(grad), image.grad, rtol=1e-4, atol=1e-4)
    grown = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before  # KB
    assert grown < 200_000
