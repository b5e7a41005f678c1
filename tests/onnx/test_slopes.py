# SPDX-License-Identifier: Apache-2.0
"""PRelu with slopes that need no PRelu, and factors that pass an activation on their way to a convolution."""

from __future__ import annotations

import numpy as np
import pytest

onnx = pytest.importorskip("onnx", reason="the extra onnx is not installed")
pytest.importorskip("onnxruntime", reason="ONNX Runtime is the oracle here")
pytest.importorskip("onnxscript", reason="the extra onnx is not installed")

import onnx_ir as ir  # noqa: E402
from onnx import TensorProto, numpy_helper  # noqa: E402

from ascend_vision_ops.onnx import passes  # noqa: E402
from benchmarks.onnx_models import Builder  # noqa: E402
from tests.onnx.oracle import image, run, types  # noqa: E402
from tests.onnx.simplified import simplified  # noqa: E402

KINDS = {
    "f4": TensorProto.FLOAT,
    "f8": TensorProto.DOUBLE,
    "f2": TensorProto.FLOAT16,
    "i4": TensorProto.INT32,
}


def prelu(slope, shape=(2, 4, 5, 6), opset=17, dims=None):
    b = Builder()
    slope = np.asarray(slope)
    y = b.op("PRelu", b.op("Neg", "x"), b.weight(slope))
    kind = KINDS[slope.dtype.str[1:]]
    dims = list(shape) if dims is None else dims
    return b.model({"x": (kind, dims)}, {b.op("Neg", y): (kind, dims)}, opset)


EQUAL = {
    "zeros": (np.zeros((4, 1, 1), "f4"), "Relu"),
    "zeros of float64": (np.zeros((4, 1, 1), "f8"), "Relu"),
    "one slope for each channel, all equal": (np.full((4, 1, 1), 0.25, "f4"), "LeakyRelu"),
    "negative": (np.full((4, 1, 1), -0.3, "f4"), "LeakyRelu"),
    "one": (np.full(1, 0.1, "f4"), "LeakyRelu"),
    "a scalar": (np.array(0.1, "f4"), "LeakyRelu"),
    "with an axis too many": (np.full((1, 4, 1, 1), 0.1, "f4"), "LeakyRelu"),
    "float64": (np.full((4, 1, 1), 0.1, "f8"), "PRelu"),
    "integers": (np.full((4, 1, 1), 3, "i4"), "PRelu"),
    "infinite": (np.full((4, 1, 1), np.inf, "f4"), "PRelu"),
}


@pytest.mark.parametrize("name", EQUAL)
def test_equal_slopes(name):
    slope, op_type = EQUAL[name]
    before = prelu(slope)
    after, _ = simplified(before)
    assert types(after) == ["Neg", op_type, "Neg"]
    if op_type == "PRelu":
        assert numpy_helper.to_array(after.graph.initializer[0]).shape == (1,)
    x = (10 * image(2, 4, 5, 6)).astype(slope.dtype)
    x.reshape(-1)[:4] = [0, -1, 1, 7]
    (want,), (got,) = (run(proto, {"x": x}).values() for proto in (before, after))
    assert np.array_equal(got, want, equal_nan=slope.dtype.kind == "f")


def test_slopes_of_1_are_nothing():
    after, _ = simplified(prelu(np.ones((4, 1, 1), "f4")))
    assert types(after) == ["Neg", "Neg"]


def test_unequal_slopes_stay():
    slope = np.float32([0.25, 0.25, 0.5, 0.25]).reshape(4, 1, 1)
    after, report = simplified(prelu(slope))
    assert types(after) == ["Neg", "PRelu", "Neg"] and report.row("simplify_prelu").applied == 0


def test_slopes_of_channels_without_axes():
    """Old exporters write (C,). By the standard it lies along the last axis, so that no runtime takes the model."""
    slope = np.float32([0, 0.5, -1, 2])
    before = prelu(slope)
    x = image(2, 4, 5, 6)
    with pytest.raises(Exception, match=r"broadcast|axis"):
        run(before, {"x": x})
    model = ir.from_proto(before)
    passes.Manager(passes.passes_of("fold_constants,simplify_prelu")).run_once(model)
    (got,) = run(ir.to_proto(model), {"x": x}).values()
    assert np.array_equal(got, -np.where(-x < 0, -x * slope.reshape(4, 1, 1), -x))


def test_slopes_along_the_last_axis_stay():
    slope = np.float32([0, 0.5, -1, 2])
    before = prelu(slope, (2, 4, 5, 4))
    after, _ = simplified(before)
    x = {"x": image(2, 4, 5, 4)}
    assert np.array_equal(*(next(iter(run(proto, x).values())) for proto in (before, after)))
    _, report = simplified(prelu(slope, dims=[2, 4, 5, "width"]), "simplify_prelu")
    assert report.row("simplify_prelu").refused == [
        "PRelu 'n1': the 4 slopes may lie along the channels or along the last axis, whose size is open"
    ]


def test_a_slope_that_is_no_constant():
    b = Builder()
    y = b.op("PRelu", "x", b.op("Abs", "slope"))
    proto = b.model({"x": [2, 4], "slope": [4]}, {y: [2, 4]})
    after, report = simplified(proto)
    assert types(after) == ["Abs", "PRelu"]
    assert report.row("simplify_prelu").refused == ["PRelu 'n1': slope 'abs0' is no constant"]


# --- factors that pass an activation ------------------------------------------------------------------------------

FACTOR = np.float32([0.5, 2, 3, 0.1]).reshape(4, 1, 1)


def activation(b, kind, x):
    return b.op(kind, x, *([b.random(4, 1, 1)] if kind == "PRelu" else []))


@pytest.mark.parametrize("kind", ["Relu", "LeakyRelu", "PRelu"])
@pytest.mark.parametrize("op_type", ["Mul", "Div"])
@pytest.mark.parametrize("place", ["behind", "before", "between"])
def test_positive_factors_pass_an_activation(kind, op_type, place):
    b = Builder()
    x = "x"
    if place != "before":
        x = b.conv(x, 4, 4)
    if place == "before":
        x = b.op(op_type, x, b.weight(FACTOR))
    x = activation(b, kind, x)
    if place != "before":
        x = b.op(op_type, x, b.weight(FACTOR))
    if place != "behind":
        x = b.conv(x, 4, 4)
    before = b.model({"x": [2, 4, 7, 8]}, {x: [2, 4, 7, 8]})
    after, _ = simplified(before)
    assert op_type not in types(after) and len(after.graph.node) == len(before.graph.node) - 1
    feeds = {"x": image(2, 4, 7, 8)}
    (want,), (got,) = (run(proto, feeds).values() for proto in (before, after))
    np.testing.assert_allclose(got, want, rtol=0, atol=2e-5 * np.abs(want).max())


KEPT = {
    "negative": (lambda b, x: b.op("Mul", b.op("Relu", x), b.weight(-FACTOR)), "is not positive"),
    "another activation": (lambda b, x: b.op("Mul", b.op("Sigmoid", x), b.weight(FACTOR)), None),
    "sum": (lambda b, x: b.op("Add", b.op("Relu", x), b.weight(FACTOR)), None),
    "slopes of the tensor itself": (lambda b, x: b.op("Mul", b.op("PRelu", x, x), b.weight(FACTOR)), None),
}


@pytest.mark.parametrize("name", KEPT)
def test_what_does_not_pass_an_activation(name):
    make, reason = KEPT[name]
    b = Builder()
    before = b.model({"x": [2, 4, 7, 8]}, {make(b, b.conv("x", 4, 4)): [2, 4, 7, 8]})
    after, report = simplified(before)
    assert types(after) == types(before)
    refused = " ".join(report.row("fuse_conv_affine").refused)
    assert (reason or "") in refused and bool(reason) == bool(refused)
    feeds = {"x": image(2, 4, 7, 8)}
    assert np.array_equal(*(next(iter(run(proto, feeds).values())) for proto in (before, after)))


def test_an_activation_with_two_users():
    b = Builder()
    y = b.op("Relu", b.conv("x", 4, 4))
    out = b.op("Add", b.op("Mul", y, b.weight(FACTOR)), y)
    before = b.model({"x": [2, 4, 7, 8]}, {out: [2, 4, 7, 8]})
    after, report = simplified(before)
    assert types(after) == types(before)
    assert "has 2 users" in report.row("fuse_conv_affine").refused[0]
