# SPDX-License-Identifier: Apache-2.0
"""Fusions of two nodes into one, each beside a graph of the same kind that must stay as it is."""

from __future__ import annotations

import numpy as np
import pytest

onnx = pytest.importorskip("onnx", reason="the extra onnx is not installed")
pytest.importorskip("onnxruntime", reason="ONNX Runtime is the oracle here")
pytest.importorskip("onnxscript", reason="the extra onnx is not installed")

import onnx_ir as ir  # noqa: E402

from ascend_vision_ops.onnx import passes  # noqa: E402
from benchmarks.onnx_models import Builder  # noqa: E402
from tests.onnx.oracle import image, run, types  # noqa: E402


def _const(b, *shape, seed=3):
    return b.weight(np.abs(image(*shape, seed=seed)) + np.float32(0.5))


def _conv(b, x, **attributes):
    return b.op("Conv", x, b.random(6, 4, 3, 3), **attributes)


def _transposed_conv(b, x):
    return b.op("ConvTranspose", x, b.random(4, 3, 2, 2), strides=[2, 2], group=2)


def _norm(b, x):
    return b.op("BatchNormalization", x, *(_const(b, 4, seed=seed) for seed in range(4)))


# Models of x (2, 4, 8, 8) or m (3, 4): the types of the nodes that are left.
FUSED = {
    "conv, add": (lambda b: b.op("Add", _conv(b, "x"), _const(b, 1, 6, 1, 1)), ["Conv"]),
    "mul, conv behind": (lambda b: b.op("Mul", _const(b, 6, 1, 1), _conv(b, "x")), ["Conv"]),
    "conv, sub, div": (
        lambda b: b.op("Div", b.op("Sub", _conv(b, "x"), _const(b, 6, 1, 1)), _const(b)),
        ["Conv"],
    ),
    "transposed conv, mul, add": (
        lambda b: b.op("Add", b.op("Mul", _transposed_conv(b, "x"), _const(b, 6, 1, 1)), _const(b, 6, 1, 1)),
        ["ConvTranspose"],
    ),
    "mul before a conv that pads": (lambda b: _conv(b, b.op("Mul", "x", _const(b, 4, 1, 1)), pads=[1] * 4), ["Conv"]),
    "sub, div before a conv": (
        lambda b: _conv(b, b.op("Div", b.op("Sub", "x", _const(b, 4, 1, 1)), _const(b, 4, 1, 1))),
        ["Conv"],
    ),
    "norm before a grouped conv": (lambda b: b.op("Conv", _norm(b, "x"), b.random(6, 2, 3, 3), group=2), ["Conv"]),
    "mul, div before a grouped transposed conv": (
        lambda b: _transposed_conv(b, b.op("Div", b.op("Mul", "x", _const(b, 4, 1, 1)), _const(b, 4, 1, 1))),
        ["ConvTranspose"],
    ),
    "matmul, add": (lambda b: b.op("Add", b.op("MatMul", "m", b.random(4, 5)), b.random(5)), ["Gemm"]),
    "transpose, gemm": (
        lambda b: b.op("Gemm", b.op("Transpose", "m", perm=[1, 0]), b.random(3, 5)),
        ["Gemm"],
    ),
    "reduction, unsqueeze": (
        lambda b: b.op("Unsqueeze", b.op("ReduceMean", "x", axes=[2, -1], keepdims=0), b.ints(-1, 2)),
        ["ReduceMean"],
    ),
    "reduction, reshape": (
        lambda b: b.op("Reshape", b.op("ReduceMax", "x", axes=[-1, 1], keepdims=0), b.ints(0, 1, -1, 1)),
        ["ReduceMax"],
    ),
    "reduction of one element": (
        lambda b: b.op("ReduceMean", b.op("ReduceSum", "x", b.ints(2, 3)), axes=[2, -1]), ["ReduceSum"],
    ),
    "softmax, log": (lambda b: b.op("Log", b.op("Softmax", "x", axis=1)), ["LogSoftmax"]),
    "softmax, argmax": (
        lambda b: b.op("Cast", b.op("ArgMax", b.op("Softmax", "x", axis=1), axis=-3), to=1), ["ArgMax", "Cast"],
    ),
    "mul, div": (lambda b: b.op("Div", b.op("Mul", _const(b, 4, 1, 1), "x"), _const(b)), ["Mul"]),
    "sub, add": (lambda b: b.op("Add", _const(b, 8), b.op("Sub", "x", _const(b))), ["Add"]),
    "gather, unsqueeze": (
        lambda b: b.op("Unsqueeze", b.op("Gather", "x", b.weight(np.int64(-2)), axis=2), b.ints(-2)), ["Gather"],
    ),
    "gather, squeeze": (
        lambda b: b.op("Unsqueeze", b.op("Relu", b.op("Squeeze", b.op("Gather", "x", b.ints(1), axis=1), b.ints(1))),
                       b.ints(0)),
        ["Gather", "Relu", "Unsqueeze"],
    ),
    "gather of all": (lambda b: b.op("Neg", b.op("Gather", "x", b.ints(0, 1, 2, -1), axis=1)), ["Neg"]),
    "slices that divide": (
        lambda b: b.op("Concat", b.op("Slice", "x", b.ints(3), b.ints(99), b.ints(-3)),
                       b.op("Slice", "x", b.ints(0), b.ints(1), b.ints(1)),
                       b.op("Slice", "x", b.ints(-3), b.ints(3), b.ints(1), b.ints(1)), axis=1),
        ["Split", "Concat"],
    ),
    "transpose of axes of one element": (
        lambda b: b.op("Reshape", b.op("Transpose", b.op("Reshape", "x", b.ints(1, 8, 1, 64)), perm=[1, 3, 2, 0]),
                       b.ints(8, 2, 4, 8)),
        ["Reshape"],
    ),
    "zero states": (
        lambda b: b.op("Squeeze", b.op("Unsqueeze", b.op("LSTM", b.op("Reshape", "x", b.ints(8, 8, 8)),
                  b.random(1, 20, 8), b.random(1, 20, 5), "", "", b.weight(np.zeros((1, 8, 5), np.float32)),
                  b.weight(np.zeros((1, 8, 5), np.float32)), hidden_size=5), b.ints(4)), b.ints(4)),
        ["Reshape", "LSTM"],
    ),
    "reshape and back": (
        lambda b: b.op("Add", b.op("Unsqueeze", y := b.op("Reshape", "x", b.ints(8, 8, 8)), b.ints(0)), y),
        ["Reshape", "Unsqueeze", "Add"],
    ),
    "reshape and back to x": (
        lambda b: b.op("Add", b.op("Reshape", y := b.op("Reshape", "x", b.ints(8, 1, 8, 8)), b.ints(2, 4, 8, 8)),
                       b.op("ReduceMax", y, axes=[0])),
        ["Reshape", "ReduceMax", "Add"],
    ),
}  # fmt: skip
REFUSED = {
    "a constant for each row": (
        lambda b: b.op("Add", _conv(b, "x"), _const(b, 1, 6, 6, 1)), "fuse_conv_affine", "is not one number for each",
    ),
    "a division by 0": (
        lambda b: b.op("Div", _conv(b, "x"), b.weight(np.float32([0]))), "fuse_conv_affine", "divides by 0",
    ),
    "a sum before a conv that pads": (
        lambda b: _conv(b, b.op("Add", "x", _const(b, 4, 1, 1)), pads=[1] * 4), "fuse_conv_affine", "pads with 0",
    ),
    "a norm before a conv that pads": (
        lambda b: _conv(b, _norm(b, "x"), pads=[0, 1, 0, 0]), "fuse_conv_affine", "pads with 0",
    ),
    "a norm before a transposed conv": (
        lambda b: _transposed_conv(b, _norm(b, "x")), "fuse_conv_affine", "gives less of the sum",
    ),
    "a product with four dimensions": (
        lambda b: b.op("Add", b.op("MatMul", "x", b.random(8, 5)), b.random(5)), "fuse_gemm", "Gemm takes matrices",
    ),
    "a constant for each row of a product": (
        lambda b: b.op("Add", b.op("MatMul", "m", b.random(4, 5)), b.random(3, 1)), "fuse_gemm", "is not one row",
    ),
    "constants beyond the range": (
        lambda b: b.op("Mul", b.op("Mul", "x", b.weight(np.float32(1e-30))), b.weight(np.float32(1e-30))),
        "merge_constants", "beyond the range",
    ),
    "a table of constants": (
        lambda b: b.op("Mul", b.op("Mul", "x", _const(b, 8)), _const(b, 8, 1)), "merge_constants", "would have 64",
    ),
    "argmax along another axis": (
        lambda b: b.op("Cast", b.op("ArgMax", b.op("Softmax", "x", axis=1), axis=2), to=1), "fuse_reductions",
        "along another axis",
    ),
    "slices with a gap": (
        lambda b: b.op("Concat", b.op("Slice", "x", b.ints(0), b.ints(1), b.ints(1)),
                       b.op("Slice", "x", b.ints(2), b.ints(4), b.ints(1)), axis=1),
        "merge_gathers", "",
    ),
    "a state that is not 0": (
        lambda b: b.op("GRU", b.op("Reshape", "x", b.ints(8, 8, 8)), b.random(1, 15, 8), b.random(1, 15, 5), "", "",
                       b.random(1, 8, 5), hidden_size=5),
        "remove_zero_states", "",
    ),
    "a transpose that moves elements": (
        lambda b: b.op("Reshape", b.op("Transpose", "x", perm=[0, 2, 1, 3]), b.ints(2, 2, 2, 64)), "merge_chains", "",
    ),
    "other axes": (
        lambda b: b.op("Unsqueeze", b.op("ReduceMean", "x", axes=[2, 3], keepdims=0), b.ints(0, 1)), "fuse_reductions",
        "other axes",
    ),
}  # fmt: skip


def _model(make):
    b = Builder()
    out = make(b)
    matrix = any("m" in node.input for node in b.nodes)
    rank = 2 if matrix else 4
    return b.model({"m": [3, 4]} if matrix else {"x": [2, 4, 8, 8]}, {out: list("abcd"[:rank])})


def _feeds(proto):
    return {"m": image(3, 4)} if proto.graph.input[0].name == "m" else {"x": image(2, 4, 8, 8)}


def _simplify(proto, text):
    model = ir.from_proto(proto)
    report = passes.simplify(model, text, passes.Checker(2))
    made = ir.to_proto(model)
    onnx.checker.check_model(made, full_check=True)
    return made, report


@pytest.mark.parametrize("what", FUSED)
def test_what_becomes_one_node(what):
    make, left = FUSED[what]
    before = _model(make)
    after, _ = _simplify(before, "default")
    assert types(after) == left
    want, got = (next(iter(run(proto, _feeds(before)).values())) for proto in (before, after))
    assert got.shape == want.shape and got.dtype == want.dtype
    np.testing.assert_allclose(got, want, rtol=0, atol=2e-6 * np.abs(want).max())


@pytest.mark.parametrize("what", REFUSED)
def test_what_stays_has_a_reason(what):
    make, name, reason = REFUSED[what]
    before = _model(make)
    after, report = _simplify(before, name)
    assert types(after) == types(before)
    assert reason in (report.row(name).refused or [""])[0]


@pytest.mark.parametrize("seed", range(12))
def test_slices_in_a_row(seed):
    """Of an open dimension, with starts and ends in any order, also beyond it."""
    rng = np.random.default_rng(seed)
    b, value = Builder(), "x"
    for _ in range(4):
        start, end, axis = rng.integers(0, 4), rng.integers(1, 12), rng.integers(-2, 2)
        far = int(np.iinfo(np.int64).max) if rng.random() < 0.2 else int(end)
        value = b.op("Slice", value, b.ints(int(start)), b.ints(far), b.ints(int(axis)))
    before = b.model({"x": ["n", 9]}, {value: [None, None]})
    after, _ = _simplify(before, "default")
    assert types(after) == ["Slice"]
    for size in (1, 5, 20):
        want, got = (next(iter(run(proto, {"x": image(size, 9)}).values())) for proto in (before, after))
        np.testing.assert_array_equal(got, want)


def test_slices_from_an_end_or_in_steps_stay():
    b = Builder()
    ends = b.op(
        "Slice", b.op("Slice", "x", b.ints(0), b.ints(-1), b.ints(0)), b.ints(1), b.ints(3), b.ints(0)
    )
    steps = b.op(
        "Slice", b.op("Slice", "x", b.ints(0), b.ints(9), b.ints(0), b.ints(2)), b.ints(1), b.ints(3)
    )
    before = b.model({"x": ["n", 9]}, {ends: [None, 9], steps: [None, 9]})
    after, _ = _simplify(before, "default")
    assert types(after) == ["Slice"] * 4


@pytest.mark.parametrize("name", ["fuse_conv_affine", "fuse_gemm"])
def test_a_product_that_two_nodes_use_stays(name):
    b = Builder()
    y = _conv(b, "x") if name == "fuse_conv_affine" else b.op("MatMul", "m", b.random(4, 5))
    added = _const(b, 6, 1, 1) if name == "fuse_conv_affine" else b.random(5)
    out = b.op("Mul", b.op("Add", y, added), y)
    matrix = name == "fuse_gemm"
    before = b.model(
        {"m": [3, 4]} if matrix else {"x": [2, 4, 8, 8]}, {out: list("ab" if matrix else "abcd")}
    )
    after, report = _simplify(before, name)
    assert types(after) == types(before) and "2 users, expected one" in report.row(name).refused[0]


@pytest.mark.parametrize("flag", [True, False])
@pytest.mark.parametrize("known", [True, False])
def test_a_branch_that_is_always_taken(flag, known):
    b = Builder()
    info = onnx.helper.make_tensor_value_info
    weight = onnx.numpy_helper.from_array(image(4), "w")
    branches = []
    for op_type in ("Add", "Mul"):
        made = onnx.helper.make_node(op_type, ["inner", "w"], [f"{op_type.lower()}_made"])
        square = onnx.helper.make_node("Mul", ["x", "x"], ["inner"])
        result = [info(f"{op_type.lower()}_made", onnx.TensorProto.FLOAT, [3, 4])]
        branches.append(onnx.helper.make_graph([square, made], op_type, [], result, [weight]))
    condition = b.weight(np.array(flag)) if known else "flag"
    out = b.op("If", condition, then_branch=branches[0], else_branch=branches[1])
    inputs = {"x": [3, 4]} if known else {"x": [3, 4], "flag": (onnx.TensorProto.BOOL, [])}
    before = b.model(inputs, {b.op("Neg", out): [3, 4]})
    after, _ = _simplify(before, "default")
    assert types(after) == (["Mul", "Add" if flag else "Mul", "Neg"] if known else ["If", "Neg"])
    feeds = {"x": image(3, 4)} | ({} if known else {"flag": np.array(flag)})
    want, got = (next(iter(run(proto, feeds).values())) for proto in (before, after))
    np.testing.assert_array_equal(got, want)


def test_a_branch_that_returns_its_weight():
    b = Builder()
    made = onnx.helper.make_tensor_value_info("w", onnx.TensorProto.FLOAT, [4])
    weight = onnx.numpy_helper.from_array(image(4), "w")
    branch = onnx.helper.make_graph([], "branch", [], [made], [weight])
    out = b.op("If", b.weight(np.array(True)), then_branch=branch, else_branch=branch)
    before = b.model({"x": [3, 4]}, {b.op("Add", out, "x"): [3, 4]})
    after, _ = _simplify(before, "default")
    assert types(after) == ["Add"]
    want, got = (next(iter(run(proto, {"x": image(3, 4)}).values())) for proto in (before, after))
    np.testing.assert_array_equal(got, want)


# Limit, first condition, the condition behind a run; "" is absent, None is an input of the model. What is left.
ONE_RUN, KEPT = ["Add", "Unsqueeze", "Neg", "ReduceSum"], ["Loop", "Neg", "ReduceSum"]
LOOPS = {
    "one run by its limit": (1, "", "goes_on", ONE_RUN),
    "one run by its condition": ("", True, False, ONE_RUN),
    "one run by its condition, before its limit": (9, "", False, ONE_RUN),
    "two runs": (2, True, "goes_on", KEPT),
    "an unknown first condition": (1, None, "goes_on", KEPT),
    "an unknown limit": (None, "", False, KEPT),
    "no run": (0, "", "goes_on", ["Neg"]),
    "no run by its condition": (7, False, "goes_on", ["Neg"]),
}


def _loop(limit, first, behind, collects):
    """y = x; while …: y = (y + x) * (run + 1) and its rows are collected; then -y and the sum of the rows."""
    b = Builder()
    info, node, kinds = onnx.helper.make_tensor_value_info, onnx.helper.make_node, onnx.TensorProto
    nodes = [node("Add", ["y_in", "x"], ["sum"]), node("Cast", ["run"], ["count"], to=kinds.FLOAT)]
    nodes += [node("Add", ["count", "one"], ["factor"]), node("Mul", ["sum", "factor"], ["y_out"])]
    weights = [onnx.numpy_helper.from_array(np.float32(1), "one")]
    if behind != "goes_on":
        weights.append(onnx.numpy_helper.from_array(np.array(behind), "ends"))
    given = [info("run", kinds.INT64, []), info("goes_on", kinds.BOOL, []), info("y_in", kinds.FLOAT, [3])]
    made = [
        info("goes_on" if behind == "goes_on" else "ends", kinds.BOOL, []),
        info("y_out", kinds.FLOAT, [3]),
    ]
    if behind == "goes_on":  # an output of a body is made in it
        nodes.append(node("Identity", ["goes_on"], ["still"]))
        made[0] = info("still", kinds.BOOL, [])
    if collects:
        made.append(info("sum", kinds.FLOAT, [3]))
    body = onnx.helper.make_graph(nodes, "body", given, made, weights)
    inputs = {"x": [3]}
    names = []
    for name, value, kind, dtype in (
        ("limit", limit, kinds.INT64, np.int64), ("first", first, kinds.BOOL, np.bool_),
    ):  # fmt: skip
        if value is None:
            inputs[name] = (kind, [])
        names.append(name if value is None else "" if value == "" else b.weight(np.array(value, dtype)))
    results = ["final", "rows"][: 1 + collects]
    b.nodes.append(node("Loop", [*names, "x"], results, body=body))
    outputs = {b.op("Neg", "final"): [3]}
    if collects:
        outputs[b.op("ReduceSum", "rows", b.ints(0), keepdims=0)] = [3]
    return b.model(inputs, outputs)


@pytest.mark.parametrize("what", LOOPS)
def test_a_loop_whose_count_is_known(what):
    limit, first, behind, left = LOOPS[what]
    before = _loop(limit, first, behind, "ReduceSum" in left)
    after, _ = _simplify(before, "default")
    assert types(after) == left  # the factor of the first run is 1
    feeds = {"x": image(3), "limit": np.array(3), "first": np.array(True)}
    feeds = {value.name: feeds[value.name] for value in before.graph.input}
    for want, got in zip(*(run(proto, feeds).values() for proto in (before, after)), strict=True):
        np.testing.assert_array_equal(got, want)


@pytest.mark.parametrize("version", [11, 17])
def test_a_body_that_returns_its_inputs(version):
    """A value goes through unchanged, and a weight of the body is the only row."""
    b = Builder()
    info, kinds = onnx.helper.make_tensor_value_info, onnx.TensorProto
    given = [info("run", kinds.INT64, []), info("goes_on", kinds.BOOL, []), info("y", kinds.FLOAT, [3])]
    made = [given[1], given[2], info("w", kinds.FLOAT, [3])]
    body = onnx.helper.make_graph([], "body", given, made, [onnx.numpy_helper.from_array(image(3), "w")])
    limit = b.weight(np.int64(1))
    b.nodes.append(onnx.helper.make_node("Loop", [limit, "", "x"], ["final", "rows"], body=body))
    out = b.op("Mul", b.op("Add", "final", "rows"), "rows")
    before = b.model({"x": [3]}, {out: [1, 3]}, version)
    after, _ = _simplify(before, "default")
    assert "Loop" not in types(after)
    want, got = (next(iter(run(proto, {"x": image(3, seed=2)}).values())) for proto in (before, after))
    np.testing.assert_array_equal(got, want)


def test_a_loop_that_never_runs_and_collects_stays():
    before = _loop(0, "", False, True)
    after, report = _simplify(before, "inline_loops")
    assert types(after) == types(before)
    assert "the shape of what it would collect is unknown" in report.row("inline_loops").refused[0]


def test_an_attribute_that_is_a_type_is_not_compared():
    """ONNX's published case of an If with an optional result has one."""
    b = Builder()
    kind = onnx.helper.make_tensor_type_proto(onnx.TensorProto.FLOAT, [3])
    empty = [b.op("OptionalHasElement", b.op("Optional", type=kind)) for _ in range(2)]
    before = b.model({"x": [3]}, {b.op("Where", b.op("Or", *empty), b.op("Neg", "x"), "x"): [3]})
    after, _ = _simplify(before, "merge_equal")
    assert types(after).count("Optional") == 2
    want, got = (next(iter(run(proto, {"x": image(3)}).values())) for proto in (before, after))
    np.testing.assert_array_equal(got, want)


def test_equal_dimensions_are_computed_once():
    """The shape of x, put together again from its elements, is the shape of x, whatever it is."""
    b = Builder()
    shape = b.op("Shape", "x")
    dims = [
        b.op("Unsqueeze", b.op("Gather", shape, b.weight(np.int64(axis)), axis=0), b.ints(0))
        for axis in range(3)
    ]
    filled = b.op("ConstantOfShape", b.op("Concat", *dims, axis=0))
    swapped = b.op("ConstantOfShape", b.op("Concat", dims[1], dims[0], dims[2], axis=0))
    out = b.op("Concat", b.op("Add", "x", filled), b.op("Transpose", swapped, perm=[1, 0, 2]), axis=2)
    before = b.model({"x": [None, None, None]}, {out: [None, None, None]})
    after, _ = _simplify(before, "default")
    assert types(after).count("Concat") == 2 and types(after).count("Shape") == 1
    for size in ((2, 3, 4), (5, 1, 2)):
        want, got = (next(iter(run(proto, {"x": image(*size)}).values())) for proto in (before, after))
        np.testing.assert_array_equal(got, want)


def test_zero_states_of_an_open_batch():
    b = Builder()
    batch = b.op("Unsqueeze", b.op("Gather", b.op("Shape", "x"), b.weight(np.int64(1)), axis=0), b.ints(0))
    state = b.op("ConstantOfShape", b.op("Concat", b.ints(1), batch, b.ints(5), axis=0))
    out = b.op("GRU", "x", b.random(1, 15, 8), b.random(1, 15, 5), "", "", state, hidden_size=5)
    before = b.model({"x": [3, "n", 8]}, {out: [3, 1, "n", 5]})
    after, _ = _simplify(before, "default")
    assert types(after) == ["GRU"]
    want, got = (next(iter(run(proto, {"x": image(3, 2, 8)}).values())) for proto in (before, after))
    np.testing.assert_array_equal(got, want)


def test_the_type_of_what_a_branch_returns():
    """A Cast behind an If changes nothing where both branches return its type."""
    b = Builder()
    info = onnx.helper.make_tensor_value_info("r", onnx.TensorProto.FLOAT, None)
    branches = [
        onnx.helper.make_graph([onnx.helper.make_node(kind, ["x"], ["r"])], kind, [], [info])
        for kind in ("Neg", "Abs")
    ]
    made = b.op("If", "flag", then_branch=branches[0], else_branch=branches[1])
    out = b.op("Cast", b.op("Neg", made), to=onnx.TensorProto.FLOAT)
    before = b.model({"x": [3], "flag": (onnx.TensorProto.BOOL, [])}, {b.op("Exp", out): [3]})
    after, _ = _simplify(before, "default")
    assert types(after) == ["If", "Neg", "Exp"]


@pytest.mark.parametrize("copies", [2, 400])
def test_no_file_grows(copies):
    """A table that a chain computes from small constants stays a chain; small results become weights."""
    b = Builder()
    table = b.op("Tile", b.op("Mul", b.random(16), b.random(16)), b.ints(copies))
    before = b.model({"x": [1]}, {b.op("Add", b.op("Neg", table), "x"): [16 * copies]})
    after, _ = _simplify(before, "default")
    assert types(after) == (["Add"] if copies == 2 else ["Tile", "Neg", "Add"])
    assert after.ByteSize() <= before.ByteSize() + 200
    want, got = (next(iter(run(proto, {"x": image(1)}).values())) for proto in (before, after))
    np.testing.assert_allclose(got, want, rtol=1e-6)
