# SPDX-License-Identifier: Apache-2.0
"""The check of passes: it takes differences that rounding gives, and finds those that a fault makes."""

from __future__ import annotations

import numpy as np
import pytest

onnx = pytest.importorskip("onnx", reason="the extra onnx is not installed")
pytest.importorskip("onnxruntime", reason="ONNX Runtime is the oracle here")
pytest.importorskip("onnxscript", reason="the extra onnx is not installed")

import onnx_ir as ir  # noqa: E402
from onnx import TensorProto  # noqa: E402

from ascend_vision_ops.cli import main  # noqa: E402
from ascend_vision_ops.onnx import passes  # noqa: E402
from benchmarks.onnx_models import Builder  # noqa: E402


class Scales(passes.NodePass):
    """Multiplies the constant of each Mul with a factor, as a pass that rounds (or errs) would."""

    name, summary, op_types, tolerance = "scales", "another constant", frozenset({"Mul"}), passes.ROUNDED
    factor = 1.0

    def applies(self, node, model):
        return not node.metadata_props

    def transform(self, node, model):
        node.metadata_props["done"] = "yes"
        value = node.inputs[1]
        value.const_value = ir.tensor(value.const_value.numpy() * np.float32(self.factor))


def _difference(factor: float) -> str:
    """A model whose output is what rounding leaves of two equal numbers, after a pass that errs by a factor."""
    b = Builder()
    large = b.op("Div", "x", b.weight(np.float32(1e-4)))
    product = b.op("Mul", large, b.weight(np.float32(1.3)))
    y = b.op("Sub", product, b.op("Add", large, b.op("Div", large, b.weight(np.float32(1 / 0.3)))))
    model = ir.from_proto(b.model({"x": [1, 50]}, {y: [1, 50]}))
    scales = Scales()
    scales.factor = factor
    return passes.Manager([scales], passes.Checker(1)).run_once(model).row("scales").check


def test_a_difference_that_is_as_large_as_rounding_is_taken():
    assert _difference(1 + 2**-23).endswith("as rounding of the input gives")


def test_a_fault_in_the_same_model_is_found_and_named():
    with pytest.raises(passes.CheckFailed) as caught:
        _difference(1.001)
    text = str(caught.value)
    assert "pass scales changed output" in text and "the first tensor that is off is 'mul1'" in text
    assert "rounding steps change it by" in text and "leave the pass out of --passes" in text


def _rate(tmp_path):
    """A model that takes one sampling rate only, as voice detectors do."""
    b = Builder()
    known = b.op("Cast", b.op("Equal", "sr", b.weight(np.int64(16000))), to=TensorProto.FLOAT)
    y = b.op("Mul", b.op("Identity", "x"), known)
    onnx.save(
        b.model({"x": [None, None], "sr": (TensorProto.INT64, [])}, {y: [None, None]}), tmp_path / "m.onnx"
    )
    return str(tmp_path / "m.onnx")


def test_literal_inputs(tmp_path, capsys):
    path = _rate(tmp_path)
    for rate, largest in ((16000, True), (8000, False)):
        assert (
            main(["onnx", "run", path, "--input", f"sr={rate}", "--input", "x=3x5", "-o", str(tmp_path)]) == 0
        )
        made = np.load(next(tmp_path.glob("mul*.npy")))
        assert made.shape == (3, 5) and bool(made.any()) == largest
    assert main(["onnx", "simplify", path, "--input", "sr=16000", "--input", "x=3x5"]) == 0
    assert "compared on 1 input by ONNX Runtime" in capsys.readouterr().out
    assert main(["onnx", "simplify", path, "--input", "sr=often"]) == 1
    assert (
        "--input sr: expected FILE.npy, a shape as 1x3x64x64 or numbers of type int64, got 'often'"
        in capsys.readouterr().err
    )


def test_what_cannot_be_made_up_is_said(tmp_path, capsys):
    b = Builder()
    proto = b.model({"x": [2]}, {b.op("Relu", b.op("Identity", "x")): [2]})
    proto.graph.input[0].type.tensor_type.ClearField("shape")
    onnx.save(proto, tmp_path / "m.onnx")
    assert main(["onnx", "simplify", str(tmp_path / "m.onnx")]) == 0
    assert "nothing was checked: input 'x' has no shape" in capsys.readouterr().out
    assert main(["onnx", "simplify", str(tmp_path / "m.onnx"), "--input", "x=1,2"]) == 0
    assert "nothing was checked" not in capsys.readouterr().out
