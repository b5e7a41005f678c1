# SPDX-License-Identifier: Apache-2.0
"""The simulated device in processes that were forked, and in those that may not have many addresses."""

from __future__ import annotations

import resource
import subprocess
import sys

from tests.built import plain_process

FORK = """
import os, sys
import numpy as np
import ascend_vision_ops as avo

line = np.arange(6, dtype="float32").reshape(1, 6)
call = lambda: avo.aclnn.cummin(line, 1)
before = sys.argv[1] == "before"
if before:
    call()
child = os.fork()
if child == 0:
    try:
        call()
        os.write(1, b"worked")
    except RuntimeError as error:
        os.write(1, str(error).encode())
    os._exit(0)
os.waitpid(child, 0)
call()  # the parent goes on
"""
LIMITED = """
import ctypes
import numpy as np
import ascend_vision_ops as avo

line = np.arange(6, dtype="float32")[::-1].reshape(1, 6).copy()
values, indices = avo.aclnn.cummin(line, 1)
assert values.tolist() == [[5, 4, 3, 2, 1, 0]] and indices.tolist() == [[0, 1, 2, 3, 4, 5]]

acl = ctypes.CDLL(f"{avo.paths.library_dir()}/libascendcl.so")
acl.aclGetRecentErrMsg.restype = ctypes.c_char_p
acl.aclrtMalloc.argtypes = (ctypes.c_void_p, ctypes.c_size_t, ctypes.c_int)
assert acl.aclrtSetDevice(0) == 0
assert acl.aclrtMalloc(ctypes.byref(ctypes.c_void_p()), 1 << 40, 0) != 0
print(acl.aclGetRecentErrMsg().decode())
"""
NO_ADDRESSES = """
import resource
import numpy as np
import ascend_vision_ops as avo

avo.aclnn  # its libraries are loaded before the limit
pages = int(open("/proc/self/statm").read().split()[0])
resource.setrlimit(resource.RLIMIT_AS, (pages * 4096 + (32 << 20),) * 2)
try:
    avo.aclnn.cummin(np.zeros((1, 6), "float32"), 1)
except RuntimeError as error:
    print(error)
"""

MEMORY = """
import ctypes, os
import ascend_vision_ops as avo

acl = ctypes.CDLL(f"{avo.paths.library_dir()}/libascendcl.so")
acl.aclrtMalloc.argtypes = (ctypes.c_void_p, ctypes.c_size_t, ctypes.c_int)
acl.aclrtMemset.argtypes = (ctypes.c_void_p, ctypes.c_size_t, ctypes.c_int, ctypes.c_size_t)
acl.aclrtMemcpy.argtypes = (ctypes.c_void_p, ctypes.c_size_t, ctypes.c_void_p, ctypes.c_size_t, ctypes.c_int)
acl.aclrtFree.argtypes = (ctypes.c_void_p,)
acl.aclrtDestroyEvent.argtypes = acl.aclrtSynchronizeEvent.argtypes = (ctypes.c_void_p,)
assert acl.aclrtSetDevice(0) == 0
memory, event = ctypes.c_void_p(), ctypes.c_void_p()
assert acl.aclrtMalloc(ctypes.byref(memory), 64, 0) == 0
assert acl.aclrtCreateEvent(ctypes.byref(event)) == 0
assert acl.aclrtMemset(memory, 64, 7, 64) == 0
child = os.fork()
if child == 0:
    calls = (
        acl.aclrtMemset(memory, 64, 9, 64),
        acl.aclrtMemcpy(memory, 64, ctypes.create_string_buffer(64), 64, 1),
        acl.aclrtFree(memory),
        acl.aclrtSynchronizeEvent(event),
    )
    os._exit(sum(code == 0 for code in calls))
assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 0
got = ctypes.create_string_buffer(64)
assert acl.aclrtMemcpy(got, 64, memory, 64, 2) == 0
assert got.raw == bytes([7]) * 64
"""


def python(*arguments: str, addresses: int | None = None) -> subprocess.CompletedProcess:
    def limit() -> None:
        if addresses is not None:
            resource.setrlimit(resource.RLIMIT_AS, (addresses, addresses))

    command = [sys.executable, "-c", *arguments]
    return subprocess.run(command, capture_output=True, text=True, check=False, timeout=120, preexec_fn=limit)


def test_a_child_of_a_process_with_a_device_is_refused():
    done = python(FORK, "before")
    assert done.returncode == 0, done.stderr
    assert "has forked this one off" in done.stdout and "spawn" in done.stdout


def test_a_child_may_use_the_device_that_its_parent_had_not_opened():
    done = python(FORK, "after")
    assert (done.returncode, done.stdout) == (0, "worked"), done.stderr


@plain_process
def test_a_limit_on_addresses_leaves_a_smaller_device():
    done = python(LIMITED, addresses=16 << 30)
    assert done.returncode == 0, done.stderr
    assert "a limit on addresses (ulimit -v) leaves it so many of" in done.stdout


def test_without_a_limit_the_device_has_all_its_memory():
    done = python(LIMITED)
    assert done.returncode == 0, done.stderr
    assert "out of memory" in done.stdout and "a limit on addresses" not in done.stdout


def test_too_few_addresses_for_any_device_are_an_error():
    done = python(NO_ADDRESSES)
    assert done.returncode == 0, done.stderr
    assert "device 0 cannot be opened: device memory: mmap" in done.stdout


def test_a_child_leaves_the_memory_of_its_parent_alone():
    done = python(MEMORY)
    assert done.returncode == 0, done.stderr
