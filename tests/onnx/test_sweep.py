# SPDX-License-Identifier: Apache-2.0
"""Every verb of `avo onnx` on every kind of model: a result, or one line that says what is wrong."""

from __future__ import annotations

import contextlib
import re
import time
from pathlib import Path

import numpy as np
import pytest

onnx = pytest.importorskip("onnx", reason="the extra onnx is not installed")
pytest.importorskip("onnxruntime", reason="ONNX Runtime is the oracle here")
pytest.importorskip("onnxscript", reason="the extra onnx is not installed")

import onnx_ir as ir  # noqa: E402

from ascend_vision_ops.onnx import passes  # noqa: E402
from tests.onnx import sweep_models as sweep  # noqa: E402
from tests.onnx.commands import runner  # noqa: E402

SECONDS = 60  # of all processors, for one command; none needs a tenth of it


@pytest.fixture
def avo(capsys):
    return runner(capsys)


def verbs(path: Path) -> dict[str, list]:
    folder = path.parent
    return {
        "info": ["info", path],
        "view": ["view", path, "-o", folder / "page.html"],
        "simplify": ["simplify", path, "-o", folder / "small.onnx"],
        "atc": ["convert", path, "--flavour", "atc", "-o", folder / "atc.onnx"],
        "float16": ["convert", path, "--flavour", "ort", "--float16", "-o", folder / "half.onnx"],
        "run": ["run", path],
        "parity": ["parity", path],
    }


def judged(avo, arguments) -> tuple[int, str]:
    """Runs a command. It must end in time, with a status, and with at most one line of error without Python's names."""
    start = time.process_time()
    status, _out, err = avo(*arguments)
    assert time.process_time() - start < SECONDS
    assert status in (0, 1)
    assert err == "" or (err.startswith("avo: ") and err.count("\n") == 1), err
    assert not re.search(r"Traceback|\b[A-Z]\w*(Error|Exception): |is no valid model: [A-Z]\w+:", err), err
    return status, err


VERBS = tuple(verbs(Path()))
# What a verb answers for a valid model instead of a result.
ATC_LACKS = r"convert_opset: no way from \d+ to 18: DataType .* is unallowed for Opset Version \d+"
NO_NUMBERS = "expected a tensor of numbers, got"
ANSWERS = {
    **{
        (name, "atc"): ATC_LACKS
        for name in sweep.VALID
        if re.match(r"(quantized )?(FLOAT8|FLOAT4|U?INT)", name)
    },
    ("strings", "atc"): ATC_LACKS,
    ("strings", "run"): NO_NUMBERS,
    ("sequence_input", "run"): NO_NUMBERS,
    ("optional_input", "run"): NO_NUMBERS,
    **{("sparse", verb): "weight 's' is sparse, expected a dense one" for verb in VERBS},
    **{("maps", verb): "Map types are not supported" for verb in VERBS},
    ("trees", "atc"): "to_atc: ai.onnx.ml::Scaler has no name for ATC",
}


@pytest.mark.parametrize("name", [name for name in sweep.VALID if name != "deep"])
def test_valid_models(avo, tmp_path, name):
    path = sweep.write(sweep.VALID[name], tmp_path / "model.onnx")
    for verb, arguments in verbs(path).items():
        status, err = judged(avo, arguments)
        if (name, verb) in ANSWERS:
            assert status == 1 and re.search(ANSWERS[name, verb], err), f"{verb}: {status}, {err}"
        elif verb != "parity":  # it also tells where ONNX Runtime and onnx's reference differ
            assert (status, err) == (0, ""), f"{verb}: {err}"


def test_5000_nodes_in_a_row(avo, tmp_path):
    path = sweep.write(sweep.deep, tmp_path / "model.onnx")
    for verb in ("info", "view", "simplify", "run"):
        assert judged(avo, verbs(path)[verb]) == (0, "")


# What loading says of a hostile model; the other ones get any result, or one line.
REFUSALS = {
    "cycle": "node Add 'first': input 'b' comes from a node behind it",
    "itself": "node Add 'own': input 'y' comes from a node behind it",
    "twice": "Output 'y' is redeclared",
    "recursion": r"function (local::P[io]ng) calls itself: \1 -> local::P[io]ng -> \1",
    "short raw": r"weight 'w' has 213 bytes, expected 216 for FLOAT \[3, 2, 3, 3\]",
    "overflow": "weight 'w' has 216 bytes, expected",
    "negative dimension": r"weight 'w' has the shape \[-3, 2\], expected no negative dimension",
    "other size": "weight 'w' has 216 bytes, expected 196",
    "huge dims": "weight 'w' has 216 bytes, expected",
    "opset 0": "operator set ai.onnx: expected a version from 1 on, got 0",
    "opset -1": "operator set ai.onnx: expected a version from 1 on, got -1",
    "IR 0": "it has no IR version",
    "no attribute type": "node Conv 'conv': attribute pads: expected INTS, got UNDEFINED",
    "reference outside": "node Conv 'conv': attribute pads: expected a value, got a reference to the attribute 'pads'",
    "two inputs": "2 inputs have the name 'x'",
    "unknown dtype": "99 is not a valid DataType",
    "no outputs": "no ONNX model",
    "bad text": "node Conv .*: a name is not UTF-8",
    "pads of text": "node Conv 'conv': attribute pads: expected INTS, got STRING",
    "pads of floats": "node Conv 'conv': attribute pads: expected INTS, got FLOATS",
    "strides 0": r"node Conv 'conv': attribute strides: expected numbers from 1 on, got \[0, 0\]",
    "group 0": r"node Conv 'conv': attribute group: expected numbers from 1 on, got \[0\]",
    "group -1": r"node Conv 'conv': attribute group: expected numbers from 1 on, got \[-1\]",
}


@pytest.mark.parametrize("name", sweep.HOSTILE)
def test_hostile_models(avo, tmp_path, name):
    path = sweep.write(sweep.HOSTILE[name], tmp_path / "model.onnx")
    for verb, arguments in verbs(path).items():
        status, err = judged(avo, arguments)
        if name in REFUSALS:
            assert status == 1 and re.search(REFUSALS[name], err), f"{verb}: {status}, {err}"


@pytest.mark.parametrize("name", sweep.HOSTILE)
def test_hostile_models_in_python(name):
    """Without the checks of `files.load`: only errors that the functions document."""
    content = sweep.HOSTILE[name]()
    try:
        model = ir.from_proto(onnx.ModelProto.FromString(content) if isinstance(content, bytes) else content)
    except Exception:  # onnx_ir does not take it
        return
    with contextlib.suppress(ValueError, RuntimeError):
        passes.simplify(model)


# Weights in other files --------------------------------------------------------------------------------------------


def external(folder: Path, **entries) -> Path:
    """A model with the weights `a` and `b` in two files. `entries` replace what the model says of `a`."""
    arrays = {"a": np.float32([1, 2, 3, 4]), "b": np.float32([5, 6, 7, 8])}
    nodes = [sweep.node("Add", ["x", "a"], ["s"]), sweep.node("Mul", ["s", "b"], ["y"])]
    weights = [sweep.weight(array, name) for name, array in arrays.items()]
    for one in weights:
        (folder / f"{one.name}.bin").write_bytes(b"\0" * 4096 + one.raw_data)
        where = {"location": f"{one.name}.bin", "offset": "4096", "length": "16"}
        where |= entries if one.name == "a" else {}
        one.ClearField("raw_data")
        one.data_location = onnx.TensorProto.EXTERNAL
        for key, value in where.items():
            one.external_data.add(key=key, value=value)
    model = sweep.made(nodes, [sweep.x()], [sweep.x(name="y")], weights)
    path = folder / "model.onnx"
    path.write_bytes(model.SerializeToString())
    return path


def test_weights_in_two_files(avo, tmp_path):
    path = external(tmp_path)
    for verb, arguments in verbs(path).items():
        assert judged(avo, arguments) == (0, ""), verb
    np.save(tmp_path / "x.npy", np.ones((2, 4), np.float32))
    avo("run", tmp_path / "small.onnx", "--input", f"x={tmp_path / 'x.npy'}", "-o", tmp_path / "out")
    assert np.array_equal(np.load(tmp_path / "out" / "y.npy")[0], [10, 18, 28, 40])


LIES = {
    "behind the end": ({"offset": "8192"}, "weight 'a' ends at byte 8,208"),
    "too long": ({"length": "64"}, "weight 'a' has 64 bytes, expected 16|ends at byte"),
    "no number": ({"offset": "here"}, "invalid literal for int"),
    "negative": ({"offset": "-4"}, "offset must be non-negative, got -4 for tensor 'a'"),
    "2^63": ({"offset": str(2**63)}, "ends at byte"),
    "another folder": ({"location": "../a.bin"}, "outside"),
    "absolute": ({"location": "/etc/hostname"}, "outside"),
    "nothing": ({"location": ""}, "weight 'a'"),
    "a folder": ({"location": "."}, "weight 'a'"),
    "absent": ({"location": "c.bin"}, "which is absent"),
}


@pytest.mark.parametrize("name", LIES)
def test_lies_about_files(avo, tmp_path, name):
    entries, message = LIES[name]
    (tmp_path / "a.bin").write_bytes(b"\0" * 5000)
    folder = tmp_path / "model"
    folder.mkdir()
    path = external(folder, **entries)
    for verb, arguments in verbs(path).items():
        status, err = judged(avo, arguments)
        assert status == 1 and re.search(message, err), f"{verb}: {err}"


def test_a_link_to_another_folder(avo, tmp_path):
    folder = tmp_path / "model"
    folder.mkdir()
    path = external(folder)
    (folder / "a.bin").rename(tmp_path / "a.bin")
    (folder / "a.bin").symlink_to(tmp_path / "a.bin")
    status, err = judged(avo, verbs(path)["simplify"])
    assert status == 1 and "outside" in err


def test_the_sweep_catches_a_traceback(avo, tmp_path, monkeypatch):
    """A deliberate fault: a verb that raises what nobody expects."""
    from ascend_vision_ops.cli import onnx as verbs_of_onnx

    def broken(options):
        raise IndexError("list index out of range")

    monkeypatch.setattr(verbs_of_onnx, "run_info", broken)
    path = sweep.write(sweep.network, tmp_path / "model.onnx")
    with pytest.raises((AssertionError, IndexError)):
        judged(avo, ["info", path])
