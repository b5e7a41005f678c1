# SPDX-License-Identifier: Apache-2.0
"""Compares folding with numbers that are not ours: ONNX's cases with constant inputs, and published networks."""

from __future__ import annotations

import collections

import numpy as np
import pytest

onnx = pytest.importorskip("onnx", reason="the extra onnx is not installed")
pytest.importorskip("onnxruntime", reason="ONNX Runtime is the oracle here")
pytest.importorskip("onnxscript", reason="the extra onnx is not installed")

import onnx_ir as ir  # noqa: E402
from onnx import numpy_helper  # noqa: E402
from onnx.backend.test.loader import load_model_tests  # noqa: E402

from ascend_vision_ops.onnx import passes  # noqa: E402
from ascend_vision_ops.onnx.files import save  # noqa: E402
from benchmarks import onnx_models as models  # noqa: E402

# Their expected numbers are published with four digits.
FOUR_DIGITS = {"test_gridsample_bicubic", "test_roialign_aligned_false", "test_roialign_aligned_true"}


def constant_cases():
    """Gives published cases of numeric tensors: name, the model with its inputs as weights, and the results."""
    for case in load_model_tests(kind="node"):
        if case.model is None or case.name.endswith("_expanded"):  # the same as the function's body
            continue
        inputs, outputs = case.data_sets[0]
        arrays = [*inputs, *outputs]
        if not all(isinstance(array, np.ndarray) and array.dtype.kind in "biuf" for array in arrays):
            continue
        proto = onnx.ModelProto()
        proto.CopyFrom(case.model)
        names = [value.name for value in proto.graph.input]
        if len(names) != len(inputs):
            continue
        proto.graph.initializer.extend(
            numpy_helper.from_array(a, n) for n, a in zip(names, inputs, strict=True)
        )
        del proto.graph.input[:]
        for output in proto.graph.output:
            passed = f"{output.name}_passed"
            proto.graph.node.append(onnx.helper.make_node("Identity", [output.name], [passed]))
            output.name = passed
        yield case.name, proto, outputs


def test_published_cases_fold_to_what_is_published():
    found, wrong = collections.Counter(), []
    for name, proto, outputs in constant_cases():
        model = ir.from_proto(proto)
        passes.Manager(passes.passes_of("fold_constants")).run_once(model)
        for value, want in zip(model.graph.outputs, outputs, strict=True):
            tensor = value.producer().inputs[0].const_value
            found["folded" if tensor is not None else "left"] += 1
            if tensor is None:
                continue
            got, digits = tensor.numpy(), 5e-4 if name in FOUR_DIGITS else 0.0
            same = got.dtype == want.dtype and got.shape == want.shape
            if not same or not np.allclose(got, want, rtol=1e-5 + digits, atol=1e-6 + digits, equal_nan=True):
                wrong.append(name)
    assert wrong == []
    # What is left has more results than constants, is random, quantised, or nothing here computes it as published.
    assert found["folded"] > 1000 and found["folded"] > 3 * found["left"]


@pytest.mark.parametrize(("name", "before", "after"), [("squeezenet", 105, 84), ("shufflenet", 446, 194)])
def test_published_networks(name, before, after, tmp_path):
    """Nodes make the weights of these files. Large ones stay nodes, since no file grows."""
    proto = models.published(name)
    model = ir.from_proto(proto)
    report = passes.simplify(model, checker=passes.Checker(1))
    onnx.checker.check_model(ir.to_proto(model), full_check=True)
    assert (report.nodes_before, report.nodes_after) == (before, after)
    save(model, tmp_path / "after.onnx")
    assert (tmp_path / "after.onnx").stat().st_size <= proto.ByteSize()
    assert {row.check for row in report.rows} <= {"", "equal"} or name == "shufflenet"
    assert not any(row.check == "not checked" for row in report.rows)


@pytest.mark.parametrize("op_type", ["Max", "Min", "Sum", "Mean", "Concat"])
def test_of_one_input(op_type):
    b = models.Builder()
    attributes = {"axis": 0} if op_type == "Concat" else {}
    model = ir.from_proto(b.model({"x": [2]}, {b.op("Relu", b.op(op_type, "x", **attributes)): [2]}))
    assert passes.simplify(model).nodes_after == 1


def test_what_another_model_saved_is_no_room_for_this_one():
    """A list of passes that is used again: the second model would grow by what the first one lost."""
    b = models.Builder()
    y = "x"
    for _ in range(200):
        y = b.op("Identity", b.op("Relu", y))
    first = ir.from_proto(b.model({"x": [2]}, {y: [2]}))
    b = models.Builder()
    table = b.op("Expand", b.weight(np.arange(50, dtype=np.float32)), b.ints(40, 50))
    proto = b.model({"x": [40, 50]}, {b.op("Add", "x", table): [40, 50]})
    second = ir.from_proto(proto)
    manager = passes.Manager(passes.passes_of("default"))
    assert manager.run_to_fixed_point(first).nodes_after == 1
    manager.run_to_fixed_point(second)
    assert [node.op_type for node in second.graph] == ["Expand", "Add"]
