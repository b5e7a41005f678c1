# SPDX-License-Identifier: Apache-2.0
"""The comparison of simplifiers: what it says of peers that are wrong, refuse, or make a file larger."""

from __future__ import annotations

import json
from dataclasses import replace

import numpy as np
import pytest

onnx = pytest.importorskip("onnx", reason="the extra onnx is not installed")
pytest.importorskip("onnxruntime", reason="ONNX Runtime is the judge here")
pytest.importorskip("onnx_ir", reason="the extra onnx is not installed")

from benchmarks.onnx import judge, models, page, tools  # noqa: E402
from benchmarks.onnx.__main__ import measure  # noqa: E402
from benchmarks.onnx.models import Absent, Model  # noqa: E402
from benchmarks.onnx.page import Row, Tool  # noqa: E402
from benchmarks.onnx_models import Builder  # noqa: E402

NAMES = [tools.OURS, "right", "wrong", "renames", "refuses", "breaks"]


def tiny() -> onnx.ModelProto:
    b = Builder()
    y = b.op("Identity", b.op("Mul", "x", b.weight(np.float32(2), "factor")))
    return b.model({"x": [2, 3]}, {b.op("Neg", y): [2, 3]})


@pytest.fixture
def model(tmp_path):
    """A model whose file is there already."""

    class Given(Model):
        def file(self):
            return tmp_path / "tiny.onnx"

    onnx.save(tiny(), tmp_path / "tiny.onnx")
    return Given("tiny", "made 1")


def fake(tool, path, result):
    """Simplifiers that do what their names say; ours is a real one that runs in this process."""
    if tool == tools.OURS:
        tools.TOOLS[tool](str(path), str(result))
        return tools.Run(1.0, 100.0)
    if tool == "refuses":
        return tools.Run(0.0, 0.0, "ValueError: no such node | nothing")
    made = onnx.load(path)
    if tool == "wrong":
        made.graph.initializer[0].CopyFrom(onnx.numpy_helper.from_array(np.float32(2.01), "factor"))
    if tool == "renames":
        made.graph.node[-1].output[0] = made.graph.output[0].name = "other"
    if tool == "breaks":
        made.graph.node[0].op_type = "Nonsense"
    if tool == "right":
        made.graph.initializer.append(onnx.numpy_helper.from_array(np.zeros(100, np.float32), "unused"))
    onnx.save(made, result)
    return tools.Run(2.0, 50.0)


def test_verdicts(model):
    row = measure(model, NAMES, 1, fake)
    assert {name: tool.word for name, tool in row.tools.items()} == {
        tools.OURS: "right", "right": "right", "wrong": "wrong", "renames": "wrong", "refuses": "refused",
        "breaks": "wrong",
    }  # fmt: skip
    assert "differs by 0.005" in row.tools["wrong"].wrong
    assert "is absent" in row.tools["renames"].wrong
    assert "cannot run it" in row.tools["breaks"].wrong
    assert row.nodes == 3 and row.tools[tools.OURS].nodes == row.fewest == 2


def test_what_the_rows_say_together(model):
    rows = [measure(model, NAMES, 1, fake)]
    ours, right = page.total(rows, tools.OURS), page.total(rows, "right")
    assert (ours.refused, ours.wrong, ours.fewest, ours.grown) == (0, 0, 1, 0)
    assert (right.fewest, right.grown, right.time, right.memory) == (0, 1, 2.0, 0.5)
    assert page.total(rows, "wrong").wrong == page.total(rows, "refuses").refused == 1
    told = page.goals(rows, NAMES)
    assert "goal met: fewest nodes on 90% of the models" in told
    assert "goal missed: the least memory" in told


def test_fewer_nodes_of_a_wrong_result_do_not_count():
    good, bad = Tool(5, 10, 1.0, 1.0), Tool(1, 10, 1.0, 1.0, wrong="output 'y' is absent")
    row = Row("m", "s 1", 9, 10, {tools.OURS: good, "peer": bad})
    assert row.nodes_cell(tools.OURS) == "**5**" and row.nodes_cell("peer") == "wrong"
    fewer = Row("m", "s 1", 9, 10, {tools.OURS: good, "peer": replace(bad, wrong="")})
    assert page.total([fewer] * 10, tools.OURS).fewest == 0
    assert "goal missed: fewest nodes on 90% of the models" in page.goals([fewer] * 10, [tools.OURS, "peer"])


def test_page(model):
    rows = [measure(model, NAMES, 1, fake)]
    text = page.text_of(rows, NAMES, {"right": "1.2"})
    assert "| tiny | made 1 | 3 | **2** | 3 | wrong | wrong | refused | wrong |" in text
    assert "| tiny | refuses | refused: ValueError: no such node / nothing |" in text
    assert "(grown)" in text and "right 1.2" in text


def test_rows_are_kept(model, tmp_path, monkeypatch):
    monkeypatch.setattr(page, "FOLDER", tmp_path)
    row = measure(model, NAMES, 1, fake)
    assert page.stored("tiny") is None
    page.store(row)
    assert page.stored("tiny") == row
    monkeypatch.setattr(page, "sources", lambda: "other passes")
    assert page.stored("tiny") is None


def test_figure(model, tmp_path):
    pytest.importorskip("matplotlib", reason="matplotlib draws the figure")
    page.COLOURS |= dict.fromkeys(NAMES, "#000000")
    page.draw([measure(model, NAMES, 1, fake)], NAMES, tmp_path / "figure.svg")
    text = (tmp_path / "figure.svg").read_text(encoding="utf-8")
    assert "tiny" in text and "CPU time, over ours" in text


@pytest.mark.parametrize(
    ("want", "got", "distance"),
    [
        ([4.0, -2.0], [4.0, -1.0], 0.25),
        ([0.0], [1e-30], np.inf),
        ([np.nan, 1.0], [np.nan, 1.0], 0.0),
        ([np.nan, 1.0], [1.0, 1.0], np.inf),
        ([np.inf], [-np.inf], np.inf),
        ([[1.0]], [1.0], np.inf),
    ],
)
def test_distance(want, got, distance):
    assert judge.distance(np.float32(want), np.float32(got)) == distance


def test_rounding_that_a_model_magnifies_is_no_fault(tmp_path):
    """Sin(100000 x): a rounding step of the factor means as much as one of x, another factor does not."""

    def write(name: str, factor: float):
        b = Builder()
        y = b.op("Sin", b.op("Mul", "x", b.weight(np.float32(factor))))
        onnx.save(b.model({"x": [8]}, {y: [8]}), tmp_path / name)
        return tmp_path / name

    judged = judge.Judge(write("a.onnx", 1e5), {})
    near = judged.judge(write("near.onnx", np.nextafter(np.float32(1e5), np.float32(2e5))))
    assert near.error > judge.LARGEST and not near.wrong
    assert "differs" in judged.judge(write("far.onnx", 1.01e5)).wrong


def test_count_of_nodes(tmp_path):
    """Constants count nowhere, branches count with the main graph."""
    info = onnx.helper.make_tensor_value_info("r", onnx.TensorProto.FLOAT, [2])
    branches = [
        onnx.helper.make_graph([onnx.helper.make_node(kind, ["x"], ["r"])], kind, [], [info])
        for kind in ("Neg", "Abs")
    ]
    b = Builder()
    flag = b.op("Constant", value=onnx.numpy_helper.from_array(np.array(True)))
    out = b.op("If", flag, then_branch=branches[0], else_branch=branches[1])
    onnx.save(b.model({"x": [2]}, {out: [2]}), tmp_path / "if.onnx")
    assert judge.node_count(tmp_path / "if.onnx") == 3


def test_size_counts_external_weights(tmp_path):
    (tmp_path / "a.onnx").write_bytes(b"12")
    (tmp_path / "a.onnx.data").write_bytes(b"345")
    assert judge.size(tmp_path / "a.onnx") == 5


def test_an_input_whose_shape_nobody_states(tmp_path):
    b = Builder()
    onnx.save(b.model({"x": ["n", 3]}, {b.op("Neg", "x"): ["n", 3]}), tmp_path / "a.onnx")
    with pytest.raises(ValueError, match=r"input 'x': expected a shape in models\.json"):
        judge.feeds_of(tmp_path / "a.onnx", {})
    assert judge.feeds_of(tmp_path / "a.onnx", {"x": [4, 3]})["x"].shape == (4, 3)
    assert judge.feeds_of(tmp_path / "a.onnx", {}, (5, 3))["x"].shape == (5, 3)


def test_the_list_of_models():
    """Every model has a source with a version, and a file or a shape."""
    document = json.loads(models.FILE.read_text(encoding="utf-8"))
    found = models.models()
    assert len({model.name for model in found}) == len(found) >= 30
    assert all(source == "onnx" or len(source.split()) == 2 for source in document["packages"])
    assert all(bool(model.path) != bool(model.input) for model in found)


def test_a_package_without_the_file(tmp_path, monkeypatch):
    import zipfile

    monkeypatch.setattr(models, "FOLDER", tmp_path)
    (tmp_path / "wheels").mkdir()
    with zipfile.ZipFile(tmp_path / "wheels" / "some_package-1.0-py3-none-any.whl", "w") as wheel:
        wheel.writestr("some/model.onnx", b"model")
    assert Model("m", "some-package 1.0", "some/model.onnx").file().read_bytes() == b"model"
    with pytest.raises(Absent, match=r"has no file other\.onnx"):
        Model("m", "some-package 1.0", "other.onnx").file()


def test_a_real_process(tmp_path):
    """The process tells its CPU time and its own memory, not this process's."""
    onnx.save(tiny(), tmp_path / "tiny.onnx")
    done = tools.run(tools.OURS, tmp_path / "tiny.onnx", tmp_path / "out.onnx")
    assert not done.refused and 0 < done.seconds < tools.LIMIT and 20 < done.megabytes < 1000
    (tmp_path / "broken.onnx").write_bytes(b"no model")
    assert "broken.onnx" in tools.run(tools.OURS, tmp_path / "broken.onnx", tmp_path / "none.onnx").refused
