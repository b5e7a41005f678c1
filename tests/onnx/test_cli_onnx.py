# SPDX-License-Identifier: Apache-2.0
"""`avo onnx`, from the command line."""

from __future__ import annotations

import re

import numpy as np
import pytest

onnx = pytest.importorskip("onnx", reason="the extra onnx is not installed")
pytest.importorskip("onnxruntime", reason="ONNX Runtime is the oracle here")
pytest.importorskip("onnxscript", reason="the extra onnx is not installed")

from ascend_vision_ops.cli import main  # noqa: E402
from ascend_vision_ops.onnx import passes  # noqa: E402
from benchmarks import onnx_models as models  # noqa: E402
from tests.onnx.oracle import HAS_LIBRARY, image, run, types  # noqa: E402


@pytest.fixture
def avo(capsys):
    """Runs a command and gives its status, its output and its error output."""

    def call(*arguments) -> tuple[int, str, str]:
        status = main(["onnx", *map(str, arguments)])
        done = capsys.readouterr()
        return status, done.out, done.err

    return call


@pytest.fixture
def model(tmp_path):
    def write(proto, name="model.onnx"):
        onnx.save(proto, tmp_path / name)
        return tmp_path / name

    return write


def test_info_says_who_runs_what(avo, model):
    b = models.Builder()
    out = b.op("acme::Magic", b.op("mmcv::MMCVRoiAlign", b.op("com.microsoft::Gelu", b.op("Relu", "x")), "x"))
    path = model(b.model({"x": ["n", 3]}, {out: ["n", 3]}, 20, ["mmcv", "acme", "com.microsoft"]))
    status, out, _ = avo("info", path)
    rows = {line.split()[0]: line.split()[1:] for line in out.splitlines() if line.strip()}
    assert status == 0
    assert rows["Relu"] == ["1", "yes", "yes"]
    assert rows["mmcv::MMCVRoiAlign"] == ["1", "our", "operator", "our", "library"]
    assert rows["com.microsoft::Gelu"] == ["1", "-", "yes"]
    assert rows["acme::Magic"] == ["1", "nobody", "nobody"]
    assert "neither ATC nor ONNX Runtime runs acme::Magic" in out
    assert "ATC reads models with one operator set; this one has 4" in out
    assert "ATC reads operator sets up to 18" in out and "open dimensions of inputs: n" in out
    assert "float [n, 3]" in out


def test_info_of_external_weights(avo, tmp_path):
    onnx.save(
        models.convnet(), tmp_path / "m.onnx", save_as_external_data=True, location="m.data", size_threshold=0
    )
    _, out, _ = avo("info", tmp_path / "m.onnx")
    assert re.search(r"weights: [\d.]+ kB in 29 tensors, [\d.]+ kB of them in m\.data", out)


def test_simplify_writes_what_it_reports(avo, model, tmp_path):
    before = models.convnet()
    status, out, err = avo("simplify", model(before), "-o", tmp_path / "out.onnx", "--check", 2)
    assert (status, err) == (0, "")
    assert "nodes 23 → 11" in out and "compared on 2 inputs by ONNX Runtime" in out
    row = next(line.split() for line in out.splitlines() if line.startswith("fuse_conv_bn"))
    assert row[1:5] == ["4", "17", "→", "13"] or row[1] == "4"
    after = onnx.load(tmp_path / "out.onnx")
    assert len(after.graph.node) == 11
    x = {"image": image(2, 3, 16, 16)}
    for want, got in zip(run(before, x).values(), run(after, x).values(), strict=True):
        np.testing.assert_allclose(got, want, rtol=0, atol=2e-5 * np.abs(want).max())


def test_simplify_lists_passes(avo):
    status, out, _ = avo("simplify", "--list")
    assert status == 0
    for name, cls in passes.REGISTRY.items():
        assert re.search(rf"^{name}\S* +{re.escape(cls.summary)}", out, re.M)


def test_simplify_gives_reasons(avo, model):
    _, out, _ = avo("simplify", model(models.shape_glue()))
    assert "refused by shape_glue: Expand 'n51': a dimension of the target is open and not the input's" in out


@pytest.mark.parametrize("batch", ["4", "dynamic"])
def test_simplify_changes_the_batch(avo, model, tmp_path, batch):
    status, _out, _ = avo("simplify", model(models.convnet(1)), "--batch", batch, "-o", tmp_path / "out.onnx")
    assert status == 0
    dim = onnx.load(tmp_path / "out.onnx").graph.input[0].type.tensor_type.shape.dim[0]
    assert (dim.dim_param or str(dim.dim_value)) == {"dynamic": "batch"}.get(batch, batch)


def test_a_demanded_pass_that_refuses_writes_nothing(avo, model, tmp_path):
    status, _out, err = avo("simplify", model(models.detector()), "--batch", 4, "-o", tmp_path / "out.onnx")
    assert status == 1
    assert "set_batch: Squeeze 'n27' drops the batch" in err and "nothing is written" in err
    assert not (tmp_path / "out.onnx").exists()


def test_a_failed_check_writes_nothing(avo, model, tmp_path, monkeypatch):
    class Wrong(passes.REGISTRY["remove_dead"]):
        def transform(self, model):
            for weight in model.graph.initializers.values():
                if weight.const_value.dtype.is_floating_point() and not weight.const_value.numpy().all():
                    return 0
            value = next(v for v in model.graph.initializers.values() if len(v.shape) == 4)
            value.const_value = passes.fold_constants.ir.tensor(value.const_value.numpy() * np.float32(1.001))
            return 1

    monkeypatch.setitem(passes.REGISTRY, "remove_dead", Wrong)
    path = model(models.focus())
    status, _, err = avo("simplify", path, "--passes", "remove_dead", "--once", "-o", tmp_path / "out.onnx")
    assert status == 1 and "pass remove_dead changed output" in err
    assert not (tmp_path / "out.onnx").exists()


def test_parts_are_written_beside(avo, model, tmp_path):
    passes_ = "split_preprocessing,cut_postprocessing,default"
    status, _out, _ = avo(
        "simplify", model(models.detector()), "--passes", passes_, "-o", tmp_path / "out.onnx"
    )
    assert status == 0
    assert types(onnx.load(tmp_path / "out.preprocessing.onnx"))[0] == "Cast"
    assert "NonMaxSuppression" in types(onnx.load(tmp_path / "out.postprocessing.onnx"))
    assert "NonMaxSuppression" not in types(onnx.load(tmp_path / "out.onnx"))


def test_convert(avo, model, tmp_path):
    path, atc, back = model(models.detector(opset=20)), tmp_path / "atc.onnx", tmp_path / "back.onnx"
    assert avo("convert", path, "--flavour", "atc", "-o", atc)[0] == 0
    proto = onnx.load(atc)
    assert [(item.domain, item.version) for item in proto.opset_import] == [("", 18)]
    assert avo("convert", atc, "--flavour", "ort", "-o", back)[0] == 0
    assert "NonMaxSuppression" in types(onnx.load(back))
    status, _, err = avo("convert", path, "--flavour", "atc", "--opset", 20, "-o", atc)
    assert status == 1 and "--opset: ATC reads at most 18, got 20" in err


def test_run(avo, model, tmp_path):
    proto, x = models.convnet(), image(2, 3, 16, 16)
    np.save(tmp_path / "x.npy", x)
    status, out, _ = avo(
        "run", model(proto), "--input", f"image={tmp_path / 'x.npy'}", "-o", tmp_path / "out"
    )
    assert status == 0 and "by ONNX Runtime" in out and "[2, 3, 16, 16]" in out
    ((name, want),) = run(proto, {"image": x}).items()
    assert np.array_equal(np.load(tmp_path / "out" / f"{name}.npy"), want)


@pytest.mark.skipif(not HAS_LIBRARY, reason="libavo_onnxruntime is not built")
def test_run_and_parity_of_custom_nodes(avo, model, tmp_path):
    path = model(models.detector())
    status, out, _ = avo("run", path)
    assert status == 0 and "by ONNX Runtime" in out
    avo("convert", path, "--flavour", "atc", "-o", tmp_path / "atc.onnx")
    assert avo("run", tmp_path / "atc.onnx")[1] == out
    status, out, _ = avo("parity", path)
    assert status == 0 and "none of 32 nodes diverges" in out


def test_parity_names_the_first_node_that_diverges(avo, model, monkeypatch):
    """A deliberate fault: the reference's Relu is another function."""
    from onnx.reference.op_run import OpRun

    from ascend_vision_ops.onnx import parity

    class Relu(OpRun):
        op_domain = ""

        def _run(self, x):
            return (np.maximum(x, np.float32(0.01)),)

    path = model(models.convnet())
    status, out, _ = avo("parity", path)
    assert status == 0 and "none of 23 nodes diverges" in out
    monkeypatch.setattr(parity, "reference_ops", lambda: [Relu])
    status, out, _ = avo("parity", path)
    assert status == 1
    assert re.search(
        r"the first node that diverges is Relu 'n3': relu3: \d+ of 4096 elements wrong, first \[0, ", out
    )


ERRORS = {
    "no model": (["info", "none.onnx"], "no model none.onnx"),
    "no pass": (["simplify", "MODEL", "--passes", "magic"], "no pass 'magic'; there are convert_opset,"),
    "argument": (["simplify", "MODEL", "--passes", "set_batch=x"], "up to 2147483647 or dynamic, got 'x'"),
    "nothing named": (["simplify"], "expected a MODEL, or --list, got neither"),
    "check": (["simplify", "MODEL", "--check", "-1"], "--check: expected a number of inputs"),
    "shape": (["simplify", "MODEL", "--shape", "image=a"], "--shape: expected integers"),
    "input": (["run", "MODEL", "--input", "nothing=x.npy"], "where NAME is one of image, got 'nothing=x.npy'"),
    "no file": (["run", "MODEL", "--input", "image=none.npy"], "--input image: there is no file none.npy"),
    "wrong shape": (["run", "MODEL", "--input", "image=random:1,2"], "expected the shape [2, 3, 16, 16], got [1, 2]"),
}  # fmt: skip


@pytest.mark.parametrize("what", ERRORS)
def test_errors_are_one_line(avo, model, what):
    arguments, message = ERRORS[what]
    path = model(models.convnet())
    status, out, err = avo(*[path if item == "MODEL" else item for item in arguments])
    assert status == 1 and out == ""
    assert err.startswith("avo: ") and err.count("\n") == 1 and message in err


def test_an_unknown_node_is_named(avo, model):
    b = models.Builder()
    path = model(b.model({"x": [2]}, {b.op("acme::Magic", "x"): [2]}, domains=["acme"]))
    status, _, err = avo("run", path)
    assert status == 1 and "acme:Magic" in err.replace("::", ":")
    status, _out, _ = avo("simplify", path)
    assert status == 0


def _two_inputs() -> onnx.ModelProto:
    """x (n, 3) + float(k), where the integer k is a scalar, or - where a flag is not set."""
    b = models.Builder()
    info = onnx.helper.make_tensor_value_info("r", onnx.TensorProto.FLOAT, None)
    branches = {
        name: onnx.helper.make_graph([onnx.helper.make_node(kind, ["x", "c"], ["r"])], name, [], [info])
        for name, kind in (("then_branch", "Add"), ("else_branch", "Sub"))
    }
    b.nodes.append(onnx.helper.make_node("Cast", ["k"], ["c"], to=onnx.TensorProto.FLOAT))
    made = b.op("If", "flag", **branches)
    scalar = onnx.TensorProto.INT64, []
    inputs = {"k": scalar, "flag": (onnx.TensorProto.BOOL, []), "w": ["n", 2], "x": ["n", 3]}
    return b.model(inputs, {made: ["n", 3], b.op("Relu", "w"): ["n", 2]})


@pytest.mark.parametrize("verb", ["run", "parity", "simplify"])
def test_literal_inputs_of_each_verb(avo, model, verb):
    path = model(_two_inputs())
    status, out, err = avo(verb, path, "--input", "k=3", "--input", "flag=true", "--shape", "x=7,3")
    assert (status, err) == (0, "")
    if verb == "run":
        assert "[7, 2]" in out  # w has the size that x gives to n, although it stands before x
    if verb == "parity":
        assert "none of 3 nodes diverges" in out
        assert "not compared:" not in out  # the branches read x and c, which are no inputs of If


def test_scalar_inputs_are_made_up(avo, model):
    status, out, err = avo("run", model(_two_inputs()))
    assert (status, err) == (0, "") and "by ONNX Runtime" in out


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("k=2.5", "numbers of type int64, got '2.5'"),
        ("k=nan", "numbers of type int64, got 'nan'"),
        ("k=1e30", "numbers of type int64, got '1e30'"),
        ("k=9223372036854775808", "numbers of type int64"),
        ("flag=2", "numbers of type bool, got '2'"),
        ("k=1,2", "expected one number for a scalar"),
    ],
)
def test_literal_inputs_that_the_type_has_not(avo, model, text, message):
    status, _, err = avo("run", model(_two_inputs()), "--input", text)
    assert status == 1 and message in err


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["run", "--shape", "x=5,4"], "--shape x: expected the shape [n, 3], got [5, 4]"),
        (["run", "--input", "x=5x3x1"], "--input x: expected the shape [n, 3], got [5, 3, 1]"),
        (["run", "--input", "x=1,2"], "--input x: expected the shape [n, 3], got [1, 2]"),
        (["run", "--shape", "x=-1,3"], "--shape: expected integers from 0 to 2147483647"),
        (
            ["parity", "--input", "x=99999999999999999999x3"],
            "--input: expected integers from 0 to 2147483647",
        ),
        (["run", "--seed", "-1"], "--seed: expected a number from 0 on, got -1"),
        (["simplify", "--batch", "99999999999999999999"], "expected a positive number up to 2147483647"),
        (
            ["convert", "--flavour=atc", "--set=n=99999999999999999999", "-o", "out.onnx"],
            "--set: expected NAME=N",
        ),
        (["convert", "--flavour=atc", "--profile=n=0", "-o", "out.onnx"], "--profile: expected NAME=N"),
    ],
)
def test_sizes_that_no_input_can_have(avo, model, arguments, message):
    verb, *options = arguments
    status, _, err = avo(verb, model(_two_inputs()), *options)
    assert status == 1 and message in err and len(err.strip().splitlines()) == 1


def test_shape_of_an_input_that_is_not_there(avo, model):
    status, _, err = avo("run", model(_two_inputs()), "--shape", "y=7,3")
    assert status == 1 and "NAME is one of k, flag, w, x, got 'y=7,3'" in err
