# SPDX-License-Identifier: Apache-2.0
"""No exception leaves a C function of the libraries that the package has."""

from __future__ import annotations

import os
import shutil
import subprocess

import pytest

from tests.built import BUILD, plain_process
from tests.exceptions import Library

LIBRARIES = BUILD / "python" / "ascend_vision_ops" / "lib"
# Each library with those that it calls C++ functions of.
USED = {
    "libascendc_sim": [],
    "libascendcl": ["libascendc_sim"],
    "libnnopbase": ["libascendcl"],
    "libop_framework": ["libnnopbase", "libascendcl"],
    "libacl_op_compiler": ["libnnopbase", "libascendcl"],
    "libopapi": ["libnnopbase", "libascendcl"],
    "libcust_opapi": ["libnnopbase", "libascendcl"],
    "libavo_onnxruntime": [],
    "libavo_torch": [],
    "libavo_torch_npu": [],
    "libhccl": ["libascendcl", "libascendc_sim"],
    "libhcomm": [],
    "libgraph": [],
    "libge_runner": [],
    "libacl_tdt_channel": [],
}
# They only run destructors, through pointers that the compiler does not see behind.
DESTROY = {"aclDestroyTensor", "aclDestroyTensorList"}

pytestmark = pytest.mark.skipif(
    shutil.which("objdump") is None or not LIBRARIES.is_dir(), reason="no objdump, or nothing is built"
)


@pytest.fixture(scope="module")
def library():
    read: dict[str, Library] = {}

    def of(name: str) -> Library:
        if name not in read:
            read[name] = Library(LIBRARIES / f"{name}.so", *map(of, USED[name]))
        return read[name]

    return of


def test_every_library_is_listed():
    assert {path.stem for path in LIBRARIES.glob("*.so")} <= USED.keys()


@plain_process
@pytest.mark.parametrize("name", USED)
def test_no_exception_leaves(library, name):
    if not (LIBRARIES / f"{name}.so").exists():
        pytest.skip(f"{name} is not built")
    # Kernels are called by the simulated device alone, which makes a fault of an exception.
    kernels = (
        set() if name != "libcust_opapi" else {n for n in library(name).exported if not n.startswith("aclnn")}
    )
    leaking = [way for way in library(name).leaking() if way.split()[0] not in DESTROY | kernels]
    assert not leaking, "\n".join(leaking)


def test_libraries_export_functions(library):
    assert len(library("libascendcl").exported) > 100
    assert len([name for name in library("libcust_opapi").exported if name.startswith("aclnn")]) > 40


PROGRAM = """
#include <string>
#include <stdexcept>
extern "C" {
__attribute__((noipa)) int callback_result(int (*f)()) { return f(); }
void *leaks_memory(unsigned long n) { return new char[n]; }
int leaks_below(int n);
int leaks_what_it_does_not_know(int n) {
  try { return leaks_below(n); } catch (const std::runtime_error &) { return 1; }
}
int leaks_from_its_handler(int n) {
  try { return leaks_below(n); } catch (...) { return std::string(static_cast<unsigned long>(n), 'x').size() > 8; }
}
int leaks_from_a_pointer(int (*f)()) { return callback_result(f) + 1; }
int safe_by_a_handler(int n) { try { return leaks_below(n); } catch (...) { return -1; } }
int safe_body(int n) try { return leaks_below(n) + 1; } catch (...) { return -1; }
int safe_below(int n) { return safe_by_a_handler(n) + 1; }
int safe_number(int n) { return n + 1; }
}
__attribute__((noipa)) static void Throw(int n) { if (n > 3) throw std::out_of_range(std::to_string(n)); }
int leaks_below(int n) { Throw(n); return n; }
"""


@pytest.mark.parametrize("optimised", ["-O0", "-O2"])
def test_functions_that_leak_are_found(tmp_path, optimised):
    source, made = tmp_path / "leaks.cpp", tmp_path / "libleaks.so"
    source.write_text(PROGRAM, encoding="utf-8")
    compiler = os.environ.get("CXX") or shutil.which("c++") or "g++"
    subprocess.run([compiler, "-std=c++17", optimised, "-fPIC", "-shared", source, "-o", made], check=True)
    found = {way.split()[0] for way in Library(made).leaking()} - {"callback_result"}
    assert found == {name for name in Library(made).exported if name.startswith("leaks")}
