# SPDX-License-Identifier: Apache-2.0
"""Clang tells the memories of a core apart: a kernel that mixes pointers to them does not compile."""

from __future__ import annotations

import shutil
import subprocess
from pathlib import Path

import pytest

from ascend_vision_ops.opgen.kernel_headers import LEAST_CLANG, clang_version

COMPILER_FOLDER = Path(__file__).parents[2] / "sim" / "ascendc" / "compiler"
CLANG = next(
    (
        name
        for name in ("clang++", "clang++-18", "clang++-17")
        if shutil.which(name) and clang_version([name]) >= LEAST_CLANG
    ),
    "",
)
needs_clang = pytest.mark.skipif(not CLANG, reason=f"no clang {LEAST_CLANG} or later")

RIGHT = "vadd(ub, ub, ub, 1, 1, 1, 1, 8, 8, 8); copy_gm_to_ubuf(ub, gm, 0, 1, 8, 0, 0); ub[3] = gm[3]; f16[1] = f16[0];"
MIXED = {
    "global memory for UB": "vadd(ub, gm, ub, 1, 1, 1, 1, 8, 8, 8);",
    "UB for global memory": "copy_gm_to_ubuf(ub, ub, 0, 1, 8, 0, 0);",
    "L1 for UB": "copy_gm_to_ubuf(l1, gm, 0, 1, 8, 0, 0);",
    "a pointer to UB becomes a plain one": "float *plain = ub;",
    "a pointer to global memory becomes one to UB": "ub = gm;",
}


def errors_of(statements: str) -> str:
    """The messages of the compiler about a kernel with these statements; empty where it compiles."""
    parameters = "__ubuf__ float *ub, __gm__ float *gm, __cbuf__ float *l1, __ubuf__ half *f16"
    kernel = f"void Kernel({parameters}) {{ {statements} }}"
    command = [
        CLANG,
        "-std=c++17",
        "-fsyntax-only",
        "-include",
        COMPILER_FOLDER / "builtin.h",
        "-x",
        "c++",
        "-",
    ]
    done = subprocess.run(command, input=kernel + "\n", capture_output=True, text=True, timeout=120)
    assert (done.returncode == 0) == ("error:" not in done.stderr), done.stderr
    return done.stderr if done.returncode else ""


@needs_clang
def test_right_pointers_compile():
    assert errors_of(RIGHT) == ""


@needs_clang
@pytest.mark.parametrize("name", MIXED)
def test_mixed_pointers_do_not_compile(name):
    errors = errors_of(MIXED[name])
    assert any(
        text in errors
        for text in ("no matching function", "cannot initialize", "address space", "incompatible")
    ), errors
