# SPDX-License-Identifier: Apache-2.0
"""What models of other people have shown: graphs as their exporters write them, built node by node."""

from __future__ import annotations

import numpy as np
import pytest

onnx = pytest.importorskip("onnx", reason="the extra onnx is not installed")
pytest.importorskip("onnxruntime", reason="ONNX Runtime is the oracle here")
pytest.importorskip("onnxscript", reason="the extra onnx is not installed")

import onnx_ir as ir  # noqa: E402
from onnx import TensorProto, helper  # noqa: E402
from onnxscript.rewriter.rules import common  # noqa: E402

from ascend_vision_ops.onnx import files, passes  # noqa: E402
from ascend_vision_ops.onnx.passes import _compute  # noqa: E402
from benchmarks.onnx_models import FLOAT, INT64, Builder  # noqa: E402
from tests.onnx.oracle import image, run, types  # noqa: E402
from tests.onnx.simplified import simplified  # noqa: E402


def same(before, after, feeds, largest=0.0):
    for want, got in zip(run(before, feeds).values(), run(after, feeds).values(), strict=True):
        assert got.dtype == want.dtype and got.shape == want.shape
        np.testing.assert_allclose(got, want, rtol=0, atol=largest * np.abs(want).max(initial=0))


# --- open dimensions without a name ------------------------------------------------------------------------------


def test_a_target_of_a_dimension_without_a_name():
    """Conv, Shape, Gather of a width that nobody knows, Concat with -1, Reshape: a head of torchvision's detectors."""
    b = Builder()
    y = b.op("Conv", "x", b.random(6, 3, 3, 3), pads=[1, 1, 1, 1])
    width = b.op("Unsqueeze", b.op("Gather", b.op("Shape", y), b.weight(np.int64(3)), axis=0), b.ints(0))
    out = b.op("Reshape", y, b.op("Concat", b.ints(1, -1), width, axis=0))
    before = b.model({"x": [1, 3, None, None]}, {out: [None, None, None]})
    after, _ = simplified(before)
    for height, size in ((4, 5), (7, 3)):
        same(before, after, {"x": image(1, 3, height, size)})


# --- chains ------------------------------------------------------------------------------------------------------

CHAINS = {
    "reshapes": (lambda b: b.op("Reshape", b.op("Reshape", "x", b.ints(6, 4)), b.ints(4, 3, 2)), ["Reshape"]),
    "squeezes": (
        lambda b: b.op("Squeeze", b.op("Unsqueeze", b.op("Unsqueeze", "x", b.ints(0)), b.ints(4)), b.ints(0)),
        ["Reshape"],
    ),
    "clips": (
        lambda b: b.op(
            "Clip",
            b.op("Clip", "x", b.weight(np.float32(-1)), b.weight(np.float32(2))),
            b.weight(np.float32(0.5)),
            b.weight(np.float32(0.75)),
        ),
        ["Clip"],
    ),
    "clips apart": (
        lambda b: b.op(
            "Clip",
            b.op("Clip", "x", b.weight(np.float32(3)), b.weight(np.float32(4))),
            "",
            b.weight(np.float32(1)),
        ),
        ["Clip"],
    ),
    "relu and clip": (
        lambda b: b.op("Clip", b.op("Relu", "x"), b.weight(np.float32(-3)), b.weight(np.float32(0.5))),
        ["Clip"],
    ),
    "relus": (lambda b: b.op("Relu", b.op("Relu", "x")), ["Relu"]),
    "concats": (lambda b: b.op("Concat", b.op("Concat", "x", "x", axis=1), "x", axis=-2), ["Concat"]),
    "casts": (
        lambda b: b.op("Cast", b.op("Cast", "x", to=TensorProto.DOUBLE), to=TensorProto.FLOAT16),
        ["Cast"],
    ),
    "pads": (
        lambda b: b.op("Pad", b.op("Pad", "x", b.ints(0, 1, 0, 0, 0, 2)), b.ints(0, 0, 3, 0, 1, 0)),
        ["Pad"],
    ),
}
KEPT = {
    "cast that rounds": lambda b: b.op("Cast", b.op("Cast", "x", to=TensorProto.FLOAT16), to=TensorProto.FLOAT),
    "concats along two axes": lambda b: b.op(
        "Concat", b.op("Concat", "x", "x", axis=1), b.op("Concat", "x", "x", axis=1), axis=2
    ),
    "pads of two numbers": lambda b: b.op(
        "Pad", b.op("Pad", "x", b.ints(0, 1, 0, 0, 0, 2), b.weight(np.float32(1))), b.ints(0, 0, 3, 0, 1, 0)
    ),
    "clip the wrong way round": lambda b: b.op(
        "Clip", b.op("Clip", "x", b.weight(np.float32(2)), b.weight(np.float32(1))), b.weight(np.float32(0))
    ),
}  # fmt: skip


def _chain(make):
    b = Builder()
    out = make(b)
    cast = b.nodes[-1].op_type == "Cast"
    kind = b.nodes[-1].attribute[0].i if cast else FLOAT
    rank = {"squeezes": 4}.get(next((name for name, item in CHAINS.items() if item[0] is make), ""), 3)
    return b.model({"x": [2, 3, 4]}, {out: (kind, list("abcd"[:rank]))})


@pytest.mark.parametrize("what", CHAINS)
def test_chains_become_one_node(what):
    make, left = CHAINS[what]
    before = _chain(make)
    after, _ = simplified(before)
    assert types(after) == left
    same(before, after, {"x": 3 * image(2, 3, 4)})


@pytest.mark.parametrize("what", KEPT)
def test_chains_that_are_no_chains_stay(what):
    before = _chain(KEPT[what])
    after, _ = simplified(before, "merge_chains")
    assert types(after) == types(before)
    same(before, after, {"x": 3 * image(2, 3, 4)})


class Rules(passes.RulePass):
    name, summary = "rules", "rules of onnxscript"
    rules = (common.transpose_transpose_rule,)


def test_a_pass_of_rules_changes_the_model():
    b = Builder()
    out = b.op("Transpose", b.op("Transpose", "x", perm=[1, 2, 0]), perm=[0, 2, 1])
    before = b.model({"x": [2, 3, 4]}, {out: [3, 2, 4]})
    model = ir.from_proto(before)
    report = passes.Manager([Rules()]).run_once(model)
    assert report.row("rules").applied == 1 and report.nodes_after == 1
    same(before, ir.to_proto(model), {"x": image(2, 3, 4)})


# --- folding -----------------------------------------------------------------------------------------------------


def _constant(op_type, opset, shapes, **attributes):
    """A node of constants only, whose result is added to an input."""
    b = Builder()
    parts = [
        b.weight(np.abs(image(*shape, seed=index)) + np.float32(0.5)) for index, shape in enumerate(shapes)
    ]
    made = b.op(op_type, *parts, **attributes)
    return b.model({"x": []}, {b.op("Add", made, "x"): [None] * len(shapes[0])}, opset)


FOLDED = {
    "AveragePool": (16, [[1, 1, 4, 4]], {"kernel_shape": [3, 3], "strides": [2, 2], "ceil_mode": 1}),
    "BatchNormalization": (13, [[2, 3, 4], [3], [3], [3], [3]], {}),
    "GlobalMaxPool": (17, [[1, 2, 3, 4, 5]], {}),
    "Hardmax": (12, [[2, 3, 4]], {"axis": 1}),
    "LogSoftmax": (12, [[2, 3, 4]], {"axis": 1}),
    "LRN": (13, [[1, 6, 2, 2]], {"size": 3, "alpha": 0.5}),
    "Softmax": (12, [[2, 3, 4]], {"axis": 1}),
}


@pytest.mark.parametrize("op_type", FOLDED)
@pytest.mark.parametrize("runtime", [True, False], ids=["with ONNX Runtime", "without"])
def test_folding_of_what_the_reference_computes_wrongly(op_type, runtime, monkeypatch):
    opset, shapes, attributes = FOLDED[op_type]
    assert _compute.wrong_in_reference(op_type, opset)
    monkeypatch.setattr(_compute, "_runtime", lambda: runtime)
    before = _constant(op_type, opset, shapes, **attributes)
    after, _ = simplified(before, "fold_constants")
    folded = runtime and op_type not in _compute.OTHER_IN_RUNTIME
    assert types(after) == (["Add"] if folded else [op_type, "Add"])
    same(before, after, {"x": np.array(0, np.float32)}, 1e-6)


def test_newer_versions_are_folded_by_the_reference_too(monkeypatch):
    monkeypatch.setattr(_compute, "_runtime", lambda: False)
    before = _constant("Softmax", 13, [[2, 3, 4]], axis=1)
    after, _ = simplified(before, "fold_constants")
    assert types(after) == ["Add"]
    same(before, after, {"x": np.array(0, np.float32)}, 1e-6)


# --- shapes that a model states ----------------------------------------------------------------------------------


def test_stale_shapes_behind_an_edited_input():
    b = Builder()
    y = b.op("Relu", "x", shape=[1, 4])
    out = b.op("Reshape", y, b.op("Shape", y))
    before = b.model({"x": [3, 4]}, {out: [3, 4]})
    after, report = simplified(before)
    assert report.stale == "the model states [1, 4] for 'relu0', but its inputs make it [3, 4]"
    same(before, after, {"x": image(3, 4)})


def test_true_shapes_are_no_stale_ones_and_inferred_ones_do_not_reach_the_file():
    b = Builder()
    y = b.op("Sigmoid", b.op("Relu", "x", shape=[3, 4]))
    after, report = simplified(b.model({"x": [3, 4]}, {b.op("Neg", y): [3, 4]}))
    assert report.stale == ""
    assert [info.name for info in after.graph.value_info] == ["relu0"]


# --- equal weights, equal nodes ----------------------------------------------------------------------------------


def test_equal_large_weights_are_kept_once():
    b = Builder()
    array = image(64, 64)
    y = b.op("MatMul", b.op("MatMul", "x", b.weight(array)), b.weight(array.copy()))
    y = b.op("MatMul", y, b.weight(np.where(np.arange(64) == 63, 0, array).astype(np.float32)))
    before = b.model({"x": [2, 64]}, {y: [2, 64]})
    after, _ = simplified(before)
    assert len(after.graph.initializer) == 2
    same(before, after, {"x": image(2, 64)})


def test_equal_nodes_in_a_branch():
    b = Builder()
    outer = b.op("Exp", "x")
    nodes = [helper.make_node("Exp", ["x"], ["again"]), helper.make_node("Neg", ["again"], ["negated"])]
    info = helper.make_tensor_value_info
    then = helper.make_graph(nodes, "then", [], [info("negated", FLOAT, [3])])
    other = helper.make_graph(
        [helper.make_node("Exp", ["x"], ["raised"])], "else", [], [info("raised", FLOAT, [3])]
    )
    out = b.op("Add", b.op("If", "flag", then_branch=then, else_branch=other), outer)
    before = b.model({"x": [3], "flag": (TensorProto.BOOL, [])}, {out: [3]})
    after, report = simplified(before)
    # The branch returns what its own node makes, so that one stays.
    assert report.nodes_before - report.nodes_after == 1
    for flag in (True, False):
        same(before, after, {"x": image(3), "flag": np.array(flag)})


def test_a_weight_that_only_a_branch_used_goes():
    b = Builder()
    info = helper.make_tensor_value_info
    weight = onnx.numpy_helper.from_array(image(64, 64), "w")
    reshape = helper.make_node("Transpose", ["w"], ["turned"])
    product = helper.make_node("MatMul", ["x", "turned"], ["product"])
    then = helper.make_graph([reshape, product], "then", [], [info("product", FLOAT, [2, 64])], [weight])
    other = helper.make_graph(
        [helper.make_node("Neg", ["x"], ["negated"])], "else", [], [info("negated", FLOAT, [2, 64])]
    )
    out = b.op("If", "flag", then_branch=then, else_branch=other)
    before = b.model({"x": [2, 64], "flag": (TensorProto.BOOL, [])}, {out: [2, 64]})
    after, _ = simplified(before)
    assert files.weight_bytes(ir.from_proto(after)) == 64 * 64 * 4
    for flag in (True, False):
        same(before, after, {"x": image(2, 64), "flag": np.array(flag)})


# --- broken models -----------------------------------------------------------------------------------------------


def _broken(what):
    b = Builder()
    x, out = "x", None
    if what == "attribute":
        out = b.op("Transpose", x, perm=1.5)
    elif what == "inputs":
        out = b.op("Add", x)
    elif what == "missing":
        out = b.op("Cast", x)
    elif what == "cycle":
        out = b.op("Add", x, "relu1")
        b.op("Relu", out)
    elif what == "nobody":
        out = b.op("Add", x, "ghost")
    else:
        out = b.op("Add", x, b.weight(np.float32([1, 2, 3, 4])))
    proto = b.model({"x": [4]}, {out: [4]})
    for weight in proto.graph.initializer:
        if what == "short":
            weight.raw_data = weight.raw_data[:-1]
        elif what == "negative":
            weight.dims[0] = -4
        elif what == "huge":
            weight.dims[:] = [1 << 40, 1 << 40]
    if what == "untyped":
        proto.graph.input[0].type.tensor_type.elem_type = 0
    return proto


BROKEN = {
    "attribute": "node Transpose 'n0': attribute perm: expected INTS, got FLOAT",
    "inputs": "node Add 'n0': 1 inputs, expected 2 to 2",
    "missing": "node Cast 'n0': attribute to is missing",
    "cycle": "node Add 'n0': input 'relu1' comes from a node behind it",
    "nobody": "node Add 'n0': input 'ghost' is made by no node, input or weight",
    "short": "weight 'w0' has 15 bytes, expected 16 for FLOAT [4]",
    "negative": "weight 'w0' has the shape [-4], expected no negative dimension",
    "huge": "weight 'w0' has 16 bytes, expected",
    "untyped": "input 'x' has no element type",
}


@pytest.mark.parametrize("what", BROKEN)
def test_a_broken_model_is_named_in_one_line(what, tmp_path):
    path = tmp_path / "model.onnx"
    path.write_bytes(_broken(what).SerializeToString())
    with pytest.raises(files.ModelError) as caught:
        files.load(path)
    assert BROKEN[what] in str(caught.value) and "\n" not in str(caught.value)


def test_a_right_model_is_taken(tmp_path):
    path = tmp_path / "model.onnx"
    path.write_bytes(_broken("nothing").SerializeToString())
    assert len(files.load(path).graph) == 1


def test_a_negative_dimension_of_an_input_is_open(tmp_path):
    b = Builder()
    onnx.save(b.model({"x": [-1, 3]}, {b.op("Relu", b.op("Relu", "x")): [-1, 3]}), tmp_path / "model.onnx")
    model = files.load(tmp_path / "model.onnx")
    assert not isinstance(model.graph.inputs[0].shape[0], int)
    assert passes.simplify(model, "default", passes.Checker(1)).nodes_after == 1


def test_weights_outside_of_the_folder(tmp_path):
    b = Builder()
    proto = b.model({"x": [4]}, {b.op("Add", "x", b.random(4)): [4]})
    (tmp_path / "inner").mkdir()
    onnx.save(proto, tmp_path / "w.onnx", save_as_external_data=True, location="w.data", size_threshold=0)
    moved = onnx.load(tmp_path / "w.onnx", load_external_data=False)
    for entry in moved.graph.initializer[0].external_data:
        if entry.key == "location":
            entry.value = "../w.data"
    (tmp_path / "inner" / "model.onnx").write_bytes(moved.SerializeToString())
    with pytest.raises(files.ModelError, match="weight 'w0' lies outside of the model's folder"):
        files.load(tmp_path / "inner" / "model.onnx")


def test_a_huge_range_is_not_computed():
    b = Builder()
    made = b.op("Range", b.weight(np.int64(0)), b.weight(np.int64(1 << 40)), b.weight(np.int64(1)))
    proto = b.model({"x": (INT64, [])}, {b.op("Add", made, "x"): (INT64, [None])})
    assert types(simplified(proto)[0]) == ["Range", "Add"]


class Stumbles(passes.GraphPass):
    """A deliberate fault: a pass with a mistake."""

    name, summary = "stumbles", "adds a number to nothing"

    def transform(self, model):
        return None + 1


def test_a_mistake_of_a_pass_is_one_line():
    b = Builder()
    model = ir.from_proto(b.model({"x": [1]}, {b.op("Relu", "x"): [1]}))
    with pytest.raises(files.ModelError, match="pass stumbles cannot take this model: TypeError"):
        passes.Manager([Stumbles()]).run_once(model)


# --- vectors for scalars -----------------------------------------------------------------------------------------


@pytest.mark.parametrize("known", [False, True])
def test_range_of_a_vector_of_one_element(known):
    """onnx's function AffineGrid, in 2-D: ONNX Runtime takes the vector as long as a branch hides its rank."""
    b = Builder()
    nodes = [helper.make_node("Reshape", ["size", "one"], ["vector"])]
    info = helper.make_tensor_value_info
    then = helper.make_graph(nodes, "then", [], [info("vector", INT64, [1])])
    then.initializer.append(onnx.numpy_helper.from_array(np.array([1], np.int64), "one"))
    other = helper.make_graph(
        [helper.make_node("Identity", ["size"], ["scalar"])], "else", [], [info("scalar", INT64, [])]
    )
    if known:
        b.weight(np.int64(5), "size")
    flag = b.op("Equal", b.weight(np.int64(2)), b.weight(np.int64(2)))
    end = b.op("If", flag, then_branch=then, else_branch=other)
    out = b.op("Add", b.op("Range", b.weight(np.int64(0)), end, b.weight(np.int64(1))), "shift")
    inputs = {"shift": (INT64, [])} | ({} if known else {"size": (INT64, [])})
    before = b.model(inputs, {out: (INT64, [None])})
    after, _ = simplified(before)
    feeds = {"shift": np.array(3)} | ({} if known else {"size": np.array(5)})
    same(before, after, feeds)
    assert types(after) == (["Add"] if known else ["Range", "Add"])
