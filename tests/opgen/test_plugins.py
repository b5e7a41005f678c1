# SPDX-License-Identifier: Apache-2.0
"""The plugins by which ATC reads ONNX nodes: compiled with the simulated device's headers, and called."""

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

# Arguments: an origin type and its attributes as JSON, "-" for none; prints the operator type and what it gets.
MAIN_CPP = r"""
#include <iostream>

#include "register/register.h"

int main(int, char **argv) {
  for (const auto &registration : domi::Registrations()) {
    for (const auto &origin : registration.origins) {
      if (origin != ge::AscendString(argv[1])) continue;
      ge::Operator source, target;
      if (std::string(argv[2]) != "-") source.SetAttr("attribute", ge::AscendString(argv[2]));
      if (registration.parse(source, target) != domi::SUCCESS) return 2;
      std::cout << "{\"type\": \"" << registration.type.GetString() << '"';
      for (const auto &[name, value] : target.json) std::cout << ", \"" << name << "\": " << value;
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
    (folder / "main.cpp").write_text(MAIN_CPP)
    common = ROOT / "op_host" / "common"
    sources = [folder / "main.cpp", *folder.glob("framework/onnx/*.cpp")]
    sources += [*common.glob("borders/onnx_*.cpp"), common / "tensors" / "tensor.cpp"]
    includes = [folder, golden, ROOT, ROOT / "sim" / "operators" / "include"]
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
    """Otherwise there is no plugin, as ATC connects them by their places: a convolution without a mask has a gap."""
    specs = {spec.name: spec for spec in load_specs(ROOT, [])}
    nodes = [node for node in all_nodes(list(specs.values())) if specs[node.operator].has_kernel]
    others = {node.name for node in nodes if not in_operator_order(specs[node.operator], node)}
    assert nodes and others == {"MMCVDeformConv2d"}


def test_names_for_atc_are_those_of_no_other_node():
    nodes = all_nodes(load_specs(ROOT, []))
    names = {atc_name(node.domain, node.name): node.qualified for node in nodes}
    assert len(names) == len(nodes)
    onnx = pytest.importorskip("onnx", reason="names of ONNX come with the package onnx")
    assert not {schema.name for schema in onnx.defs.get_all_schemas() if schema.domain == ""} & set(names)
