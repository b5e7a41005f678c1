# SPDX-License-Identifier: Apache-2.0
"""Passes that change what a caller sees: they set the batch, split parts off, or rename nodes for ATC."""

from __future__ import annotations

import numpy as np
import pytest

onnx = pytest.importorskip("onnx", reason="the extra onnx is not installed")
pytest.importorskip("onnxruntime", reason="ONNX Runtime is the oracle here")
pytest.importorskip("onnxscript", reason="the extra onnx is not installed")

import onnx_ir as ir  # noqa: E402

from ascend_vision_ops.onnx import nodes, passes  # noqa: E402
from ascend_vision_ops.onnx.flavours import ATC_OPERATORS, atc_name, atc_runs, from_atc_name  # noqa: E402
from benchmarks import onnx_models as models  # noqa: E402
from benchmarks.onnx_models import FLOAT, Builder  # noqa: E402
from tests.onnx.oracle import HAS_LIBRARY, image, run, shapes, types  # noqa: E402

needs_library = pytest.mark.skipif(not HAS_LIBRARY, reason="libavo_onnxruntime is not built")


def apply(proto: onnx.ModelProto, text: str, check: int = 0):
    model = ir.from_proto(proto)
    checker = passes.Checker(check) if check else None
    report = passes.Manager(passes.passes_of(text), checker).run_to_fixed_point(model)
    return ir.to_proto(model), report


def refusal(proto: onnx.ModelProto, text: str) -> str:
    after, report = apply(proto, text)
    untouched = ir.to_proto(ir.from_proto(proto)).graph
    for part in ("node", "input", "output"):
        assert list(getattr(after.graph, part)) == list(getattr(untouched, part))
    (reason,) = report.rows[0].refused
    return reason


# --- batch -------------------------------------------------------------------------------------------------------

NETS = {
    "convnet": (models.convnet, "image", (3, 16, 16)),
    "shape glue": (models.shape_glue, "x", (16, 6, 6)),
}


@pytest.mark.parametrize("new", [1, 3, 4, "dynamic"])
@pytest.mark.parametrize("old", [1, 2, "batch"])
@pytest.mark.parametrize("net", NETS)
def test_batch(net, old, new):
    make, name, rest = NETS[net]
    before = make(old)
    if (net, old, new) == ("shape glue", 2, "dynamic"):
        assert "makes a batch of 2 out of a constant: it cannot be open" in refusal(
            before, f"set_batch={new}"
        )
        return
    after, _ = apply(before, f"set_batch={new},default", check=1)
    onnx.checker.check_model(after, full_check=True)
    wanted = "batch" if new == "dynamic" else new
    assert [dims[0] for dims in shapes([*after.graph.input, *after.graph.output]).values()] == [wanted] * 2
    for size in (1, 2, 5) if new == "dynamic" else (new,):
        x = image(size, *rest)
        (got,) = run(after, {name: x}).values()
        # The unchanged model gets one image after the other; where it takes pairs, the last image comes twice.
        single = [
            run(before, {name: np.repeat(x[i : i + 1], 2 if old == 2 else 1, axis=0)}) for i in range(size)
        ]
        want = np.concatenate([next(iter(item.values()))[:1] for item in single])
        assert got.shape == want.shape
        np.testing.assert_allclose(got, want, rtol=0, atol=3e-5 * np.abs(want).max())


def test_batch_of_a_computed_target_with_a_literal_one():
    """In Concat(1, …) in front of Reshape, the 1 is the batch, although nothing says so."""
    before = models.chain(3)
    after, _ = apply(before, "set_batch=4,default", check=2)
    assert shapes(after.graph.output) == {after.graph.output[0].name: [4, 4, 8]}


def test_batch_drops_stale_shapes():
    before = onnx.shape_inference.infer_shapes(models.convnet(2))
    assert len(before.graph.value_info) > 10
    after, _ = apply(before, "set_batch=5")
    made = {name for node in after.graph.node for name in node.output}
    images = {
        name: dims for name, dims in shapes(after.graph.value_info).items() if len(dims) == 4 and name in made
    }
    assert len(images) > 10 and {dims[0] for dims in images.values()} == {5}


def test_an_output_keeps_the_names_of_its_dimensions():
    b = Builder()
    model = b.model({"x": ["n", 6]}, {b.op("Relu", b.op("Identity", "x")): ["rows", "columns"]})
    after, report = apply(model, "default")
    assert report.nodes_after == 1 and list(shapes(after.graph.output).values()) == [["rows", "columns"]]


@pytest.mark.parametrize("new", [4, "dynamic"])
def test_batch_behind_a_custom_node(new):
    """Nothing here can run the custom node. A stand-in that handles one image after the other shows that the rest is
    right.
    """
    b = Builder()
    x = b.op("acme::Magic", "x", shape=[1, 6, 4, 4])
    out = b.op("Reshape", b.op("Relu", x), b.ints(1, -1))
    before = b.model({"x": [1, 3, 4, 4]}, {out: [1, 96]}, domains=["acme"])
    after, report = apply(before, f"set_batch={new}", check=2)
    assert report.row("set_batch").check == "equal"
    assert shapes(after.graph.output)[out] == ["batch" if new == "dynamic" else 4, 96]


def _squeezed(b):
    return b.op("Unsqueeze", b.op("Squeeze", "x", b.ints(0)), b.ints(0))


# The names of the output's dimensions, and the graph.
REFUSALS = {
    "Squeeze drops the batch": ("abc", _squeezed),
    "takes images out": ("ab", lambda b: b.op("Gather", "x", b.weight(np.int64(0)), axis=0)),
    "merges a batch of one": ("ab", lambda b: b.op("Reshape", "x", b.ints(6, 4))),
    "tears the batch apart": (
        "ab",
        lambda b: b.op("Reshape", b.op("Transpose", "x", perm=[1, 0, 2]), b.ints(3, -1)),
    ),
}


@pytest.mark.parametrize("reason", REFUSALS)
def test_batch_refuses(reason):
    b = Builder()
    dims, graph = REFUSALS[reason]
    out = graph(b)
    model = b.model({"x": [1, 6, 4]}, {out: list(dims)})
    said = refusal(model, "set_batch=4")
    assert all(word in said for word in reason.split())


def test_batch_refuses_constants_of_that_many_images():
    b = Builder()
    model = b.model({"x": [2, 3]}, {b.op("Add", "x", b.random(2, 3)): [2, 3]})
    assert "constant 'w0' has 2 images" in refusal(model, "set_batch=4")


def test_a_wrong_batch_change_is_found():
    """A deliberate fault: the batch is changed in the inputs and outputs, and nowhere else."""

    class Careless(passes.REGISTRY["set_batch"]):
        name = "careless"

        def transform(self, model):
            for value in [*model.graph.inputs, *model.graph.outputs]:
                value.shape = ir.Shape([4, *value.shape[1:]])
            return 1

    b = Builder()
    out = b.op("Reshape", "x", b.ints(2, 3, 4))
    model = ir.from_proto(b.model({"x": [2, 12]}, {out: [2, 3, 4]}))
    with pytest.raises(passes.CheckFailed, match="careless"):
        passes.Manager([Careless(4)], passes.Checker(1)).run_once(model)


# --- parts -------------------------------------------------------------------------------------------------------


def test_preprocessing_is_split_off():
    b = Builder()
    scaled = b.op("Div", b.op("Sub", b.op("Cast", "raw", to=FLOAT), b.random(3)), b.random(3))
    x = b.op("Transpose", scaled, perm=[0, 3, 1, 2])
    y = b.op("Relu", b.conv(x, 3, 4))
    before = b.model({"raw": (onnx.TensorProto.UINT8, [1, 8, 8, 3])}, {y: [1, 4, 8, 8]})
    model = ir.from_proto(before)
    report = passes.simplify(model, "split_preprocessing,default", passes.Checker(2))
    after, part = ir.to_proto(model), ir.to_proto(report.split_off["preprocessing"])
    for proto in (after, part):
        onnx.checker.check_model(proto, full_check=True)
    assert types(part) == ["Cast", "Sub", "Div", "Transpose"] and types(after) == ["Conv", "Relu"]
    assert list(shapes(after.graph.input).values()) == [[1, 3, 8, 8]]
    raw = np.random.default_rng(0).integers(0, 256, (1, 8, 8, 3)).astype(np.uint8)
    assert np.array_equal(run(after, run(part, {"raw": raw}))[y], run(before, {"raw": raw})[y])


def test_preprocessing_that_is_used_twice_stays():
    b = Builder()
    scaled = b.op("Mul", "x", b.random(1))
    model = b.model({"x": [4]}, {b.op("Add", scaled, "x"): [4]})
    assert "no input leads to" in refusal(model, "split_preprocessing")


@needs_library
def test_postprocessing_is_cut_off():
    before = models.detector()
    model = ir.from_proto(before)
    report = passes.simplify(model, "cut_postprocessing", passes.Checker(2))
    after, part = ir.to_proto(model), ir.to_proto(report.split_off["postprocessing"])
    assert "NonMaxSuppression" not in types(after) and "NonMaxSuppression" in types(part)
    # The node that picks the only image is cut off too, so that the rest can have another batch.
    assert types(part).count("Squeeze") == 2 and "Squeeze" not in types(after)
    assert list(shapes(after.graph.output).values()) == [[1, 256, 4], [1, 256]]
    raw = np.random.default_rng(0).integers(0, 256, (1, 32, 32, 3)).astype(np.uint8)
    want, got = run(before, {"image": raw}), run(part, run(after, {"image": raw}))
    assert len(next(iter(want.values()))) > 1
    assert want.keys() == got.keys() and all(np.array_equal(want[name], got[name]) for name in want)


@needs_library
@pytest.mark.parametrize("batch", [4, "dynamic"])
def test_a_detector_without_its_end_takes_a_batch(batch):
    text = f"split_preprocessing,cut_postprocessing,set_batch={batch},default"
    after, report = apply(models.detector(), text, check=2)
    assert report.row("set_batch").applied
    x = image(4, 3, 32, 32)
    (name,) = [item.name for item in after.graph.input]
    got = run(after, {name: x})
    single, _ = apply(models.detector(), "split_preprocessing,cut_postprocessing,default")
    for output, array in got.items():
        want = np.concatenate([run(single, {name: x[i : i + 1]})[output] for i in range(4)])
        np.testing.assert_allclose(array, want, rtol=1e-5, atol=1e-5)


def test_what_has_no_suppression_is_not_cut():
    assert "no non-maximum suppression" in refusal(models.convnet(), "cut_postprocessing")


# --- flavours ----------------------------------------------------------------------------------------------------


def test_names_for_atc_lead_back_and_collide_with_nothing():
    names = {}
    for node in nodes():
        name = atc_name(node.domain, node.name)
        assert from_atc_name(name) == (node.domain, node.name)
        assert not onnx.defs.has(name) and name.lower() not in ATC_OPERATORS
        names.setdefault(name, []).append(node)
    assert len(names) == len(nodes())
    assert atc_name("mmcv", "NonMaxSuppression") == "MmcvNonMaxSuppression"
    assert from_atc_name("NonMaxSuppression") is None and from_atc_name("MmcvTINShift") == (
        "mmcv",
        "TINShift",
    )


def test_atc_runs_standard_nodes_only():
    assert atc_runs("", "NonMaxSuppression") and atc_runs("", "ArgMax")
    assert not atc_runs("mmcv", "NonMaxSuppression") and not atc_runs("", "DeformConv")


@pytest.mark.parametrize("opset", [17, 20])
def test_there_and_back(opset):
    before = models.detector(opset=opset)
    atc, report = apply(before, "convert_opset=18,to_atc" if opset == 20 else "to_atc", check=1)
    assert [(item.domain, item.version) for item in atc.opset_import] == [("", 18 if opset == 20 else 17)]
    assert {node.domain for node in atc.graph.node} == {""}
    assert {"MmcvNonMaxSuppression", "MMCVModulatedDeformConv2d"} <= set(types(atc))
    back, _ = apply(atc, "to_ort", check=1)
    assert types(back) == types(before) if opset == 17 else len(types(back)) >= len(types(before))
    assert {item.domain for item in back.opset_import} == {"", "mmcv"}
    assert report.row("to_atc").check in ("equal", "not checked")


def test_atc_refuses_what_it_cannot_name_or_read():
    b = Builder()
    model = b.model({"x": [1]}, {b.op("com.microsoft::Gelu", "x"): [1]}, domains=["com.microsoft"])
    assert "com.microsoft::Gelu has no name for ATC" in refusal(model, "to_atc")
    assert "at most 18: convert_opset first" in refusal(models.detector(opset=20), "to_atc")


@pytest.mark.parametrize("new", [3, "dynamic"])
def test_batch_of_an_upsampling_by_size_and_a_batch_in_the_middle(new):
    """Sizes of Resize contain the batch. In torch's attention layers the sequence is the first dimension."""
    b = Builder()
    up = b.op("Resize", "x", "", "", b.ints(2, 4, 8, 8), mode="linear")
    tokens = b.op("Transpose", b.op("Reshape", up, b.ints(2, 4, 64)), perm=[2, 0, 1])
    heads = b.op("Reshape", tokens, b.ints(64, 4, 2))  # two images of two heads
    out = b.op("Transpose", b.op("Softmax", heads), perm=[1, 0, 2])
    before = b.model({"x": [2, 4, 4, 4]}, {out: [4, 64, 2]})
    after, _ = apply(before, f"set_batch={new},default")
    x = image(3, 4, 4, 4)
    (got,) = run(after, {"x": x}).values()
    want = np.concatenate([next(iter(run(before, {"x": np.stack([item, item])}).values()))[:2] for item in x])
    np.testing.assert_allclose(got, want, rtol=0, atol=1e-6)


def test_batch_refuses_scales_that_are_no_floats():
    b = Builder()
    model = b.model({"x": [1, 1, 7, 7]}, {b.op("Resize", "x", "", "", b.ints(1, 1, 31, 31)): [1, 1, 31, 31]})
    assert "are no float32 numbers" in refusal(model, "set_batch=dynamic")
    after, _ = apply(model, "set_batch=2", check=1)
    assert list(shapes(after.graph.output).values()) == [[2, 1, 31, 31]]


# --- outputs -----------------------------------------------------------------------------------------------------


def _two_ends():
    b = Builder()
    names = {b.op("Relu", b.op("Add", "x", "y")): [2, 3], b.op("Neg", "y"): [2, 3]}
    return b.model({"x": [2, 3], "y": [2, 3], "nobody's": [None]}, names), *names


def test_inputs_that_nothing_needs_go():
    before, first, second = _two_ends()
    after, report = apply(before, "keep_outputs", check=1)
    assert list(shapes(after.graph.input)) == ["x", "y"]
    assert list(shapes(after.graph.output)) == [first, second]
    assert report.row("keep_outputs").applied == 1


def test_one_output_is_kept_with_what_it_needs():
    before, first, second = _two_ends()
    after, _ = apply(before, f"keep_outputs={second}", check=1)
    assert (list(shapes(after.graph.input)), types(after)) == (["y"], ["Neg"])
    feeds = {"x": image(2, 3), "y": image(2, 3, seed=1), "nobody's": image(5)}
    np.testing.assert_array_equal(run(after, {"y": feeds["y"]})[second], run(before, feeds)[second])
    assert f"it has no output 'x'; there are '{first}', '{second}'" in refusal(
        before, f"keep_outputs={first}+x"
    )
