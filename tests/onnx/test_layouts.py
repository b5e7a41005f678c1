# SPDX-License-Identifier: Apache-2.0
"""Passes on the ends of detectors: how they lay out scores and boxes, and the tables of anchors that they compute."""

from __future__ import annotations

import numpy as np
import pytest

onnx = pytest.importorskip("onnx", reason="the extra onnx is not installed")
pytest.importorskip("onnxruntime", reason="ONNX Runtime is the oracle here")
pytest.importorskip("onnxscript", reason="the extra onnx is not installed")

import onnx_ir as ir  # noqa: E402

from ascend_vision_ops.onnx import files, passes  # noqa: E402
from benchmarks.onnx_models import Builder  # noqa: E402
from tests.onnx.oracle import image, run, types  # noqa: E402
from tests.onnx.simplified import simplified  # noqa: E402


def _same(before: onnx.ModelProto, after: onnx.ModelProto, feed: dict[str, np.ndarray]) -> None:
    (want,), (got,) = (list(run(proto, feed).values()) for proto in (before, after))
    np.testing.assert_array_equal(got, want)


def _permuted(batch: int | str, split, perm, end) -> onnx.ModelProto:
    b = Builder()
    y = b.op("Transpose", b.op("Reshape", "x", b.ints(*split)), perm=perm)
    y = b.op("Sigmoid", b.op("Reshape", y, b.ints(*end)))
    return b.model({"x": [batch, 12, 6, 10]}, {y: [None] * len(end)})


# Shapes that Reshape makes of (N, 12, 6, 10), the order of Transpose, the last shape.
TOGETHER = {
    "boxes of anchors": ([0, 3, 4, 6, 10], [0, 3, 4, 1, 2], [0, -1, 4]),
    "one score for each anchor": ([0, 12, 1, 6, 10], [0, 3, 4, 1, 2], [0, -1, 1]),
}
APART = {
    "windows": ([0, 12, 2, 3, 2, 5], [0, 1, 2, 4, 3, 5], [0, -1, 15]),
    "pixels out of channels": ([0, 3, 2, 2, 6, 10], [0, 1, 4, 2, 5, 3], [0, 3, -1, 20]),
    "channels in another order": ([0, 3, 4, 6, 10], [0, 2, 1, 3, 4], [0, 12, -1, 10]),
    "axes that are merged": ([0, 12, 60], [0, 2, 1], [0, -1, 24]),
}


@pytest.mark.parametrize("batch", [2, "n"])
@pytest.mark.parametrize("case", TOGETHER)
def test_reshape_before_transpose_goes_away(case, batch):
    before = _permuted(batch, *TOGETHER[case])
    after, report = simplified(before)
    assert types(after) == ["Transpose", "Reshape", "Sigmoid"]
    assert report.row("fuse_transposes").applied == 1
    _same(before, after, {"x": image(2, 12, 6, 10)})


@pytest.mark.parametrize("case", APART)
def test_reshape_that_transpose_takes_apart_stays(case):
    before = _permuted("n", *APART[case])
    after, report = simplified(before)
    assert types(after) == ["Reshape", "Transpose", "Reshape", "Sigmoid"]
    assert report.row("fuse_transposes").applied == 0
    _same(before, after, {"x": image(2, 12, 6, 10)})


def test_reshape_that_others_read_stays():
    b = Builder()
    parts = b.op("Reshape", "x", b.ints(0, 3, 4, 6))
    y = b.op("Reshape", b.op("Transpose", parts, perm=[0, 3, 1, 2]), b.ints(0, -1, 4))
    before = b.model({"x": [2, 12, 6]}, {y: [2, 18, 4], b.op("Neg", parts): [2, 3, 4, 6]})
    after, report = simplified(before)
    assert types(after).count("Reshape") == 2
    assert "has 2 users" in report.row("fuse_transposes").refused[0]


@pytest.mark.parametrize(
    ("shape", "axis"), [((5, 1), 2), ((5, 1), 1), ((1, 7), 0), ((2, 1, 4), -2), ((4, 3), 2)]
)
def test_stacks_beside_an_axis_of_one_element(shape, axis):
    """torch.stack of three parts; without such an axis all nodes stay."""
    b = Builder()
    parts = [b.op("Unsqueeze", b.op(kind, "x"), b.ints(axis)) for kind in ("Neg", "Abs", "Exp")]
    joined = b.op("Concat", *parts, axis=axis)
    before = b.model({"x": list(shape)}, {joined: None})
    after, _ = simplified(before)
    fused = types(after).count("Unsqueeze") == 1
    assert fused == (1 in shape)
    assert len(after.graph.node) == (5 if fused else 7)
    _same(before, after, {"x": image(*shape)})


def test_stack_and_view_become_one_concat():
    """Boxes out of columns: torch.stack((a, b), dim=2).flatten(1)."""
    b = Builder()
    parts = [b.op("Unsqueeze", b.op(kind, "x"), b.ints(2)) for kind in ("Neg", "Abs")]
    y = b.op("Reshape", b.op("Concat", *parts, axis=2), b.ints(-1, 2))
    before = b.model({"x": ["n", 1]}, {b.op("Relu", y): ["n", 2]})
    after, _ = simplified(before)
    assert types(after) == ["Neg", "Abs", "Concat", "Relu"]
    _same(before, after, {"x": image(6, 1)})


def test_slices_with_steps_that_take_one_element_each_are_a_split():
    b = Builder()
    ends = b.ints(np.iinfo(np.int64).max)
    columns = [b.op("Slice", "x", b.ints(place), ends, b.ints(1), b.ints(4)) for place in range(4)]
    before = b.model({"x": ["n", 4]}, {b.op("Sub", b.op("Mul", *columns[:2]), b.op("Exp", columns[3])): None,
                                       b.op("Neg", columns[2]): None})  # fmt: skip
    after, _ = simplified(before)
    assert types(after) == ["Split", "Mul", "Exp", "Sub", "Neg"]
    for want, got in zip(
        *(run(proto, {"x": image(5, 4)}).values() for proto in (before, after)), strict=True
    ):
        np.testing.assert_array_equal(got, want)


def test_slices_with_steps_over_more_elements_stay():
    b = Builder()
    ends = b.ints(np.iinfo(np.int64).max)
    columns = [b.op("Slice", "x", b.ints(place), ends, b.ints(1), b.ints(4)) for place in range(4)]
    before = b.model({"x": ["n", 8]}, {b.op("Concat", *columns, axis=1): ["n", 8]})
    after, _ = simplified(before)
    assert types(after) == ["Slice"] * 4 + ["Concat"]
    _same(before, after, {"x": image(5, 8)})


# --- files ------------------------------------------------------------------------------------------------------------


def _tables(sizes: list[int]) -> onnx.ModelProto:
    """Tables of these numbers of rows that nodes compute, added to inputs, and nodes that go away."""
    b = Builder()
    inputs, outputs = {}, {}
    for index, size in enumerate(sizes):
        x, table = f"x{index}", b.op("Expand", b.random(10), b.ints(size, 10))
        inputs[x] = [size, 10]
        outputs[b.op("Add", b.op("Neg", table), x)] = [size, 10]
    y = "x0"
    for _ in range(60):
        y = b.op("Identity", y)
    outputs[b.op("Relu", y)] = [sizes[0], 10]
    return b.model(inputs, outputs)


@pytest.mark.parametrize("sizes", [[90, 20, 10], [10, 20, 90], [40], [400]])
def test_what_folding_adds_is_not_more_than_what_goes_away(sizes, tmp_path):
    """The smallest results come first, wherever they stand in the graph, as long as they fit in what was saved."""
    before = _tables(sizes)
    model = ir.from_proto(before)
    passes.simplify(model)
    files.save(model, tmp_path / "after.onnx")
    assert (tmp_path / "after.onnx").stat().st_size <= before.ByteSize()
    after = ir.to_proto(model)
    left = [node for node in after.graph.node if node.op_type == "Expand"]
    assert len(left) == sum(size > 50 for size in sizes)


def test_a_constant_that_is_divided_counts_once(tmp_path):
    """A Split of a weight gives no more room than the weight has, whatever the number of its parts."""
    b = Builder()
    parts = b.op("Split", b.random(64, 10), b.ints(16, 16, 16, 16), outputs=4, axis=0)
    sums = [b.op("Add", part, "y") for part in parts]
    table = b.op("Expand", b.random(10), b.ints(120, 10))
    outputs = {name: [16, 10] for name in sums} | {b.op("Add", table, "z"): [120, 10]}
    before = b.model({"y": [16, 10], "z": [120, 10]}, outputs)
    model = ir.from_proto(before)
    passes.simplify(model)
    files.save(model, tmp_path / "after.onnx")
    assert [node.op_type for node in model.graph].count("Expand") == 1
    assert (tmp_path / "after.onnx").stat().st_size <= before.ByteSize()


def test_tables_of_one_size_fold_in_their_order():
    """Two results with as many bytes: the first one gets the room."""
    model = ir.from_proto(_tables([60, 60]))
    passes.simplify(model)
    left = [node for node in model.graph if node.op_type in ("Expand", "Neg")]
    assert [node.outputs[0].name for node in left] == ["expand3", "neg4"]


def test_nodes_and_unused_outputs_without_a_name_get_none(tmp_path):
    """A name for each node of a model that has none would make its file larger."""
    nodes = [
        onnx.helper.make_node("LSTM", ["x", "w", "r"], ["", "h"], hidden_size=3),
        onnx.helper.make_node("Relu", ["h"], ["y"]),
    ]
    b = Builder()
    b.nodes = nodes
    b.weight(image(1, 12, 4), "w"), b.weight(image(1, 12, 3), "r")
    before = b.model({"x": [5, 2, 4]}, {"y": [1, 2, 3]})
    model = ir.from_proto(before)
    passes.simplify(model, checker=passes.Checker(1))
    files.save(model, tmp_path / "after.onnx")
    after = onnx.load(tmp_path / "after.onnx")
    assert [node.name for node in after.graph.node] == ["", ""]
    assert list(after.graph.node[0].output) == ["", "h"]
    assert after.ByteSize() <= before.ByteSize()
    _same(before, after, {"x": image(5, 2, 4)})


@pytest.mark.parametrize("count", [2, 40])
def test_a_shape_of_a_sequence_is_not_added(count):
    info = onnx.helper.make_tensor_sequence_value_info("s", onnx.TensorProto.FLOAT, None)
    nodes = [onnx.helper.make_node("SplitToSequence", ["x"], ["s"], axis=0, keepdims=0)]
    x = onnx.helper.make_tensor_value_info("x", onnx.TensorProto.FLOAT, [count, 3])
    graph = onnx.helper.make_graph(nodes, "g", [x], [info])
    before = onnx.helper.make_model(graph, opset_imports=[onnx.helper.make_opsetid("", 17)], ir_version=8)
    after, _ = simplified(before)
    assert after.ByteSize() <= before.ByteSize()
