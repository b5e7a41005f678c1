# SPDX-License-Identifier: Apache-2.0
"""The stand-in of CANN's framework: calls of operators that a C++ program registers, and what op_build writes."""

from __future__ import annotations

import os
import re
import subprocess
from pathlib import Path

import pytest

from tests.built import BUILD, listed, missing

PROGRAM = BUILD / "tests" / "operators_tests"
TOOLKIT = BUILD / "sim" / "operators" / "toolkit"
LIBRARIES = BUILD / "python" / "ascend_vision_ops" / "lib"


def test_program_is_built():
    assert PROGRAM.exists(), missing(PROGRAM)


@pytest.mark.parametrize("name", listed(PROGRAM))
def test_call(name):
    env = {key: value for key, value in os.environ.items() if not key.startswith(("AVO_SIM_", "ASCEND_"))}
    done = subprocess.run([PROGRAM, name], capture_output=True, text=True, timeout=300, env=env)
    assert done.returncode == 0, done.stderr


DEFINITION = """
#include "register/op_def_registry.h"
namespace ops {
class MyIOUOf2d : public OpDef {
 public:
  explicit MyIOUOf2d(const char *name) : OpDef(name) {
    this->Input("boxes_a").ParamType(REQUIRED).DataType({ge::DT_FLOAT, ge::DT_FLOAT16}).AutoContiguous();
    this->Input("mask").ParamType(OPTIONAL).DataType({ge::DT_BOOL, ge::DT_BOOL});
    this->Output("iou").ParamType(REQUIRED).DataType({ge::DT_FLOAT, ge::DT_FLOAT16});
    this->Output("count").ParamType(REQUIRED).DataType({ge::DT_INT32, ge::DT_INT32});
    this->Attr("eps").AttrType(OPTIONAL).Float(0.1);
    this->Attr("out_size").AttrType(REQUIRED).ListInt();
    this->Attr("axes").AttrType(OPTIONAL).ListInt({0, 1});
    this->Attr("mode").AttrType(OPTIONAL).String("iou");
    this->Attr("strict").AttrType(OPTIONAL).Bool(false);
    this->AICore().AddConfig("ascend910b");
  }
};
OP_ADD(MyIOUOf2d);
}  // namespace ops
"""


def compiled(folder: Path, text: str, *options: str) -> Path:
    (folder / "source.cpp").write_text(text)
    library = folder / "libdefinitions.so"
    command = ["g++", "-std=c++17", "-shared", "-fPIC", "-D_GLIBCXX_USE_CXX11_ABI=0", f"-I{TOOLKIT}/include"]
    command += [*options, str(folder / "source.cpp"), "-o", str(library)]
    done = subprocess.run(
        [*command, f"-L{LIBRARIES}", "-lop_framework", f"-Wl,-rpath,{LIBRARIES}"],
        capture_output=True,
        text=True,
    )
    assert done.returncode == 0, done.stderr
    return library


def op_build(library: Path, folder: Path) -> subprocess.CompletedProcess:
    program = TOOLKIT / "tools" / "opbuild" / "op_build"
    return subprocess.run([program, library, folder], capture_output=True, text=True)


def test_entry_points_have_the_parameters_of_opbuild(tmp_path):
    """Inputs, attributes and outputs in the order of the definition; names and types by opbuild's rules."""
    done = op_build(compiled(tmp_path, DEFINITION), tmp_path)
    assert done.returncode == 0, done.stderr
    header = (tmp_path / "aclnn_my_iou_of2d.h").read_text()
    found = re.search(r"aclnnMyIOUOf2dGetWorkspaceSize\((.*?)\);", header, re.DOTALL)[1]
    assert re.sub(r"\s+", " ", found).strip() == (
        "const aclTensor *boxesA, const aclTensor *maskOptional, double eps, const aclIntArray *outSize, "
        "const aclIntArray *axesOptional, char *modeOptional, bool strict, const aclTensor *iouOut, "
        "const aclTensor *countOut, uint64_t *workspaceSize, aclOpExecutor **executor"
    )
    source = (tmp_path / "aclnn_my_iou_of2d.cpp").read_text()
    command = ["g++", "-std=c++17", "-fsyntax-only", "-Wall", "-Wextra", "-Werror", f"-I{TOOLKIT}/include"]
    checked = subprocess.run(
        [*command, str(tmp_path / "aclnn_my_iou_of2d.cpp")], capture_output=True, text=True
    )
    assert checked.returncode == 0, checked.stderr
    assert '{"boxes_a", true, true}' in source and '{"mask", false, false}' in source


def test_a_library_without_definitions_is_an_error(tmp_path):
    """So is one that is compiled for the tiling: OP_ADD registers no definition there."""
    done = op_build(compiled(tmp_path, DEFINITION, "-DOP_TILING_LIB"), tmp_path)
    assert done.returncode == 1
    assert "expected operator definitions, got none" in done.stderr
