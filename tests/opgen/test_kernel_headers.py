# SPDX-License-Identifier: Apache-2.0
"""check-headers compiles kernel entries against AscendC headers, here small ones of our own, and counts every error.

An error in CANN's own headers, such as a static assertion about a dtype, is one of the kernel. So are mixed pointers,
which clang 17 or later finds: CXX or PATH may name one.
"""

from __future__ import annotations

import shutil
from pathlib import Path
from types import SimpleNamespace

import pytest

from ascend_vision_ops.opgen import headers, kernel_headers
from ascend_vision_ops.opgen.kernel_headers import KEYS, Check, Compiler

ROOT = Path(__file__).parents[2]
SMALL = ROOT / "tests" / "sim" / "small_headers"
GPP = Compiler(("g++",), False)

# A kernel entry with one instance for each dtype of x.
ENTRY = """#include "kernel_operator.h"
extern "C" __global__ __aicore__ void thrice(GM_ADDR x, GM_ADDR out, GM_ADDR workspace, GM_ADDR tiling) {
  AscendC::TPipe pipe;
  AscendC::TQue<AscendC::TPosition::VECIN, 1> queue;
  pipe.InitBuffer(queue, 1, 64);
  AscendC::GlobalTensor<DTYPE_X> gm;
  gm.SetGlobalBuffer(reinterpret_cast<__gm__ DTYPE_X *>(x));
  auto ub = queue.template AllocTensor<DTYPE_X>();
  STATEMENT
  queue.FreeTensor(ub);
}
"""
COPY = "AscendC::DataCopyPad(gm, ub, {1, 4, 0, 0, 0});"


def errors_of(folder: Path, statement: str, dtypes=("float32",), kernel="vector", compiler=GPP) -> list[str]:
    """What check-headers finds in a kernel with this statement."""
    project, scratch = folder / "project", folder / "scratch"
    (project / "op_kernel").mkdir(parents=True)
    scratch.mkdir()
    (project / "op_kernel" / "thrice.cpp").write_text(ENTRY.replace("STATEMENT", statement))
    spec = SimpleNamespace(kernel=kernel, instances=[{"x": dtype} for dtype in dtypes])
    roots = headers.find_roots(SMALL, KEYS)
    return Check(compiler, project, roots, ROOT / "sim" / "ascendc", scratch).errors_of(spec, "thrice")


@pytest.fixture(autouse=True)
def with_compiler():
    if shutil.which("g++") is None:
        pytest.skip("no g++")


def test_a_static_assertion_of_a_header_counts(tmp_path):
    """The small headers copy elements of four bytes. The error lies in them, the fault in the kernel."""
    assert errors_of(tmp_path / "right", COPY, ("float32", "int32")) == []
    found = errors_of(tmp_path / "wrong", COPY, ("float32", "int64"))
    assert any(
        str(SMALL) in line and "the small headers copy elements of four bytes" in line for line in found
    )
    assert any("thrice.cpp:9" in line and "required from" in line for line in found)


@pytest.mark.parametrize(
    "statement", ["AscendC::Sub(ub, ub, ub, 8);", "pipe.InitBufer(queue, 1, 64);", "gm = ub;"]
)
def test_what_the_headers_do_not_have(tmp_path, statement):
    assert errors_of(tmp_path, statement)


def test_both_kinds_of_core_are_compiled(tmp_path):
    """Code for cube cores alone is read in a mixed kernel, and in no other."""
    only = "\n#ifdef __DAV_CUBE__\n  missing();\n#endif\n"
    assert errors_of(tmp_path / "vector", only) == []
    found = errors_of(tmp_path / "mixed", only, kernel="mixed")
    assert found
    assert all(line.startswith("cube cores: ") for line in found)


def test_pointers_to_different_memories(tmp_path):
    clang = kernel_headers.choose()
    if clang is None or not clang.memories:
        pytest.skip("no clang that tells memories apart (17 or later)")
    mixed = "__gm__ float *far = gm.GetPhyAddr();\n  __ubuf__ float *near = ub.Pointer();\n  near = far;"
    right = mixed.replace("near = far", "near[0] = far[0]")
    assert errors_of(tmp_path / "right", right, compiler=clang) == []
    assert any("address space" in line for line in errors_of(tmp_path / "mixed", mixed, compiler=clang))
    assert errors_of(tmp_path / "one", mixed) == []  # g++ has one kind of pointer


def test_the_compiler_that_cxx_names(monkeypatch, tmp_path):
    """A clang of 17 tells memories apart; an older one gets the option with which it does not try."""
    for number, command, memories in ((21, (), True), (16, ("-DSIM_ONE_ADDRESS_SPACE",), False)):
        program = tmp_path / f"clang-{number}"
        program.write_text(f"#!/bin/sh\necho 'some clang version {number}.0.2 (a build)'\n")
        program.chmod(0o755)
        monkeypatch.setenv("CXX", f"{program} -x c++")
        expected = Compiler((str(program), "-x", "c++", *command), memories)
        assert kernel_headers.choose() == expected
    monkeypatch.setenv("CXX", "g++")
    assert kernel_headers.choose() == GPP
    monkeypatch.setenv("CXX", "no-such-compiler")
    assert kernel_headers.choose() is None
