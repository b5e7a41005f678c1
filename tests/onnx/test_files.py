# SPDX-License-Identifier: Apache-2.0
"""Reads and writes models: broken ones, models with weights in other files, large ones."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

onnx = pytest.importorskip("onnx", reason="the extra onnx is not installed")
pytest.importorskip("onnxruntime", reason="ONNX Runtime is the oracle here")
pytest.importorskip("onnxscript", reason="the extra onnx is not installed")

from ascend_vision_ops.onnx import files, passes  # noqa: E402
from ascend_vision_ops.onnx.execute import Runner  # noqa: E402
from benchmarks import onnx_models as models  # noqa: E402
from tests.onnx.oracle import image, run  # noqa: E402

ROOT = Path(__file__).resolve().parents[2]
SIMPLIFY = "model = files.load(sys.argv[1]); passes.simplify(model); files.save(model, sys.argv[2])"


def peak(work: str, *arguments: str) -> float:
    """The peak memory, in MiB, of a process that has the package's passes and does this work."""
    program = "import sys\nfrom benchmarks.onnx.tools import peak\nfrom ascend_vision_ops.onnx import files, passes\n"
    program += f"{work}\nprint(peak())"
    done = subprocess.run(
        [sys.executable, "-c", program, *arguments], capture_output=True, text=True, check=True, cwd=ROOT
    )
    return float(done.stdout.split()[-1]) * 1e6 / 2**20


@pytest.fixture(scope="module")
def large(tmp_path_factory):
    """200 MB of weights in a file of their own."""
    path = tmp_path_factory.mktemp("large") / "large.onnx"
    models.large(200, path)
    yield path
    for file in path.parent.iterdir():
        file.unlink()


def test_what_is_no_model(tmp_path):
    with pytest.raises(FileNotFoundError, match=r"no model .*none\.onnx"):
        files.load(tmp_path / "none.onnx")
    path = tmp_path / "model.onnx"
    for content in (b"", b"hello world, this is text", models.convnet().SerializeToString()[:500]):
        path.write_bytes(content)
        with pytest.raises(files.ModelError, match=r"model\.onnx is no ONNX model"):
            files.load(path)


def test_weights_that_are_absent_or_short(tmp_path):
    path = tmp_path / "model.onnx"
    onnx.save(models.convnet(), path, save_as_external_data=True, location="model.data", size_threshold=0)
    assert len(files.load(path).graph.initializers)
    data = (tmp_path / "model.data").read_bytes()
    (tmp_path / "model.data").write_bytes(data[:-8])
    with pytest.raises(
        files.ModelError, match=r"weight '\w+' ends at byte [\d,]+ of .*model\.data, which has"
    ):
        files.load(path)
    (tmp_path / "model.data").unlink()
    with pytest.raises(files.ModelError, match=r"weight '\w+' lies in .*model\.data, which is absent"):
        files.load(path)


def test_no_folder_to_write_to(tmp_path):
    path = tmp_path / "model.onnx"
    onnx.save(models.convnet(), path)
    with pytest.raises(FileNotFoundError, match="no folder"):
        files.save(files.load(path), tmp_path / "none" / "model.onnx")


@pytest.mark.filterwarnings("error::UserWarning")
def test_an_unknown_entry_of_an_external_weight_is_no_warning(tmp_path):
    path = tmp_path / "a.onnx"
    onnx.save(models.convnet(), path, save_as_external_data=True, location="a.data", size_threshold=0)
    model = onnx.load(path, load_external_data=False)
    model.graph.initializer[0].external_data.add(key="colour", value="red")
    path.write_bytes(model.SerializeToString())
    first = files.load(path).graph.initializers[model.graph.initializer[0].name].const_value
    wanted = {item.name: item for item in models.convnet().graph.initializer}[first.name]
    assert np.array_equal(first.numpy(), onnx.numpy_helper.to_array(wanted))


def test_external_weights_stay_external_also_over_the_same_file(tmp_path):
    path, before = tmp_path / "model.onnx", models.convnet()
    onnx.save(
        models.convnet(), path, save_as_external_data=True, location="model.onnx.data", size_threshold=0
    )
    model = files.load(path)
    report = passes.simplify(model, checker=passes.Checker(1))
    assert report.nodes_after == 11
    files.save(model, path)  # writes over the file from which its weights are read
    assert path.stat().st_size < 6000 and (tmp_path / "model.onnx.data").is_file()
    x = {"image": image(2, 3, 16, 16)}
    want, got = run(before, x), run(onnx.load(path), x)
    for name in want:
        np.testing.assert_allclose(got[name], want[name], rtol=0, atol=2e-5 * np.abs(want[name]).max())


def test_weights_of_old_models_are_no_inputs(tmp_path):
    proto = models.convnet()
    for weight in proto.graph.initializer:
        proto.graph.input.append(
            onnx.helper.make_tensor_value_info(weight.name, weight.data_type, weight.dims)
        )
    proto.ir_version = 3
    onnx.save(proto, tmp_path / "old.onnx")
    model = files.load(tmp_path / "old.onnx")
    assert [value.name for value in model.graph.inputs] == ["image"]
    assert passes.simplify(model, checker=passes.Checker(1)).nodes_after == 11


def test_a_large_model_is_not_held_twice(large):
    """A process that simplifies and writes the model needs, beyond a process with the same imports, less than two of
    its weights of 16 MiB: their first bytes are read, to find equal ones, and the system copies them."""
    size = (large.parent / "large.onnx.data").stat().st_size / 2**20
    out = large.parent / "small.onnx"
    assert peak(SIMPLIFY, str(large), str(out)) - peak("passes.simplify") < 32
    assert (large.parent / "small.onnx.data").stat().st_size == pytest.approx(size * 2**20, rel=0.01)


def test_a_large_model_is_checked(large):
    model = files.load(large)
    before = Runner(model)
    report = passes.simplify(model, checker=passes.Checker(1))
    assert report.nodes_after == report.nodes_before // 2
    assert report.row("remove_identity").check == "equal"
    assert before.how == "" and before.folder == large.parent.resolve()


def test_the_package_imports_without_onnx():
    program = (
        "import sys\n"
        "class Absent:\n"
        "    def find_spec(self, name, path=None, target=None):\n"
        "        if name.partition('.')[0] in ('onnx', 'onnx_ir', 'onnxscript', 'onnxruntime'):\n"
        "            raise ImportError(name)\n"
        "sys.meta_path.insert(0, Absent())\n"
        "import importlib.util as u\n"
        "real = u.find_spec\n"
        "u.find_spec = lambda name, *a: None if name.startswith('onnx') else real(name, *a)\n"
        "import ascend_vision_ops, ascend_vision_ops.onnx\n"
        "assert ascend_vision_ops.onnx.nodes()\n"
        "from ascend_vision_ops.cli import main\n"
        "sys.exit(main(['onnx', 'info', 'model.onnx']))\n"
    )
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True)
    assert done.returncode == 1
    assert done.stderr == (
        "avo: ONNX models need onnx, onnx_ir, onnxscript: pip install 'ascend-vision-ops[onnx]'\n"
    )
