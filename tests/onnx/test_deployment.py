# SPDX-License-Identifier: Apache-2.0
"""What `avo onnx convert` does for Ascend: the atc command, AIPP, sizes of dimensions, float16, and who runs what."""

from __future__ import annotations

import re
from pathlib import Path

import numpy as np
import pytest

onnx = pytest.importorskip("onnx", reason="the extra onnx is not installed")
pytest.importorskip("onnxruntime", reason="ONNX Runtime is the oracle here")
pytest.importorskip("onnxscript", reason="the extra onnx is not installed")

import onnx_ir as ir  # noqa: E402
from onnx import TensorProto, helper  # noqa: E402

from ascend_vision_ops.onnx import atc, passes, runners  # noqa: E402
from ascend_vision_ops.onnx.dimensions import SetDimensions  # noqa: E402
from ascend_vision_ops.onnx.files import ModelError  # noqa: E402
from benchmarks import onnx_models as models  # noqa: E402
from tests.onnx.commands import runner  # noqa: E402
from tests.onnx.oracle import image, run, shapes, types  # noqa: E402

FLOAT, FLOAT16 = TensorProto.FLOAT, TensorProto.FLOAT16
MEAN, DEVIATION = [123.675, 116.28, 103.53], [58.395, 57.12, 57.375]


@pytest.fixture
def avo(capsys):
    return runner(capsys)


@pytest.fixture
def model(tmp_path):
    def write(proto):
        onnx.save(proto, tmp_path / "model.onnx")
        return tmp_path / "model.onnx"

    return write


def plain(shape: dict[str, list]) -> ir.Model:
    """A model with these inputs, whose values are added up."""
    b = models.Builder()
    sums = [b.op("ReduceSum", name, keepdims=0) for name in shape]
    return ir.from_proto(b.model(shape, {b.op("Sum", *sums): []}))


def preprocessed(layout: str = "NHWC", dtype=TensorProto.UINT8, order: str = "Sub Div") -> onnx.ModelProto:
    """A convolution behind the normalisation of an image of 3 channels."""
    b = models.Builder()
    x = b.op("Cast", "image", to=FLOAT) if dtype != FLOAT else "image"
    if layout == "NHWC":
        x = b.op("Transpose", x, perm=[0, 3, 1, 2])
    for op_type in order.split():
        numbers = np.float32(MEAN if op_type in ("Sub", "Add") else DEVIATION)
        x = b.op(op_type, x, b.weight(numbers.reshape(1, 3, 1, 1)))
    shape = [1, 8, 8, 3] if layout == "NHWC" else [1, 3, 8, 8]
    y = b.op("Relu", b.conv(x, 3, 4))
    return b.model({"image": (dtype, shape)}, {y: [1, 4, 8, 8]})


def fields(text: str) -> dict[str, str]:
    return dict(re.findall(r"^ +(\w+): (\S+)$", text, re.M))


# The command -------------------------------------------------------------------------------------------------------

COMMANDS = {
    "fixed": ({"x": [1, 3, 8, 8]}, [], {}, ["--input_format=NCHW", "--input_shape=x:1,3,8,8"]),
    "two inputs": ({"x": [1, 4], "n": [2]}, [], {}, ["--input_format=ND", "--input_shape=x:1,4;n:2"]),
    "scalar": ({"x": [1, 4], "n": []}, [], {}, ["--input_format=ND", "--input_shape=x:1,4"]),
    "any batch": ({"x": ["n", 3, 8, 8]}, [], {}, ["--input_format=NCHW", "--input_shape=x:-1,3,8,8"]),
    "batches": (
        {"x": ["n", 3, 8, 8]}, [{"n": 1}, {"n": 8}], {},
        ["--input_format=NCHW", "--input_shape=x:-1,3,8,8", "--dynamic_batch_size=1,8"],
    ),
    "images": (
        {"x": [1, 3, "h", "w"]}, [{"w": 320, "h": 192}, {"h": 640, "w": 640}], {},
        ["--input_format=NCHW", "--input_shape=x:1,3,-1,-1", "--dynamic_image_size=192,320;640,640"],
    ),
    "dimensions": (
        {"ids": ["n", "length"], "mask": ["n", "length"]}, [{"n": 1, "length": 16}, {"n": 2, "length": 32}], {},
        ["--input_format=ND", "--input_shape=ids:-1,-1;mask:-1,-1", "--dynamic_dims=1,16,1,16;2,32,2,32"],
    ),
    "no name": (
        {"x": [None, 4]}, [{"x:0": 1}, {"x:0": 2}], {},
        ["--input_format=ND", "--input_shape=x:-1,4", "--dynamic_batch_size=1,2"],
    ),
}  # fmt: skip


@pytest.mark.parametrize("name", COMMANDS)
def test_command(name):
    """By hand, from the rules of CANN's pages on these options."""
    inputs, profiles, options, wanted = COMMANDS[name]
    words = atc.command(plain(inputs), Path("out.onnx"), "Ascend310P3", profiles=profiles, **options)
    head = ["atc", "--framework=5", "--model=out.onnx", "--output=out", "--soc_version=Ascend310P3"]
    assert words == [*head, *wanted, "--precision_mode_v2=fp16"]


def test_precision_has_another_name_in_old_releases():
    model = plain({"x": [1, 4]})
    assert (
        atc.command(model, Path("m.onnx"), "Ascend310", release="5.0.4")[-1] == "--precision_mode=force_fp16"
    )
    assert atc.command(model, Path("m.onnx"), "Ascend310", "origin")[-1] == "--precision_mode_v2=origin"
    half = ir.from_proto(helper.make_model(helper.make_graph(
        [helper.make_node("Relu", ["x"], ["y"])], "half",
        [helper.make_tensor_value_info("x", FLOAT16, [2])], [helper.make_tensor_value_info("y", FLOAT16, [2])],
    )))  # fmt: skip
    assert atc.command(half, Path("m.onnx"), "Ascend310")[-1] == "--precision_mode_v2=origin"


REFUSED = {
    "one profile": ({"x": ["n", 4]}, [{"n": 1}], None, "--profile: ATC takes 2 to 100 profiles, got 1"),
    "other names": ({"x": ["n", 4]}, [{"m": 1}, {"m": 2}], None, "--profile: expected n=N, got m=1"),
    "nothing open": ({"x": [1, 4]}, [{"n": 1}, {"n": 2}], None, "no dimension is open"),
    "zero": ({"x": ["n", 4]}, [{"n": 0}, {"n": 2}], None, "expected positive sizes"),
    "AIPP and any shape": ({"x": ["n", 3, 8, 8]}, [], Path("a.cfg"), "n is open; give --set n=N or --profile"),
    "AIPP and dimensions": (
        {"x": ["n", 3, "h", 8]}, [{"n": 1, "h": 8}, {"n": 2, "h": 8}], Path("a.cfg"),
        "no AIPP together with --dynamic_dims",
    ),
}  # fmt: skip


@pytest.mark.parametrize("name", REFUSED)
def test_combinations_that_atc_has_not(name):
    inputs, profiles, aipp, message = REFUSED[name]
    with pytest.raises(ModelError, match=re.escape(message)):
        atc.command(plain(inputs), Path("m.onnx"), "Ascend310P3", profiles=profiles, aipp=aipp)


def test_names_with_blanks_are_quoted():
    words = atc.command(plain({"my input": [1, 4]}), Path("a b.onnx"), "Ascend310P3")
    text = atc.shell_text(words)
    assert "'--model=a b.onnx'" in text and "'--input_shape=my input:1,4'" in text


# AIPP --------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("layout", ["NHWC", "NCHW"])
@pytest.mark.parametrize("order", ["Sub Div", "Sub Mul", "Div"])
def test_aipp_computes_what_was_cut_off(avo, model, tmp_path, layout, order):
    """The formula of CANN's page on normalisation against ONNX Runtime on the part that was cut off."""
    dtype = TensorProto.UINT8 if layout == "NHWC" else FLOAT
    path = model(preprocessed(layout, dtype, order))
    status, out, err = avo("convert", path, "--flavour", "atc", "--aipp", "-o", tmp_path / "out.onnx")
    assert (status, err) == (0, "") and f"--insert_op_conf={tmp_path / 'out.aipp.cfg'}" in out
    found = fields((tmp_path / "out.aipp.cfg").read_text())
    assert found["input_format"] == "RGB888_U8" and found["aipp_mode"] == "static"
    assert (found["src_image_size_w"], found["src_image_size_h"]) == ("8", "8")
    pixels = np.random.default_rng(0).integers(0, 256, (1, 8, 8, 3)).astype(np.uint8)
    numbers = [
        [float(found[f"{name}_{c}"]) for c in range(3)] for name in ("mean_chn", "min_chn", "var_reci_chn")
    ]
    got = ((pixels - np.array(numbers[0]) - numbers[1]) * numbers[2]).transpose(0, 3, 1, 2)
    feed = pixels if layout == "NHWC" else pixels.transpose(0, 3, 1, 2).astype(np.float32)
    (want,) = run(onnx.load(tmp_path / "out.preprocessing.onnx"), {"image": feed}).values()
    scale = np.abs(want).max()
    assert np.abs(got - want).max() < 1e-3 * scale
    told = float(re.search(r"differ from the nodes by at most (\S+)", out)[1])
    assert np.abs(got - want).max() <= told * 1.01 + 1e-5 * scale
    assert types(onnx.load(tmp_path / "out.onnx")) == ["Conv", "Relu"]


AIPP_REFUSED = {
    "negative": ("NCHW", FLOAT, "Add", "AIPP subtracts 0 to 255"),
    "nothing": ("NCHW", FLOAT, "", "no input leads to one of"),
}


@pytest.mark.parametrize("name", AIPP_REFUSED)
def test_what_aipp_cannot_do(avo, model, tmp_path, name):
    layout, dtype, order, message = AIPP_REFUSED[name]
    path = model(preprocessed(layout, dtype, order))
    status, _, err = avo("convert", path, "--flavour", "atc", "--aipp", "-o", tmp_path / "out.onnx")
    assert status == 1 and message in err and err.count("\n") == 1
    assert not (tmp_path / "out.onnx").exists()


# Dimensions --------------------------------------------------------------------------------------------------------


def test_set_dimensions(avo, model, tmp_path):
    b = models.Builder()
    y = b.op("Relu", b.op("Conv", "x", b.random(4, 3, 3, 3), strides=[2, 2], pads=[1, 1, 1, 1]))
    path = model(b.model({"x": ["n", 3, "height", "width"]}, {y: ["n", 4, "oh", "ow"]}))
    status, out, err = avo(
        "convert",
        path,
        "--flavour",
        "ort",
        "--set",
        "height=12",
        "--set",
        "width=20",
        "-o",
        tmp_path / "out.onnx",
    )
    assert (status, err) == (0, "") and "set_dimensions" in out and "equal" in out
    made = onnx.load(tmp_path / "out.onnx")
    assert shapes(made.graph.input) == {"x": ["n", 3, 12, 20]}
    assert shapes(made.graph.output)[y][2:] == [6, 10]
    x = image(2, 3, 12, 20)
    assert np.array_equal(run(made, {"x": x})[y], run(onnx.load(path), {"x": x})[y])


def test_a_dimension_without_a_name():
    model = ir.from_proto(models.Builder().model({"x": [None, 4]}, {}))
    b = models.Builder()
    model = ir.from_proto(b.model({"x": [None, 4]}, {b.op("Relu", "x"): [None, 4]}))
    report = passes.Manager([SetDimensions({"x:0": 5})]).run_once(model)
    assert report.rows[0].applied == 1 and list(model.graph.inputs[0].shape) == [5, 4]
    assert list(model.graph.outputs[0].shape) == [5, 4]


SET_REFUSED = {
    "unknown": (["--set", "depth=3"], "no input has an open dimension 'depth'; open are: n"),
    "no number": (
        ["--set", "n=big"],
        "--set: expected NAME=N with a positive N up to 2147483647, such as height=640, got 'n=big'",
    ),
    "zero": (["--set", "n=0"], "--set: expected NAME=N with a positive N"),
    "profile for ort": (["--profile", "n=1", "--profile", "n=2"], "--profile: expected with --flavour atc"),
    "aipp for ort": (["--aipp"], "--aipp: expected with --flavour atc"),
    "keep alone": (["--keep-float32", "Conv"], "--keep-float32: expected together with --float16"),
    "release": (["--cann", "1"], "expected a release of CANN of 5.0.4, 8.0, got '1'"),
}


@pytest.mark.parametrize("name", SET_REFUSED)
def test_errors_are_one_line(avo, model, tmp_path, name):
    options, message = SET_REFUSED[name]
    b = models.Builder()
    path = model(b.model({"x": ["n", 4]}, {b.op("Relu", "x"): ["n", 4]}))
    status, _, err = avo("convert", path, "--flavour", "ort", "-o", tmp_path / "out.onnx", *options)
    assert status == 1 and err.count("\n") == 1 and message in err
    assert not (tmp_path / "out.onnx").exists()


# float16 -----------------------------------------------------------------------------------------------------------


def to_half(proto: onnx.ModelProto, keep: str = "", checker: passes.Checker | None = None):
    model = ir.from_proto(proto)
    one = passes.REGISTRY["to_float16"](keep, checker and checker.feeds)
    passes.Manager([one], checker).run_once(model)
    made = ir.to_proto(model)
    onnx.checker.check_model(made)
    return made, dict(one.kept), one


def weights(proto: onnx.ModelProto) -> set[int]:
    return {weight.data_type for weight in proto.graph.initializer if weight.data_type in (FLOAT, FLOAT16)}


def test_float16_of_a_network():
    before = models.convnet()
    made, kept, one = to_half(before, checker=passes.Checker(2))
    assert kept == {} and weights(made) == {FLOAT16}
    assert made.ByteSize() < 0.85 * before.ByteSize()
    x = {"image": image(2, 3, 16, 16, seed=7)}
    ((name, want),), ((_, got),) = run(before, x).items(), run(made, x).items()
    assert got.dtype == np.float32 and 0 < np.abs(got - want).max() < 0.01 * np.abs(want).max()
    error, largest = one.errors[name]
    assert 0 < error < 0.01 * largest


def test_float16_keeps_what_the_user_names():
    for keep in ("Conv", "n1+n4+n7", "conv1+conv4+conv7"):
        made, kept, _ = to_half(models.convnet(), keep)
        assert kept == {
            "Conv 'n1'": "named by the user",
            "Conv 'n4'": "named by the user",
            "Conv 'n7'": "named by the user",
        }
        assert weights(made) == {FLOAT, FLOAT16}


def chain(*steps) -> onnx.ModelProto:
    """Add of a constant, Mul with a constant, …, on x of 4 elements. Ends in Relu."""
    b = models.Builder()
    x = "x"
    for op_type, number in steps:
        x = b.op(op_type, x, b.weight(np.float32([number])))
    x = b.op("Relu", x)
    return b.model({"x": [4]}, {x: [4]})


RANGES = {
    "large weight": (
        chain(("Mul", 1e6), ("Mul", 1e-6)),
        "Mul 'n0'",
        "weight w0 reaches 1e+06, float16 ends at 65504",
    ),
    "small weight": (
        chain(("Add", 1e-7)),
        "Add 'n0'",
        "weight w0 stays below 1e-07, where float16 loses digits",
    ),
    "large value": (
        chain(("Mul", 6e4), ("Mul", 6e4), ("Mul", 1e-4), ("Mul", 1e-4)),
        "Mul 'n1'",
        "mul1 reaches",
    ),
}


@pytest.mark.parametrize("name", RANGES)
def test_float16_keeps_what_it_cannot_hold(name):
    proto, node, reason = RANGES[name]
    made, kept, _ = to_half(proto, checker=passes.Checker(1))
    assert kept[node].startswith(reason) and "Relu" not in "".join(kept)
    x = {"x": np.float32([0.5, -1, 2, 3])}
    want, got = (next(iter(run(one, x).values())) for one in (proto, made))
    np.testing.assert_allclose(got, want, rtol=2e-3)


def test_float16_keeps_what_onnx_defines_for_float32():
    b = models.Builder()
    scores = b.op("Transpose", "scores", perm=[0, 2, 1])
    y = b.op("NonMaxSuppression", "boxes", b.op("Sigmoid", scores), b.weight(np.int64([5])))
    proto = b.model({"boxes": [1, 8, 4], "scores": [1, 8, 2]}, {y: (TensorProto.INT64, ["n", 3])})
    made, kept, _ = to_half(proto)
    assert kept == {"NonMaxSuppression 'n2'": "ONNX defines it for float32 alone"}
    assert types(made).count("Cast") == 2
    x = {"boxes": np.abs(image(1, 8, 4)), "scores": image(1, 8, 2)}
    assert next(iter(run(made, x).values())).shape[1] == 3


def test_float16_scales_of_resize_stay():
    b = models.Builder()
    y = b.op("Resize", "x", "", b.weight(np.float32([1, 1, 2, 2])))
    proto = b.model({"x": [1, 2, 4, 4]}, {y: [1, 2, 8, 8]})
    made, kept, _ = to_half(proto)
    assert kept == {} and weights(made) == {FLOAT} and types(made) == ["Cast", "Resize", "Cast"]
    x = {"x": image(1, 2, 4, 4)}
    np.testing.assert_allclose(*(next(iter(run(one, x).values())) for one in (made, proto)), rtol=2e-3)


def test_float16_around_branches_and_constants():
    b = models.Builder()
    outer = b.op(
        "Exp", b.op("Mul", "x", b.op("Constant", value=onnx.numpy_helper.from_array(np.float32([0.5]))))
    )

    def branch(op_type):
        out = helper.make_tensor_value_info(f"{op_type}_out", FLOAT, [4])
        return helper.make_graph([helper.make_node(op_type, [outer], [f"{op_type}_out"])], op_type, [], [out])

    y = b.op("If", "flag", then_branch=branch("Sin"), else_branch=branch("Neg"))
    proto = b.model({"x": [4], "flag": (TensorProto.BOOL, [])}, {y: [4]})
    made, kept, _ = to_half(proto)
    assert list(kept.values()) == ["its graphs stay float32"]
    for flag in (True, False):
        x = {"x": image(4), "flag": np.array(flag)}
        np.testing.assert_allclose(*(next(iter(run(one, x).values())) for one in (made, proto)), rtol=3e-3)


def test_the_check_catches_a_wrong_rounding(monkeypatch):
    """A deliberate fault: weights are rounded to 4 bits."""
    import ascend_vision_ops.onnx.passes.to_float16 as module

    monkeypatch.setattr(module, "_rounded", lambda array: (np.round(array * 2) / 2).astype(np.float16))
    with pytest.raises(passes.CheckFailed, match="pass to_float16 changed output"):
        to_half(models.convnet(), checker=passes.Checker(1))


def test_float16_from_the_command_line(avo, model, tmp_path):
    path = model(models.convnet("N"))
    status, out, err = avo(
        "convert", path, "--flavour", "atc", "--float16", "--keep-float32", "Gemm", "-o", tmp_path / "out.onnx",
        "--profile", "N=1", "--profile", "N=4",
    )  # fmt: skip
    assert (status, err) == (0, "")
    assert re.search(r"^Gemm 'n22' +named by the user", out, re.M)
    assert re.search(r"float16 against float32: gemm22 differs by \S+, its largest element is", out)
    assert "--dynamic_batch_size=1,4" in out and "--precision_mode_v2=origin" in out
    status, out, _ = avo(
        "convert", path, "--flavour", "atc", "--float16", "--check", 0, "-o", tmp_path / "out.onnx"
    )
    assert status == 0 and "the error of float16 was not measured: no inputs were run" in out


# Who runs what -----------------------------------------------------------------------------------------------------


def test_who_runs_what_by_release(avo, model, tmp_path):
    b = models.Builder()
    y = b.op("GridSample", b.op("Relu", "x"), "grid")
    path = model(b.model({"x": [1, 1, 4, 4], "grid": [1, 2, 2, 2]}, {y: [1, 1, 2, 2]}, 16))
    _, out, _ = avo("convert", path, "--flavour", "atc", "-o", tmp_path / "out.onnx")
    rows = {line.split()[0]: line.split()[1:] for line in out.splitlines() if line.strip()}
    assert rows["GridSample"] == ["1", "-", "yes", "yes"] and rows["Relu"] == ["1", "yes", "yes", "yes"]
    assert all(release.source in out for release in runners.RELEASES.values())


def test_nodes_that_only_cpus_run():
    """One has no AscendC kernel yet; of the other one, ATC cannot tell which tensor is which."""
    for name in ("NMSRotated", "MMCVDeformConv2d"):
        runs = runners.who_runs("mmdeploy", name)
        assert (runs.kind, runs.npu, runs.host) == ("host", "-", "our library") and "CPU" in runs.why
    assert runners.who_runs("mmdeploy", "MMCVModulatedDeformConv2d").kind == "ours"


def test_lists_of_releases():
    """Names that the two pages have and have not."""
    old, new = (runners.RELEASES[name].operators for name in ("5.0.4", "8.0"))
    assert {"conv", "nonmaxsuppression", "roialign"} <= old & new
    assert {"gridsample", "layernormalization", "einsum", "isnan"} <= new - old
    assert {"addcmul", "batchmatmul", "adaptivemaxpool2d"} <= old - new
    assert (len(old), len(new)) == (149, 160)
    with pytest.raises(ValueError, match=r"expected a release of CANN of 5\.0\.4, 8\.0, got '7'"):
        runners.who_runs("", "Conv", release="7")


def test_float16_of_a_model_without_floats(avo, model, tmp_path):
    b = models.Builder()
    integer = onnx.TensorProto.INT64, [3]
    path = model(b.model({"x": integer}, {b.op("Neg", "x"): integer}))
    status, out, _ = avo("convert", path, "--flavour", "ort", "--float16", "-o", tmp_path / "out.onnx")
    assert status == 0 and "the error of float16 was not measured: no node became float16" in out
