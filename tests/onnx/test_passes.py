# SPDX-License-Identifier: Apache-2.0
"""Passes over graphs that exporters write. ONNX Runtime and onnx's checker say whether the graphs still mean the
same.
"""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

onnx = pytest.importorskip("onnx", reason="the extra onnx is not installed")
ort = pytest.importorskip("onnxruntime", reason="ONNX Runtime is the oracle here")
pytest.importorskip("onnxscript", reason="the extra onnx is not installed")

import onnx_ir as ir  # noqa: E402
from onnx import TensorProto, helper  # noqa: E402

from ascend_vision_ops.onnx import passes  # noqa: E402
from benchmarks import onnx_models as models  # noqa: E402
from benchmarks.onnx_models import FLOAT, Builder  # noqa: E402


def run(proto: onnx.ModelProto, feeds: dict) -> list[np.ndarray]:
    """Runs the unchanged graph in ONNX Runtime."""
    options = ort.SessionOptions()
    options.graph_optimization_level = ort.GraphOptimizationLevel.ORT_DISABLE_ALL
    options.log_severity_level = 4
    session = ort.InferenceSession(proto.SerializeToString(), options, providers=["CPUExecutionProvider"])
    return session.run(None, feeds)


def apply(proto: onnx.ModelProto, text: str, once: bool = False):
    """Applies passes and gives the model, which onnx's checker accepts, and the report."""
    model = ir.from_proto(proto)
    manager = passes.Manager(passes.passes_of(text))
    report = manager.run_once(model) if once else manager.run_to_fixed_point(model)
    made = ir.to_proto(model)
    onnx.checker.check_model(made, full_check=True)
    return made, report


def types(proto: onnx.ModelProto) -> list[str]:
    return [node.op_type for node in proto.graph.node]


def image(*shape: int, seed: int = 0) -> np.ndarray:
    return np.random.default_rng(seed).standard_normal(shape).astype(np.float32)


def assert_same(before: onnx.ModelProto, after: onnx.ModelProto, feeds: dict, largest: float = 0.0) -> None:
    """Demands equal results, or a difference of at most `largest` times the largest element, because a fused
    convolution adds in another order."""
    for want, got in zip(run(before, feeds), run(after, feeds), strict=True):
        assert got.dtype == want.dtype and got.shape == want.shape
        np.testing.assert_allclose(got, want, rtol=0, atol=largest * np.abs(want).max(initial=0))


# --- the preset --------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("batch", [2, "n"])
def test_convnet_loses_all_that_is_no_work(batch):
    before = models.convnet(batch)
    after, report = apply(before, "default")
    expected = [
        "Conv",
        "Relu",
        "Conv",
        "Relu",
        "Conv",
        "Add",
        "PRelu",
        "ConvTranspose",
        "GlobalAveragePool",
        "Reshape",
        "Gemm",
    ]
    assert types(after) == expected
    assert (report.nodes_before, report.nodes_after) == (23, 11)
    for size in (2,) if batch == 2 else (1, 2, 5):
        assert_same(before, after, {"image": image(size, 3, 16, 16)}, 2e-5)


@pytest.mark.parametrize("batch", [1, 3, "batch"])
def test_shape_glue_goes(batch):
    before = models.shape_glue(batch)
    after, _ = apply(before, "default")
    glue = {"Gather", "Unsqueeze", "Shape", "Concat"}
    left = [kind for kind in types(after) if kind in glue]
    # With an open batch, one Expand to it is left, and the nodes that compute its target.
    assert left == ([] if batch != "batch" else left) and len(left) <= 6
    for size in (1, 4) if batch == "batch" else (batch,):
        assert_same(before, after, {"x": image(size, 16, 6, 6)})


def test_open_batch_becomes_zero_or_minus_one():
    after, report = apply(models.shape_glue(), "default")
    assert report.row("shape_glue").applied == 4
    weights = {item.name: onnx.numpy_helper.to_array(item).tolist() for item in after.graph.initializer}
    targets = [weights[node.input[1]] for node in after.graph.node if node.op_type == "Reshape"]
    assert targets == [[0, 16, -1], *[[0, 0, 4, 4]] * 3, [0, 36, 16]] or all(
        target[0] == 0 for target in targets
    )


@pytest.mark.parametrize("name", ["convnet", "shape_glue", "focus", "chain"])
def test_a_second_run_finds_nothing(name):
    before = models.chain(5) if name == "chain" else getattr(models, name)()
    once, _ = apply(before, "default")
    twice, report = apply(once, "default")
    assert types(twice) == types(once)
    assert [row.applied for row in report.rows] == [0] * len(report.rows)


def test_no_worse_than_onnxsim():
    onnxsim = pytest.importorskip("onnxsim", reason="onnxsim is not installed")
    # shape_glue(1) is left out: onnxsim also turns three products of one input into one product and a Split.
    for before in (
        models.convnet(),
        models.convnet("n"),
        models.shape_glue(),
        models.focus(),
        models.chain(20),
    ):
        theirs, ok = onnxsim.simplify(before)
        after, _ = apply(before, "default")
        assert ok and len(after.graph.node) <= len(theirs.graph.node)


def test_torch_export_by_script():
    torch = pytest.importorskip("torch", reason="torch is not installed")
    import io
    import warnings

    class Net(torch.nn.Module):
        def __init__(self):
            super().__init__()
            self.conv = torch.nn.Conv2d(3, 4, 3, padding=1, bias=False)
            self.norm = torch.nn.BatchNorm2d(4)
            self.norm.running_mean.uniform_(-1, 1)
            self.norm.running_var.uniform_(0.5, 2)
            self.head = torch.nn.Linear(4 * 8 * 8, 5)

        def forward(self, x):
            x = torch.nn.functional.dropout(torch.relu(self.norm(self.conv(x))), training=self.training)
            n, c, h, w = x.shape
            x = x.view(n, c // 2, 2, h, w).transpose(1, 2).reshape(n, c, h, w)
            return self.head(x.view(x.size(0), -1))

    torch.manual_seed(0)
    net, file = Net().eval(), io.BytesIO()
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        torch.onnx.export(
            net, (torch.zeros(2, 3, 8, 8),), file, dynamo=False, opset_version=17, do_constant_folding=False,
            input_names=["x"], dynamic_axes={"x": {0: "n"}},
        )  # fmt: skip
    before = onnx.load_from_string(file.getvalue())
    after, _ = apply(before, "default")
    assert {"Shape", "Gather", "Unsqueeze", "Concat", "BatchNormalization"}.isdisjoint(types(after))
    x = image(3, 3, 8, 8)
    np.testing.assert_allclose(run(after, {"x": x})[0], net(torch.from_numpy(x)).detach().numpy(), atol=1e-5)


# --- folding -----------------------------------------------------------------------------------------------------


def test_folds_around_a_custom_node():
    before = models.detector()
    model = ir.from_proto(before)
    passes.simplify(model, "fold_constants,remove_dead")
    kinds = [node.op_type for node in model.graph]
    assert kinds.count("MMCVModulatedDeformConv2d") == kinds.count("NonMaxSuppression") == 1
    # The model states the size of the custom node's result.
    assert "Shape" not in kinds and "Unsqueeze" not in kinds


def test_scalars_stay_scalars_and_splits_fold():
    b = Builder()
    left, right = b.op("Split", b.weight(np.float32([1, 2, 3, 4])), axis=0, outputs=2)
    total = b.op("Add", b.op("Mul", left, right), b.op("ReduceSum", left, keepdims=0))
    out = b.op("Add", "x", b.op("Mul", total, b.op("Cast", b.op("Size", "x"), to=FLOAT)))
    before = b.model({"x": [3, 2]}, {out: [3, 2]})
    after, _ = apply(before, "default")
    assert types(after) == ["Add"]
    assert_same(before, after, {"x": image(3, 2)})


def test_random_numbers_are_not_folded():
    b = Builder()
    noise = b.op("RandomNormalLike", b.random(2, 2), dtype=FLOAT, seed=1.0)
    before = b.model({"x": [2, 2]}, {b.op("Add", "x", noise): [2, 2]})
    after, _ = apply(before, "default")
    assert types(after) == ["RandomNormalLike", "Add"]


def test_quantised_weights_keep_their_scales():
    b = Builder()
    weight = b.op(
        "DequantizeLinear", b.weight(np.int8([[1, 2]])), b.weight(np.float32(0.5)), b.weight(np.int8(0))
    )
    after, _ = apply(b.model({"x": [1, 2]}, {b.op("Mul", "x", weight): [1, 2]}), "default")
    assert types(after) == ["DequantizeLinear", "Mul"]


def test_a_large_result_of_small_constants_is_not_stored():
    b = Builder()
    wide = b.op("Expand", b.random(1, 1), b.ints(2000, 2000))
    before = b.model({"x": [2000, 2000]}, {b.op("Add", "x", wide): [2000, 2000]})
    after, _ = apply(before, "default")
    assert types(after) == ["Expand", "Add"] and after.ByteSize() < 1000


def test_an_input_with_a_default_is_no_constant():
    b = Builder()
    b.weight(np.float32([2]), "scale")
    out = b.op("Mul", "x", b.op("Neg", "scale"))
    before = b.model({"x": [1], "scale": [1]}, {out: [1]})
    after, _ = apply(before, "default")
    assert types(after) == ["Neg", "Mul"]
    assert run(after, {"x": np.float32([1]), "scale": np.float32([5])})[0] == -5


def test_an_input_that_is_an_output_stays_one():
    b = Builder()
    out = b.op("Identity", "x")
    after, report = apply(b.model({"x": [1]}, {out: [1]}), "default")
    assert types(after) == ["Identity"]
    assert "output must be made" in report.row("remove_identity").refused[0]


def test_subgraphs_are_folded_too():
    b = Builder()
    inner = Builder()
    inner.weights = []
    double = inner.op(
        "Mul", inner.op("Identity", "x"), inner.op("Add", inner.weight(np.float32([1]), "i1"), "i1")
    )
    graph = helper.make_graph(
        inner.nodes, "then", [], [helper.make_tensor_value_info(double, FLOAT, [2])], inner.weights
    )
    other = helper.make_graph(
        [helper.make_node("Neg", ["x"], ["negated"])],
        "else",
        [],
        [helper.make_tensor_value_info("negated", FLOAT, [2])],
    )
    out = b.op("If", "flag", then_branch=graph, else_branch=other)
    before = b.model({"x": [2], "flag": (TensorProto.BOOL, [])}, {out: [2]})
    after, report = apply(before, "default")
    assert report.nodes_after == 3
    for flag in (True, False):
        assert_same(before, after, {"x": image(2), "flag": np.array(flag)})


# --- no-ops ------------------------------------------------------------------------------------------------------

NOOPS = {
    "x + 0": lambda b: b.op("Add", "x", b.weight(np.float32(0))),
    "0 + x": lambda b: b.op("Add", b.weight(np.zeros(4, np.float32)), "x"),
    "x - 0": lambda b: b.op("Sub", "x", b.weight(np.zeros((2, 3, 4), np.float32))),
    "x / 1": lambda b: b.op("Div", "x", b.weight(np.ones((1, 1), np.float32))),
    "cast": lambda b: b.op("Cast", "x", to=FLOAT),
    "transpose": lambda b: b.op("Transpose", "x", perm=[0, 1, 2]),
    "two transposes": lambda b: b.op("Transpose", b.op("Transpose", "x", perm=[1, 2, 0]), perm=[2, 0, 1]),
    "reshape": lambda b: b.op("Reshape", "x", b.ints(2, -1, 4)),
    "slice": lambda b: b.op("Slice", "x", b.ints(0), b.ints(99), b.ints(1)),
    "pad": lambda b: b.op("Pad", "x", b.ints(0, 0, 0, 0, 0, 0)),
    "concat": lambda b: b.op("Concat", "x", axis=1),
    "expand": lambda b: b.op("Expand", "x", b.ints(1, 3, 1)),
    "resize": lambda b: b.op("Resize", "x", "", b.weight(np.ones(3, np.float32))),
}
WORK = {
    "x + -0 widened": lambda b: b.op("Add", "x", b.weight(np.zeros((5, 1, 1, 1), np.float32))),
    "0 - x": lambda b: b.op("Sub", b.weight(np.float32(0)), "x"),
    "1 / x": lambda b: b.op("Div", b.weight(np.float32(1)), "x"),
    "reversed": lambda b: b.op("Slice", "x", b.ints(-1), b.ints(-99), b.ints(1), b.ints(-1)),
    "shifted": lambda b: b.op("Pad", "x", b.ints(0, 1, 0, 0, -1, 0)),
    "transpose": lambda b: b.op("Transpose", "x"),
    "cast": lambda b: b.op("Cast", "x", to=TensorProto.FLOAT16),
    "x + 0 and 1": lambda b: b.op("Add", "x", b.weight(np.float32([0, 0, 0, 1]))),
}  # fmt: skip


def _one(make) -> onnx.ModelProto:
    b = Builder()
    out = make(b)
    kind = (
        TensorProto.FLOAT16 if b.nodes[-1].op_type == "Cast" and b.nodes[-1].attribute[0].i == 10 else FLOAT
    )
    end = b.op("Cast", b.op("Relu", out), to=FLOAT) if kind != FLOAT else b.op("Relu", out)
    rank = 4 if "5" in str([list(w.dims) for w in b.weights]) else 3
    return b.model({"x": [2, 3, 4]}, {end: [5, 2, 3, 4] if rank == 4 else ["a", "b", "c"]})


@pytest.mark.parametrize("what", NOOPS)
def test_noops_go(what):
    before = _one(NOOPS[what])
    after, _ = apply(before, "default")
    assert types(after) == ["Relu"]
    assert_same(before, after, {"x": image(2, 3, 4)})


@pytest.mark.parametrize("what", WORK)
def test_what_works_stays(what):
    before = _one(WORK[what])
    after, _ = apply(before, "default")
    assert len(types(after)) == len(types(before))
    assert_same(before, after, {"x": image(2, 3, 4)})


# --- fusions -----------------------------------------------------------------------------------------------------


def test_two_norms_behind_shared_weights():
    b = Builder()
    weight, bias = b.random(4, 3, 3, 3), b.random(4)
    outs = [b.batch_norm(b.op("Conv", name, weight, bias), 4) for name in ("x", "y")]
    before = b.model({"x": [1, 3, 8, 8], "y": [1, 3, 6, 6]}, {outs[0]: [1, 4, 6, 6], outs[1]: [1, 4, 4, 4]})
    after, _ = apply(before, "default")
    assert types(after) == ["Conv", "Conv"]
    assert_same(before, after, {"x": image(1, 3, 8, 8), "y": image(1, 3, 6, 6)}, 2e-5)


@pytest.mark.parametrize("groups", [1, 2, 3])
def test_norm_behind_a_transposed_convolution(groups):
    b = Builder()
    y = b.op("ConvTranspose", "x", b.random(6, 2, 3, 3), strides=[2, 2], group=groups)
    before = b.model({"x": [2, 6, 5, 5]}, {b.batch_norm(y, 2 * groups): [2, 2 * groups, 11, 11]})
    after, _ = apply(before, "fuse_conv_bn,remove_dead")
    assert types(after) == ["ConvTranspose"]
    assert_same(before, after, {"x": image(2, 6, 5, 5)}, 2e-5)


def test_norms_of_half_precision_are_checked_as_such():
    b = Builder()
    half = {"x": (TensorProto.FLOAT16, [1, 3, 6, 6])}
    y = b.op("Conv", "x", b.weight(b.rng.standard_normal((4, 3, 3, 3)).astype(np.float16)))
    parts = [b.weight(np.abs(b.rng.standard_normal(4)).astype(np.float16)) for _ in range(4)]
    y = b.op("BatchNormalization", y, *parts)
    model = ir.from_proto(b.model(half, {y: (TensorProto.FLOAT16, [1, 4, 4, 4])}))
    report = passes.simplify(model, "fuse_conv_bn", passes.Checker(3))
    assert report.nodes_after == 1 and report.row("fuse_conv_bn").check.startswith("max error")


def test_a_convolution_that_is_used_twice_keeps_its_norm():
    b = Builder()
    y = b.conv("x", 3, 4)
    z = b.op("Add", b.batch_norm(y, 4), y)
    after, report = apply(b.model({"x": [1, 3, 8, 8]}, {z: [1, 4, 8, 8]}), "default")
    assert "BatchNormalization" in types(after)
    assert "2 users, expected one" in report.row("fuse_conv_bn").refused[0]


PADS = {
    "other number": ({"value": 1.0}, "another number than 0"),
    "mode": ({"mode": "reflect"}, "mode is reflect"),
    "channels": ({"pads": (0, 1, 0, 0, 0, 0, 0, 0), "channels": 4}, "batch or channels"),
    "negative": ({"pads": (0, 0, -1, 0, 0, 0, 0, 0)}, "negative"),
    "auto_pad": ({"conv": {"auto_pad": "SAME_UPPER"}}, "auto_pad is SAME_UPPER"),
}


def _padded(pads=(0, 0, 1, 2, 0, 0, 3, 0), value=0.0, mode="constant", channels=3, conv=None):
    b = Builder()
    x = b.op("Pad", "x", b.ints(*pads), b.weight(np.float32(value)), mode=mode)
    attributes = conv if conv is not None else {"pads": [1, 0, 0, 2], "strides": [2, 1]}
    y = b.op("Conv", x, b.random(4, channels, 3, 3), **attributes)
    return b.model({"x": [1, 3, 9, 9]}, {y: ["n", "c", "h", "w"]})


@pytest.mark.parametrize("axes", [False, True])
def test_padding_moves_into_the_convolution(axes):
    before = _padded()
    if axes:  # the same padding by axes, from operator set 18 on
        b = Builder()
        x = b.op("Pad", "x", b.ints(2, 1, 0, 3), "", b.ints(-1, 2))
        y = b.op("Conv", x, b.random(4, 3, 3, 3), pads=[1, 0, 0, 2], strides=[2, 1])
        before = b.model({"x": [1, 3, 9, 9]}, {y: ["n", "c", "h", "w"]}, opset=18)
    after, _ = apply(before, "fuse_pad_conv,remove_dead")
    assert types(after) == ["Conv"]
    assert list(next(a for a in after.graph.node[0].attribute if a.name == "pads").ints) == [2, 2, 3, 2]
    assert_same(before, after, {"x": image(1, 3, 9, 9)}, 1e-6)


@pytest.mark.parametrize("what", PADS)
def test_padding_that_is_not_the_convolutions_stays(what):
    arguments, reason = PADS[what]
    before = _padded(**arguments)
    after, report = apply(before, "default")
    assert "Pad" in types(after)
    assert reason in report.row("fuse_pad_conv").refused[0]


# --- rewrites for a target ---------------------------------------------------------------------------------------


def test_prelu_is_bit_equal():
    b = Builder()
    slope = np.float32([-2, -0.0, 0.0, 0.25, 1, 3e38, 1e-45])
    before = b.model({"x": [64, 7]}, {b.op("PRelu", "x", b.weight(slope)): [64, 7]})
    after, _ = apply(before, "prelu_to_relu")
    assert "PRelu" not in types(after)
    x = image(64, 7)
    x[:8] = np.float32([0.0, -0.0, np.inf, -np.inf, np.nan, 3e38, -3e38, -1e-45])[:, None]
    want, got = run(before, {"x": x})[0], run(after, {"x": x})[0]
    nan = np.isnan(want)
    assert np.array_equal(nan, np.isnan(got))
    # Only the sign of zero may differ: 0 + -0 is 0.
    assert np.array_equal(got[~nan], want[~nan])


def test_new_names_give_way_to_old_ones():
    b = Builder()
    b.nodes.append(helper.make_node("Relu", ["x"], ["prelu1_slope"], name="n0"))
    before = b.model({"x": [2, 3]}, {b.op("PRelu", "prelu1_slope", b.weight(np.float32([0.1]))): [2, 3]})
    model = ir.from_proto(before)
    passes.simplify(model, "prelu_to_relu", passes.Checker(1))
    after = ir.to_proto(model)
    onnx.checker.check_model(after, full_check=True)
    assert_same(before, after, {"x": image(2, 3)})


@pytest.mark.parametrize(("slope", "reason"), [(np.float32([np.inf]), "not finite"), (None, "no constant")])
def test_prelu_refuses(slope, reason):
    b = Builder()
    inputs = {"x": [2, 1]} | ({"slope": [1]} if slope is None else {})
    name = "slope" if slope is None else b.weight(slope)
    _, report = apply(b.model(inputs, {b.op("PRelu", "x", name): [2, 1]}), "prelu_to_relu")
    assert reason in report.row("prelu_to_relu").refused[0]


ORDERS = [((0, 0), (1, 0), (0, 1), (1, 1)), ((1, 1), (0, 1), (0, 0), (1, 0))]


@pytest.mark.parametrize("order", ORDERS)
@pytest.mark.parametrize(
    "conv",
    [{"kernel": 3}, {"kernel": 1}, {"kernel": 3, "strides": [2, 1]}, {"kernel": 3, "pads": [0, 1, 2, 0]}],
)
@pytest.mark.parametrize("name", ["focus_to_conv", "focus_to_space_to_depth"])
def test_focus(name, conv, order):
    before = models.focus(order=order, **conv)
    after, report = apply(before, f"default,{name}")
    assert report.row(name).applied == 1 and "Slice" not in types(after)
    assert types(after)[0] == ("Conv" if name == "focus_to_conv" else "SpaceToDepth")
    assert_same(before, after, {"image": image(1, 3, 32, 32)}, 2e-5)


def test_focus_of_an_open_size():
    before = models.focus(size="s")
    after, _ = apply(before, "default,focus_to_conv")
    assert types(after) == ["Conv", "Sigmoid", "Mul"]
    for size in (8, 20):
        assert_same(before, after, {"image": image(1, 3, size, size)}, 2e-5)


def test_focus_refuses():
    _, report = apply(models.focus(dilations=[2, 2]), "focus_to_conv")
    assert "dilated" in report.row("focus_to_conv").refused[0]
    before = models.focus(
        order=((0, 0), (0, 0), (0, 1), (1, 1))
    )  # one phase appears twice, so this is no Focus
    after, report = apply(before, "focus_to_conv,focus_to_space_to_depth")
    assert types(after) == types(before)


# --- operator sets -----------------------------------------------------------------------------------------------


@pytest.mark.parametrize("version", [11, 13, 16, 18, 20])
def test_opset(version):
    before = models.shape_glue(2)
    if version < 15:
        _, report = apply(before, f"convert_opset={version}")
        reason = f"no way from 17 to {version}: No Adapter From Version $15 for Shape"
        assert report.row("convert_opset").refused == [reason]
        return
    after, _ = apply(before, f"convert_opset={version}")
    assert [(item.domain, item.version) for item in after.opset_import] == [("", version)]
    assert_same(before, after, {"x": image(2, 16, 6, 6)})


@pytest.mark.parametrize(
    "text", ["convert_opset", "convert_opset=x", "convert_opset=99", "set_batch=0", "set_batch"]
)
def test_arguments_that_make_no_sense(text):
    with pytest.raises(ValueError, match="expected"):
        passes.passes_of(text)


# --- the machinery -----------------------------------------------------------------------------------------------


class Oscillates(passes.GraphPass):
    """A pass that changes the graph every time."""

    name, summary = "oscillates", "adds and removes"

    def transform(self, model):
        return 1


class Wrong(passes.NodePass):
    """A deliberate fault, which the check of passes must find."""

    name, summary, op_types = "wrong", "x + 0.001 for Relu", frozenset({"Relu"})

    def applies(self, node, model):
        return not any(attribute for attribute in node.attributes)

    def transform(self, node, model):
        node.op_type = "LeakyRelu"
        node.attributes["alpha"] = ir.AttrFloat32("alpha", 1e-3)


class LosesAnOutput(passes.GraphPass):
    name, summary = "loses_an_output", "the first output goes"

    def transform(self, model):
        del model.graph.outputs[0]
        return 1


class DoesNotRun(passes.GraphPass):
    name, summary = "does_not_run", "a node without a type that anybody knows"

    def transform(self, model):
        model.graph[0].op_type = "Nonsense"
        return 1


@pytest.mark.parametrize(
    ("fault", "message"),
    [(Wrong, "pass wrong changed output"), (LosesAnOutput, "lost output"), (DoesNotRun, "does not run")],
)
def test_the_checker_finds_a_pass_that_breaks_numbers(fault, message):
    b = Builder()
    outputs = {b.op("Relu", "x"): [2, 5], b.op("Neg", "x"): [2, 5]}
    model = ir.from_proto(b.model({"x": [2, 5]}, outputs))
    with pytest.raises(passes.CheckFailed, match=message):
        passes.Manager([fault()], passes.Checker(1)).run_once(model)


def test_the_checker_names_the_place():
    b = Builder()
    model = ir.from_proto(b.model({"x": [1, 5]}, {b.op("Relu", "x"): [1, 5]}))
    with pytest.raises(
        passes.CheckFailed, match=r"of 5 elements wrong, first \[0, \d\]: got -0\.00\d+, expected 0"
    ):
        passes.Manager([Wrong()], passes.Checker(1)).run_once(model)


def test_a_fault_behind_a_custom_node_is_found():
    """Nothing here can run the custom node. Its stand-in passes on what changed before it."""
    model = ir.from_proto(models.detector())
    with pytest.raises(passes.CheckFailed, match="pass wrong changed"):
        passes.Manager([Wrong()], passes.Checker(1)).run_once(model)


def test_passes_that_never_rest_are_stopped():
    model = ir.from_proto(models.convnet())
    with pytest.raises(RuntimeError, match="still change the model: oscillates"):
        passes.Manager([Oscillates()]).run_to_fixed_point(model)


def test_once_and_to_a_fixed_point():
    proto = models.chain(3)
    _, once = apply(proto, "remove_dead,fold_constants", once=True)
    _, fixed = apply(proto, "remove_dead,fold_constants")
    assert once.rounds == 1 and once.row("remove_dead").applied == 0
    assert fixed.rounds == 3 and fixed.row("remove_dead").applied > 0


def test_the_registry():
    with pytest.raises(ValueError, match="two passes are called 'fold_constants'"):
        passes.register(type("Twin", (passes.GraphPass,), {"name": "fold_constants"}))
    with pytest.raises(ValueError, match="no pass 'fold'; there are"):
        passes.passes_of("fold")
    with pytest.raises(ValueError, match="takes no argument"):
        passes.passes_of("remove_dead=3")
    assert [item.name for item in passes.passes_of("default")] == list(passes.PRESETS["default"])
    assert all(cls.summary and cls.tolerance.why for cls in passes.REGISTRY.values())


def test_the_page_has_every_pass():
    page = (Path(__file__).parents[2] / "docs" / "onnx_passes.md").read_text(encoding="utf-8")
    rows = []
    for name, cls in sorted(passes.REGISTRY.items()):
        argument = f"={cls.argument}".replace("|", r"\|") if cls.argument else ""
        results = "exact" if str(cls.tolerance) == "exact" else f"{cls.tolerance.largest:g}"
        rows.append(f"| `{name}{argument}` | {cls.summary} | {results} |")
    assert "\n".join(rows) in page
    assert ",".join(passes.PRESETS["default"]) in page
