# SPDX-License-Identifier: Apache-2.0
"""The stand-in of CANN's framework: calls of operators that a C++ program registers, and what op_build writes."""

from __future__ import annotations

import math
import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

from ascend_vision_ops.sim import FrameworkError
from ascend_vision_ops.sim import operator_native as native
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
    folder.mkdir(exist_ok=True)
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


DEFAULTS = r"""
#include <cmath>
#include "register/op_def_registry.h"
namespace ops {
class Defaults : public OpDef {
 public:
  explicit Defaults(const char *name) : OpDef(name) {
    this->Input("x").ParamType(REQUIRED).DataType({ge::DT_FLOAT});
    this->Output("y").ParamType(REQUIRED).DataType({ge::DT_FLOAT}).InitValue({ScalarType::FLOAT32, -INFINITY});
    this->Attr("none").AttrType(REQUIRED).Float();
    this->Attr("largest").AttrType(OPTIONAL).Float(INFINITY);
    this->Attr("whole").AttrType(OPTIONAL).Float(1e8f);
    this->Attr("list").AttrType(OPTIONAL).ListFloat({-INFINITY, NAN, 0.5f, 1e20f});
    this->Attr("flags").AttrType(OPTIONAL).ListBool({true, false});
    this->Attr("text").AttrType(OPTIONAL).String("a \"{b}\" \\ \n\t1");
    this->AICore().AddConfig("ascend910b");
  }
};
OP_ADD(Defaults);
}  // namespace ops
"""


def test_defaults_are_json_and_cpp(tmp_path):
    library = compiled(tmp_path, DEFAULTS)
    (operator,) = native.load(library)["operators"]
    defaults = {attribute["name"]: attribute["default"] for attribute in operator["attributes"]}
    smallest, nan, *rest = defaults.pop("list")
    assert smallest == -math.inf and math.isnan(nan) and rest == pytest.approx([0.5, 1e20])
    text = 'a "{b}" \\ \n\t1'
    assert defaults == {"none": None, "largest": math.inf, "whole": 1e8, "flags": [True, False], "text": text}
    assert isinstance(defaults["whole"], float)
    assert operator["outputs"][0]["initial"] == [-math.inf]
    assert op_build(library, tmp_path).returncode == 0
    command = ["g++", "-std=c++17", "-fsyntax-only", f"-I{TOOLKIT}/include"]
    checked = subprocess.run([*command, str(tmp_path / "aclnn_defaults.cpp")], capture_output=True, text=True)
    assert checked.returncode == 0, checked.stderr


# The blocks are as many as the TilingParse ran.
PROJECT = """
#include "log/log.h"
#include "register/op_def_registry.h"
#include "register/op_impl_registry.h"
#include "register/tilingdata_base.h"
namespace optiling {
BEGIN_TILING_DATA_DEF(NAME_Tiling)
TILING_DATA_FIELD_DEF(uint32_t, size);
END_TILING_DATA_DEF;
REGISTER_TILING_DATA_CLASS(NAME_, NAME_Tiling)
struct Info {};
static int parsed = 0;
static ge::graphStatus Parse(gert::TilingParseContext *) {
  ++parsed;
  return ge::GRAPH_SUCCESS;
}
static ge::graphStatus Tile(gert::TilingContext *context) {
  OP_LOGW(context, "the tiling runs");
  if (*context->GetAttrs()->GetInt(0) < 0) throw 7;
  return context->SetBlockDim(parsed);
}
IMPL_OP_OPTILING(NAME_).Tiling(Tile).TilingParse<Info>(Parse);
}  // namespace optiling
namespace ops {
class NAME_ : public OpDef {
 public:
  explicit NAME_(const char *name) : OpDef(name) {
    this->Input("x").ParamType(REQUIRED).DataType({ge::DT_FLOAT});
    this->Attr("size").AttrType(REQUIRED).Int();
    this->AICore().AddConfig("ascend910b");
  }
};
OP_ADD(NAME_);
}  // namespace ops
"""


# Strings of tiling classes cross the border, which is why the simulator compiles projects with its own ABI.
HOST_ABI = ("-U_GLIBCXX_USE_CXX11_ABI",)


@pytest.fixture(scope="module")
def project(tmp_path_factory) -> Path:
    return compiled(tmp_path_factory.mktemp("project"), PROJECT.replace("NAME_", "Counted"), *HOST_ABI)


def test_a_project_has_what_its_library_registered(project, tmp_path):
    native.runtime()
    other = native.ctypes.CDLL(str(compiled(tmp_path, PROJECT.replace("NAME_", "Other"), *HOST_ABI)))
    assert other
    loaded = native.load(project)
    assert [operator["type"] for operator in loaded["operators"]] == ["Counted"]
    assert list(loaded["structs"]) == ["Counted"]


def test_what_a_tiling_parse_fills_is_kept(project):
    for _ in range(2):
        call = native.Call(project, "Counted")
        call.attribute("int", 1)
        assert call.tile()["block_dim"] == 1


def test_exceptions_and_wrong_calls_have_reasons(project):
    call = native.Call(project, "Counted")
    call.attribute("int", -1)
    with pytest.raises(FrameworkError, match="threw something that is no std::exception"):
        call.tile()
    call = native.Call(project, "Counted")
    assert call._library.simCallTensor(call._call, 0, 2, None, native.ctypes.c_size_t(0), None) == 1
    assert b"expected simCallParameter before it" in call._library.simProjectError()
    call.attribute("int", 1)
    with pytest.raises(FrameworkError, match="a tensor or an attribute of the call was refused"):
        call.tile()


def test_a_buffer_shares_the_memory_of_an_earlier_one(project):
    array = native.np.zeros(8, native.np.float32)
    call = native.Call(project, "Counted")
    call.attribute("int", 1)
    call.add([native.Tensor(array, 0, same_as=0)], result=False, is_list=False)
    call.tile()
    with pytest.raises(FrameworkError, match="same_as of buffer 0: expected an earlier buffer, got 0"):
        call.launch("counted", "vector")


@pytest.mark.parametrize(("value", "shown"), [("1", True), ("0", False), ("", False)])
def test_the_log_is_shown_where_it_is_wanted(project, value, shown):
    program = (
        "import pathlib, sys; from ascend_vision_ops.sim import operator_native as native; "
        "call = native.Call(pathlib.Path(sys.argv[1]), 'Counted'); call.attribute('int', 1); call.tile()"
    )
    env = {**os.environ, "AVO_SIM_OPERATOR_LOG": value}
    done = subprocess.run([sys.executable, "-c", program, project], capture_output=True, text=True, env=env)
    assert done.returncode == 0, done.stderr
    assert ("the tiling runs" in done.stderr) == shown
