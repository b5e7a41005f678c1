# SPDX-License-Identifier: Apache-2.0
"""Large weights stay in the file of a model: the files that are written, and what odd files do."""

from __future__ import annotations

import io
import subprocess
import sys
from pathlib import Path

import ml_dtypes
import numpy as np
import pytest

onnx = pytest.importorskip("onnx", reason="the extra onnx is not installed")
pytest.importorskip("onnxscript", reason="the extra onnx is not installed")

import onnx_ir as ir  # noqa: E402
from onnx import TensorProto, helper, numpy_helper  # noqa: E402

from ascend_vision_ops.onnx import _stream, files  # noqa: E402
from benchmarks.onnx_models import Builder  # noqa: E402

ROOT = Path(__file__).resolve().parents[2]

INFO = helper.make_tensor_value_info
BOOL, FLOAT = TensorProto.BOOL, TensorProto.FLOAT


def weights():
    """One array of each type of whole bytes, larger than what is left to protobuf, and a small one."""
    rng = np.random.default_rng(0)
    kinds = ["f4", "f8", "f2", "i1", "u2", "i8", "?", ml_dtypes.bfloat16, ml_dtypes.float8_e4m3fn, "c8"]
    arrays = {f"large{i}": rng.integers(-9, 9, (33, 200)).astype(kind) for i, kind in enumerate(kinds)}
    return arrays | {"small": rng.standard_normal(7).astype("f4")}


def model() -> onnx.ModelProto:
    """Weights in the graph, in a branch and in a Constant; texts at all places where a message has them."""
    b = Builder()
    for name, array in weights().items():
        b.weight(array, name)
        b.weights[-1].doc_string = f"doc of {name}"
        b.weights[-1].metadata_props.add(key="k", value=name)
    inner = numpy_helper.from_array(np.arange(5000, dtype="f4"), "inner")
    then = helper.make_graph(
        [helper.make_node("Add", ["x", "inner"], ["t"])], "then", [], [INFO("t", FLOAT, [5000])], [inner]
    )
    other = helper.make_graph([helper.make_node("Neg", ["x"], ["e"])], "else", [], [INFO("e", FLOAT, [5000])])
    y = b.op("If", "flag", then_branch=then, else_branch=other)
    held = b.op("Constant", value=numpy_helper.from_array(np.arange(5000, dtype="f4") / 3))
    proto = b.model({"x": [5000], "flag": (BOOL, [])}, {b.op("Mul", y, held): [5000]})
    proto.doc_string = proto.graph.doc_string = "a text"
    proto.metadata_props.add(key="author", value="nobody")
    return proto


def test_a_file_is_written_as_it_was_read(tmp_path):
    onnx.save(model(), tmp_path / "a.onnx")
    read = files.load(tmp_path / "a.onnx")
    values = [value for graph in read.graphs() for value in graph.initializers.values()]
    assert (
        sum(isinstance(value.const_value, _stream.InFile) for value in values) == 11
    )  # those of the main graph and of the branch
    files.save(read, tmp_path / "b.onnx")
    a, b = (onnx.load(tmp_path / f"{name}.onnx") for name in "ab")
    for node in a.graph.node:  # onnx's helper writes empty ones, too
        node.ClearField("domain")
    assert a == b  # protobuf compares all fields
    onnx.checker.check_model(b, full_check=True)


@pytest.mark.parametrize("name", weights())
def test_numbers_of_each_type(tmp_path, name):
    onnx.save(model(), tmp_path / "a.onnx")
    tensor = files.load(tmp_path / "a.onnx").graph.initializers[name].const_value
    want = weights()[name]
    assert tensor.dtype == ir.DataType.from_numpy(want.dtype) and tuple(tensor.shape) == want.shape
    assert tensor.tobytes() == want.tobytes() == tensor.numpy().tobytes()
    assert tensor.numpy().flags.aligned


def test_what_is_no_file_of_a_disk(tmp_path):
    onnx.save(model(), tmp_path / "a.onnx")
    read, pipe = files.load(tmp_path / "a.onnx"), io.BytesIO()
    tensor = read.graph.initializers["large1"].const_value
    tensor.tofile(pipe)
    assert pipe.getvalue() == weights()["large1"].tobytes()
    files.save(read, Path("/dev/null"))
    assert Path("/dev/null").is_char_device()


def test_a_model_over_its_own_file(tmp_path):
    """The weights that are written come from the file that is replaced."""
    path, link = tmp_path / "a.onnx", tmp_path / "link.onnx"
    onnx.save(model(), path)
    path.chmod(0o640)
    link.symlink_to(path)
    read = files.load(link)
    files.save(read, link)
    assert link.is_symlink() and path.stat().st_mode & 0o777 == 0o640
    assert sorted(file.name for file in tmp_path.iterdir()) == ["a.onnx", "link.onnx"]
    files.save(read, path)  # once more, from a file that has no name any more
    for item in onnx.load(path).graph.initializer:
        assert item.raw_data == weights()[item.name].tobytes()


def test_a_failed_write_leaves_the_old_file(tmp_path, monkeypatch):
    path = tmp_path / "a.onnx"
    onnx.save(model(), path)
    before = path.read_bytes()
    read = files.load(path)

    def broken(self, file):
        raise OSError("no space left on device")

    monkeypatch.setattr(_stream.InFile, "tofile", broken)
    with pytest.raises(OSError, match="no space"):
        files.save(read, path)
    assert path.read_bytes() == before and list(tmp_path.iterdir()) == [path]


def test_a_file_that_became_shorter(tmp_path):
    path = tmp_path / "a.onnx"
    onnx.save(model(), path)
    read = files.load(path)
    with path.open("r+b") as file:
        file.truncate(1000)
    with pytest.raises(ValueError, match=r"weight '\w*' is no longer in .*a\.onnx, which became shorter"):
        files.save(read, tmp_path / "b.onnx")
    with pytest.raises(ValueError, match="which became shorter"):
        read.graph.initializers["large0"].const_value.numpy()


def _cut(proto):  # the last bytes are missing
    return proto.SerializeToString()[:-100]


def _wrong_size(proto):
    proto.graph.initializer[0].dims[0] = 34
    return proto.SerializeToString()


def _twice(proto):
    """The raw data of a weight stand twice; protobuf takes the last ones."""
    tensor = proto.graph.initializer[0]
    double = tensor.SerializeToString() + TensorProto(raw_data=bytes(33 * 200 * 4)).SerializeToString()
    head = _stream._head(7, len(_stream._head(5, len(double))) + len(double))
    return proto.SerializeToString() + head + _stream._head(5, len(double)) + double


ODD = {
    "cut off": _cut,
    "wrong size": _wrong_size,
    "twice": _twice,
    "noise": lambda proto: bytes(range(256)) * 40,
}


@pytest.mark.parametrize("name", ODD)
def test_odd_files_are_left_to_protobuf(tmp_path, name):
    path = tmp_path / "a.onnx"
    path.write_bytes(ODD[name](model()))
    if name == "twice":
        tensor = files.load(path).graph.initializers["large0"].const_value
        assert not tensor.numpy().any()
        return
    with pytest.raises(
        files.ModelError, match=r"no ONNX model|weight 'large0' has 26400 bytes, expected 27200"
    ):
        files.load(path)


def test_text_and_json(tmp_path):
    for name in ("a.textproto", "a.json"):
        onnx.save(model(), tmp_path / name)
        files.save(files.load(tmp_path / name), tmp_path / f"again_{name}")
        assert len(onnx.load(tmp_path / f"again_{name}").graph.initializer) == len(weights())


def test_the_memory_of_a_process_that_simplifies(tmp_path):
    """Weights of 200 MB in the model's file, of which no pass changes one, are never in memory as a whole.

    protobuf alone would hold them twice. 40 MB are the largest weight, once, and what passes take.
    """
    b, y = Builder(), "x"
    for _ in range(20):
        y = b.op("Identity", b.op("MatMul", y, b.weight(b.rng.random((1600, 1600), "f4"))))
    onnx.save(b.model({"x": [1, 1600]}, {y: [1, 1600]}), tmp_path / "a.onnx")
    program = (
        "import sys\nfrom benchmarks.onnx.tools import peak\nfrom ascend_vision_ops.onnx import files, passes\n"
        "before = peak(); model = files.load(sys.argv[1]); passes.simplify(model); files.save(model, sys.argv[2])\n"
        "print(peak() - before, *(name in sys.modules for name in ('sympy', 'onnxruntime', 'onnx.reference')))"
    )
    paths = [str(tmp_path / name) for name in ("a.onnx", "b.onnx")]
    command = [sys.executable, "-c", program, *paths]
    done = subprocess.run(command, capture_output=True, text=True, check=True, cwd=ROOT)
    more, *imported = done.stdout.split()
    assert imported == ["False"] * 3
    assert float(more) < 40
    assert len(onnx.load(paths[1]).graph.node) == 20


def test_onnx_ir_still_computes_with_dimensions():
    """It gets SymPy when it asks for it, and everybody else gets the real module."""
    program = (
        "import sys, ascend_vision_ops.onnx.files, onnx_ir\nassert 'sympy' not in sys.modules\n"
        "assert str(onnx_ir.SymbolicDim('N') * 2 + 1) in ('2*N + 1', '2 * N + 1')\n"
        "import sympy\nassert sympy.Symbol('N') + 1 and type(sympy).__name__ == 'module'"
    )
    subprocess.run([sys.executable, "-c", program], check=True)
