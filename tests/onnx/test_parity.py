# SPDX-License-Identifier: Apache-2.0
"""The comparison of nodes with onnx's reference: good models pass, also where the reference is wrong."""

from __future__ import annotations

import numpy as np
import pytest

onnx = pytest.importorskip("onnx", reason="the extra onnx is not installed")
pytest.importorskip("onnxruntime", reason="ONNX Runtime is compared here")
pytest.importorskip("onnx_ir", reason="the extra onnx is not installed")

import onnx_ir as ir  # noqa: E402
from onnx.reference.op_run import OpRun  # noqa: E402

from ascend_vision_ops.onnx import parity  # noqa: E402
from benchmarks.onnx_models import Builder  # noqa: E402
from tests.onnx.oracle import image  # noqa: E402


def verdicts(make, x: np.ndarray, opset: int = 17) -> list[parity.NodeVerdict]:
    b = Builder()
    out = make(b)
    proto = b.model({"x": list(x.shape)}, {out: [None] * x.ndim}, opset)
    return list(parity.compare_nodes(ir.from_proto(proto), {"x": x}))


def _norm(b):
    return b.op("BatchNormalization", "x", *(b.weight(np.float32([0.5, 1, 2])) for _ in range(4)))


@pytest.mark.parametrize(
    ("make", "opset", "why"),
    [
        (lambda b: b.op("Softmax", "x", axis=1), 11, "flatten the axes"),
        (_norm, 9, "those of training"),
        (lambda b: b.op("LRN", "x", size=3, alpha=0.5), 13, "the window along channels"),
    ],
)
def test_a_node_that_the_reference_computes_wrongly(make, opset, why):
    (verdict,) = verdicts(make, image(2, 3, 4, 5), opset)
    assert verdict.verdict == "not compared" and why in verdict.message and verdict.max_error == 0


def test_the_same_node_where_the_reference_is_right():
    (verdict,) = verdicts(lambda b: b.op("Softmax", "x", axis=1), image(2, 3, 4, 5), 13)
    assert verdict.verdict in ("equal", "near")


def test_a_mask_that_nothing_uses():
    """Up to version 9, the mask of a Dropout is of another type in the reference."""
    found = verdicts(lambda b: b.op("Neg", b.op("Dropout", "x", outputs=2)[0]), image(2, 3), 7)
    assert [item.verdict for item in found] == ["equal", "equal"]


def test_sequences_are_compared_tensor_by_tensor():
    def make(b):
        sequence = b.op("SequenceInsert", b.op("SequenceConstruct", "x", b.op("Neg", "x")), "x")
        return b.op("ConcatFromSequence", sequence, axis=0)

    found = verdicts(make, image(2, 3))
    assert [(item.op_type, item.verdict) for item in found] == [
        (name, "equal") for name in ("Neg", "SequenceConstruct", "SequenceInsert", "ConcatFromSequence")
    ]


class Swapped(OpRun):
    """A wrong SequenceConstruct, which swaps its tensors, or leaves the last one out."""

    op_domain = ""
    last = 0

    def _run(self, *tensors):
        return ([*tensors[1:], *tensors[: self.last]],)


@pytest.mark.parametrize(
    ("last", "message"), [(1, "6 of 6 elements wrong"), (0, "a sequence of 2 tensors, expected 1")]
)
def test_a_wrong_sequence_is_found(monkeypatch, last, message):
    wrong = type("SequenceConstruct", (Swapped,), {"last": last})
    monkeypatch.setattr(parity, "reference_ops", lambda: [wrong])

    def make(b):
        return b.op("ConcatFromSequence", b.op("SequenceConstruct", "x", b.op("Neg", "x")), axis=0)

    (found,) = [item for item in verdicts(make, image(2, 3)) if item.op_type == "SequenceConstruct"]
    assert found.verdict == "wrong" and message in found.message


SMALL = np.linspace(-20, -10, 4001, dtype=np.float32).reshape(1, -1)


class Other(OpRun):
    """A function whose results are off by more than the rounding of 1."""

    op_domain = ""

    def _run(self, x):
        return ((1 / (1 + np.exp(-x.astype(np.float64))) + 2e-6).astype(np.float32),)


def test_small_results_of_a_function_are_judged_by_its_range(monkeypatch):
    """ONNX Runtime computes Sigmoid to about 1e-7, where it is 1e-7 itself."""
    assert verdicts(lambda b: b.op("Sigmoid", "x"), SMALL)[0].verdict in ("equal", "near")
    monkeypatch.setattr(parity, "reference_ops", lambda: [type("Sigmoid", (Other,), {})])
    assert verdicts(lambda b: b.op("Sigmoid", "x"), SMALL)[0].verdict == "wrong"


def test_small_results_of_other_nodes_are_not():
    """Exp has no range, so that 2e-6 at 1e-7 is a fault."""
    monkey = pytest.MonkeyPatch()
    monkey.setattr(parity, "reference_ops", lambda: [type("Exp", (Other,), {})])
    try:
        assert verdicts(lambda b: b.op("Exp", "x"), SMALL)[0].verdict == "wrong"
    finally:
        monkey.undo()


def test_equal_results_are_not_widened(monkeypatch):
    """A comparison in float64 of all weights of AlexNet takes longer than the network."""

    def never(*_):
        raise AssertionError("compared in float64")

    monkeypatch.setattr(parity, "compare", never)
    assert verdicts(lambda b: b.op("Relu", "x"), image(2, 3))[0].verdict == "equal"
