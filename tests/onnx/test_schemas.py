# SPDX-License-Identifier: Apache-2.0
"""The nodes as onnx itself sees them: schemas, inference of types and shapes, and the reference evaluator."""

from __future__ import annotations

import numpy as np
import pytest

onnx = pytest.importorskip("onnx", reason="the package onnx is not installed")

from onnx.reference import ReferenceEvaluator  # noqa: E402

from ascend_vision_ops.onnx import contracts, node, nodes, reference_ops  # noqa: E402
from ascend_vision_ops.onnx import schemas as schemas_module  # noqa: E402
from ascend_vision_ops.onnx.schemas import register, result_shapes, schemas  # noqa: E402
from ascend_vision_ops.opgen import load_spec  # noqa: E402
from ascend_vision_ops.opgen.nodes import DOMAIN, ONNX_DTYPES  # noqa: E402
from tests.onnx.node_models import BFLOAT16, cases_in_turn, node_model, one_node  # noqa: E402


@pytest.fixture(scope="module", autouse=True)
def registered():
    register()
    register()  # a second registration changes nothing


def pytest_generate_tests(metafunc):
    if "found" in metafunc.fixturenames:
        metafunc.parametrize("found", nodes(), ids=lambda each: each.qualified)


def models(found, limit: int):
    made = (node_model(found, case, static=True) for case in cases_in_turn(found.operator))
    small = [m for m in made if m is not None and sum(a.size for a in m.feeds.values()) < 20_000]
    return small[:: max(1, len(small) // limit)]


def inferred(model):
    return onnx.shape_inference.infer_shapes(model, check_type=True, strict_mode=True)


def shape_of(value) -> list:
    dims = value.type.tensor_type.shape.dim
    return [d.dim_value if d.HasField("dim_value") else d.dim_param or None for d in dims]


def test_nodes_pass_the_checker_and_shapes_are_inferred(found):
    """With static inputs all shapes are known except those that the data decide. Types of results are inferred
    correctly.
    """
    spec = contracts()[found.operator]
    for made in models(found, 8):
        model = inferred(made.model)
        onnx.checker.check_model(model, full_check=True)
        for value, name, want, dtype in zip(
            model.graph.output, found.outputs, made.wanted(), made.dtypes, strict=True
        ):
            told, dims = shape_of(value), spec.patterns[name].dims
            assert len(told) == want.ndim
            for index, (known, extent) in enumerate(zip(told, want.shape, strict=True)):
                dynamic = dims is not None and dims[index].text in spec.dynamic
                # onnx gives an open dimension of a result a name of its own.
                assert isinstance(known, str) if dynamic else known == extent
            assert value.type.tensor_type.elem_type == (1 if dtype == BFLOAT16 else ONNX_DTYPES[dtype.name])


def test_names_of_dimensions_reach_results_and_open_ones_stay_open():
    roi_align = node("mmcv", "MMCVRoiAlign")
    arguments = roi_align.arguments({"output_height": 7, "output_width": 6})
    shapes = {"input": ["batch", 256, None, None], "rois": ["count", 5]}
    assert result_shapes(roi_align, shapes, arguments) == [["count", 256, 7, 6]]
    assert result_shapes(roi_align, {"input": None, "rois": None}, arguments) == [[None, None, 7, 6]]
    pool = node("ascend_vision_ops", "max_pool2d")
    arguments = pool.arguments({"kernel_size": 3})
    # Height and width each depend on one dimension, and only one of these is known.
    assert result_shapes(pool, {"input": ["n", 8, 30, "w"]}, arguments) == [["n", 8, 10, None]]
    cummax = node("mmcv", "cummax")
    assert result_shapes(cummax, {"input": ["a", 3]}, cummax.arguments({"dim": 0})) == [["a", 3]] * 2
    assert result_shapes(cummax, {"input": None}, cummax.arguments({"dim": 0})) == [None, None]
    argmax = node("ascend_vision_ops", "argmax")
    assert result_shapes(argmax, {"self": [4, "b", 3]}, argmax.arguments({"dim": 0})) == [[None, 3]]


@pytest.mark.parametrize(
    ("attributes", "shape", "message"),
    [
        ({}, (1, 1, 2, 2), "mmcv::MMCVCornerPool: mode: expected this attribute, got none"),
        ({"mode": 1, "axis": 2}, (1, 1, 2, 2), "Unrecognized attribute: axis"),
        ({"mode": 1}, (2, 2), "input: expected rank 4 (N, C, H, W), got rank 2"),
    ],
)
def test_a_bad_node_is_an_error(attributes, shape, message):
    arrays = {"input": np.zeros(shape, np.float32)}
    made = one_node(node("mmcv", "MMCVCornerPool"), arrays, attributes, ["float32"], static=True)
    with pytest.raises(Exception) as raised:
        onnx.checker.check_model(inferred(made.model))
    assert message in str(raised.value)


def test_schemas_say_what_contracts_say():
    schema = next(s for s in schemas() if (s.domain, s.name) == ("mmcv", "MMCVModulatedDeformConv2d"))
    assert [(i.name, i.option.name) for i in schema.inputs][2:] == [
        ("mask", "Optional"),
        ("weight", "Single"),
        ("bias", "Optional"),
    ]
    assert {"deform_groups", "deformable_groups"} <= set(schema.attributes)
    assert onnx.helper.get_attribute_value(schema.attributes["dilation"].default_value) == [1, 1]
    argmax = next(s for s in schemas() if s.name == "argmax")
    assert {"tensor(int64)", "tensor(int32)"} == set(argmax.outputs[0].types)


FIXED = """\
schema: toy_fixed(Tensor input) -> (Tensor sums, Tensor squares)
summary: Results of fixed dtypes.
aclnn: ToyFixed(input, sums, squares)
dtypes: {input: [float16, int32], sums: [float32], squares: [float64]}
shape: {input: [N], sums: [N], squares: [N]}
tiling_keys: {only: 0}
tolerance: {float32: {why: a test}, float16: {why: a test}, float64: {why: a test}}
parameters: {input: x, sums: x, squares: x}
source: a test
example: {N: 2}
"""


@pytest.fixture
def fixed(tmp_path, monkeypatch):
    """A contract, of which the schemas are made instead of the real ones. onnx forgets its node afterwards."""
    (tmp_path / "toy_fixed.yaml").write_text(FIXED)
    spec = load_spec(tmp_path / "toy_fixed.yaml")
    monkeypatch.setattr(schemas_module, "contracts", lambda: {spec.name: spec})
    monkeypatch.setattr(schemas_module, "nodes", lambda: spec.nodes)
    yield spec
    if onnx.defs.has(spec.name, domain=DOMAIN):
        onnx.defs.deregister_schema(spec.name, 1, DOMAIN)


def test_a_result_of_a_fixed_dtype(fixed):
    """onnx calls float32 tensor(float), and float64 tensor(double)."""
    register()
    schema = onnx.defs.get_schema(fixed.name, 1, DOMAIN)
    assert [output.types for output in schema.outputs] == [{"tensor(float)"}, {"tensor(double)"}]
    assert schema.inputs[0].types == {"tensor(float16)", "tensor(int32)"}


def test_a_schema_that_onnx_refuses_is_named(fixed, monkeypatch):
    monkeypatch.setattr(schemas_module, "ONNX_NAMES", {})
    with pytest.raises(RuntimeError, match=rf"{DOMAIN}::toy_fixed: .* operator toy_fixed, got .*float32"):
        register()


def test_the_reference_evaluator_runs_every_node(found):
    operators = reference_ops()
    for made in models(found, 4):
        evaluator = ReferenceEvaluator(made.model, new_ops=operators)
        results = evaluator.run(None, made.feeds)
        assert not made.wrong([np.asarray(result) for result in results])


def test_types_of_results_follow_an_attribute():
    arrays = {"self": np.zeros((2, 3), np.float32)}
    argmax = node("ascend_vision_ops", "argmax")
    made = one_node(argmax, arrays, {"dim": 1, "dtype": onnx.TensorProto.INT32}, ["int32"])
    assert inferred(made.model).graph.output[0].type.tensor_type.elem_type == onnx.TensorProto.INT32
    (result,) = ReferenceEvaluator(made.model, new_ops=reference_ops()).run(None, made.feeds)
    assert result.dtype == np.int32
