# SPDX-License-Identifier: Apache-2.0
"""The plugins by which ATC reads ONNX nodes: compiled with a stand-in for CANN's registration, and called."""

from __future__ import annotations

import json
import struct
import subprocess
from pathlib import Path

import pytest

from ascend_vision_ops.opgen import load_specs
from ascend_vision_ops.opgen.model import all_nodes, atc_name
from ascend_vision_ops.opgen.npu import in_operator_order
from ascend_vision_ops.opgen.render import TARGETS

ROOT = Path(__file__).parents[2]

# What plugins use of CANN's header, by its names: operators that keep their attributes, registrations that are listed.
REGISTER_H = r"""
#pragma once
#include <functional>
#include <iostream>
#include <map>
#include <sstream>
#include <string>
#include <vector>
namespace ge {
constexpr int GRAPH_SUCCESS = 0, GRAPH_FAILED = 1;
struct AscendString {
  AscendString() = default;
  AscendString(const char *text) : text(text) {}
  const char *GetString() const { return text.c_str(); }
  std::string text;
};
struct Operator {
  std::map<std::string, std::string> values;
  int GetAttr(const char *name, AscendString &value) const {
    if (values.count(name) == 0) return GRAPH_FAILED;
    value.text = values.at(name);
    return GRAPH_SUCCESS;
  }
  void SetAttr(const char *name, const AscendString &value) { values[name] = '"' + value.text + '"'; }
  void SetAttr(const char *name, const std::vector<int64_t> &list) {
    std::ostringstream text;
    for (size_t i = 0; i < list.size(); ++i) text << (i == 0 ? "[" : ",") << list[i];
    values[name] = text.str() + (list.empty() ? "[]" : "]");
  }
  void SetAttr(const char *name, bool value) { values[name] = value ? "true" : "false"; }
  void SetAttr(const char *name, int64_t value) { values[name] = std::to_string(value); }
  void SetAttr(const char *name, float value) {
    std::ostringstream text;
    text.precision(9);
    text << value;
    values[name] = text.str();
  }
};
}  // namespace ge
namespace domi {
using Status = int;
constexpr Status SUCCESS = 0, FAILED = 1;
enum FrameworkType { ONNX = 5 };
enum class ImplyType { TVM = 1 };
struct Registration {
  explicit Registration(const char *type) : type(type) { }
  Registration &FrameworkType(domi::FrameworkType) { return *this; }
  Registration &OriginOpType(std::vector<ge::AscendString> names) { origins = names; return *this; }
  Registration &ParseParamsByOperatorFn(std::function<Status(const ge::Operator &, ge::Operator &)> f) {
    parse = f;
    return *this;
  }
  Registration &ImplyType(domi::ImplyType) { All().push_back(*this); return *this; }
  static std::vector<Registration> &All() { static std::vector<Registration> all; return all; }
  std::string type;
  std::vector<ge::AscendString> origins;
  std::function<Status(const ge::Operator &, ge::Operator &)> parse;
};
}  // namespace domi
#define JOIN(a, b) a##b
#define NAME(line) JOIN(registration, line)
#define REGISTER_CUSTOM_OP(type) static auto NAME(__LINE__) = Registration(type)
"""

# Arguments: an origin type and its attributes as JSON, "-" for none; prints the operator type and what it gets.
MAIN_CPP = r"""
#include "register/register.h"
int main(int, char **argv) {
  for (const auto &registration : domi::Registration::All()) {
    for (const auto &origin : registration.origins) {
      if (origin.text != argv[1]) continue;
      ge::Operator source, target;
      if (std::string(argv[2]) != "-") source.values["attribute"] = argv[2];
      if (registration.parse(source, target) != domi::SUCCESS) return 2;
      std::cout << "{\"type\": \"" << registration.type << '"';
      for (const auto &[name, value] : target.values) std::cout << ", \"" << name << "\": " << value;
      std::cout << "}\n";
      return 0;
    }
  }
  return 3;
}
"""


@pytest.fixture(scope="module")
def program(tmp_path_factory):
    """The plugin of the golden contract, as a program."""
    folder = tmp_path_factory.mktemp("plugin")
    golden = Path(__file__).parent / "fixtures" / "golden"
    for name, text in TARGETS["npu"](load_specs(golden), golden):
        if name.startswith(("framework/", "op_host/toy_blend_args.h")):
            (folder / name).parent.mkdir(parents=True, exist_ok=True)
            (folder / name).write_text(text)
    (folder / "register").mkdir()
    (folder / "register" / "register.h").write_text(REGISTER_H)
    (folder / "main.cpp").write_text(MAIN_CPP)
    common = ROOT / "op_host" / "common"
    sources = [folder / "main.cpp", *folder.glob("framework/onnx/*.cpp")]
    sources += [*common.glob("borders/onnx_*.cpp"), common / "tensors" / "tensor.cpp"]
    includes = [folder, golden, ROOT]
    command = ["g++", "-std=c++17", "-Wall", "-Wextra", "-Werror", *(f"-I{path}" for path in includes)]
    done = subprocess.run(
        [*command, *map(str, sources), "-o", str(folder / "plugin")], capture_output=True, text=True
    )
    assert done.returncode == 0, done.stderr

    def run(origin: str, attributes: object = None):
        text = (
            "-"
            if attributes is None
            else attributes
            if isinstance(attributes, str)
            else json.dumps(attributes)
        )
        done = subprocess.run([folder / "plugin", origin, text], capture_output=True, text=True)
        return (json.loads(done.stdout) if done.returncode == 0 else done.returncode), done.stderr

    return run


def bits(value: float) -> int:
    return struct.unpack("<q", struct.pack("<d", value))[0]


def test_attributes_that_are_absent_have_the_node_s_defaults(program):
    for origin in ("ascend_vision_ops::1::toy_blend", "ai.onnx::8::AscendVisionOpsToyBlend"):
        for attributes in (None, {}, {"attribute": []}):
            found, _ = program(origin, attributes)
            assert found == {"type": "AvoToyBlend", "window": [1, 1], "weight": 0.5, "weight_bits": bits(0.5)}
    found, _ = program("mm::1::ToyMix")
    assert (found["weight"], found["weight_bits"]) == (0.25, bits(0.25))


def test_attributes_reach_the_operator(program):
    """Floats come as text of ten digits, and mean the decimal number; types come as numbers or as names."""
    for kind in (1, "FLOAT"):
        share = {"name": "share", "type": kind, "f": "0.6999999881"}
        window = {"name": "window", "type": 7, "ints": [2, 3]}
        found, _ = program("ai.onnx::18::MmToyMix", {"op": "x", "attribute": [share, window]})
        assert found["window"] == [2, 3]
        assert found["weight"] == pytest.approx(0.7)
        assert found["weight_bits"] == bits(0.7)
    # A value of 0 may be left out, as protobuf 3 does; one int stands for both.
    zero = [{"name": "weight", "type": 1}, {"name": "window", "type": 2, "i": 4}]
    found, _ = program("mm::1::ToyMix", {"attribute": zero})
    assert (found["weight"], found["weight_bits"], found["window"]) == (0, 0, [4, 4])


@pytest.mark.parametrize(
    ("attributes", "message"),
    [
        ([{"name": "weight", "type": 3, "s": "half"}], "weight: expected a float, got a string"),
        ([{"name": "window", "type": 7, "ints": [1, 2, 3]}], "window: expected 2 ints, got [1, 2, 3]"),
        (
            [{"name": "weight", "type": 1, "f": "1"}, {"name": "share", "type": 1, "f": "1"}],
            "weight: expected one name of share, got share and weight",
        ),
        ("{'attribute'", "attribute: expected JSON, got 'attribute'"),
        ('{"attribute": [', "attribute: expected JSON, got "),
    ],
)
def test_a_bad_node_is_an_error_that_names_what_is_wrong(program, attributes, message):
    given = attributes if isinstance(attributes, str) else {"attribute": attributes}
    status, errors = program("mm::1::ToyMix", given)
    assert status == 2
    assert message in errors


def test_tensors_of_nodes_stand_where_those_of_operators_do():
    """Otherwise there would be no plugin: ATC connects them by their places."""
    specs = {spec.name: spec for spec in load_specs(ROOT, [])}
    nodes = [node for node in all_nodes(list(specs.values())) if not specs[node.operator].composite]
    assert nodes
    assert all(in_operator_order(specs[node.operator], node) for node in nodes)


def test_names_for_atc_are_those_of_no_other_node():
    nodes = all_nodes(load_specs(ROOT, []))
    names = {atc_name(node.domain, node.name): node.qualified for node in nodes}
    assert len(names) == len(nodes)
    onnx = pytest.importorskip("onnx", reason="names of ONNX come with the package onnx")
    assert not {schema.name for schema in onnx.defs.get_all_schemas() if schema.domain == ""} & set(names)
