# SPDX-License-Identifier: Apache-2.0
"""Exports models from torch to ONNX, runs them in ONNX Runtime with our library, and compares with torch.

Tests of all operators name none: they find the operators that have a node of their own.
"""

from __future__ import annotations

import numpy as np
import pytest
import torch
import torch.nn.functional as F

onnx = pytest.importorskip("onnx", reason="the package onnx is not installed")
pytest.importorskip("onnxscript", reason="the package onnxscript is not installed")
ort = pytest.importorskip("onnxruntime", reason="the package onnxruntime is not installed")

import ascend_vision_ops as avo  # noqa: E402
from ascend_vision_ops.nn import CornerPool  # noqa: E402
from ascend_vision_ops.onnx import export, files, nodes, passes  # noqa: E402
from ascend_vision_ops.onnx.execute import Runner  # noqa: E402
from ascend_vision_ops.onnx.exporter import ExportError  # noqa: E402
from ascend_vision_ops.opgen.nodes import DOMAIN  # noqa: E402
from ascend_vision_ops.testing.run import as_tuple, spec_of  # noqa: E402
from ascend_vision_ops.testing.torch_calls import example, small_calls  # noqa: E402
from tests.onnx import oracle  # noqa: E402

OPERATORS = sorted(found.operator for found in nodes() if found.domain == DOMAIN)


class Calls(torch.nn.Module):
    """Several functions of tensors in one model; each takes as many tensors as it needs."""

    def __init__(self, *functions, counts=None):
        super().__init__()
        self.functions, self.counts = functions, counts or [1] * len(functions)

    def forward(self, *tensors):
        results, rest = [], list(tensors)
        for function, count in zip(self.functions, self.counts, strict=True):
            results += as_tuple(function(*rest[:count]))
            del rest[:count]
        return tuple(results)


def runs(path, tensors) -> list[np.ndarray]:
    """Checks a file with onnx's checker and gives its results in ONNX Runtime."""
    onnx.checker.check_model(str(path), full_check=True)
    proto = onnx.load(path)
    names = [value.name for value in proto.graph.input]
    return list(oracle.run(proto, {n: t.numpy() for n, t in zip(names, tensors, strict=True)}).values())


def agree(results, wanted, tolerance=0.0):
    for result, want in zip(results, wanted, strict=True):
        got = torch.from_numpy(np.asarray(result))
        torch.testing.assert_close(got, want.detach(), rtol=tolerance, atol=tolerance, equal_nan=True)


def types(model) -> list[str]:
    return [f"{node.domain}::{node.op_type}" if node.domain else node.op_type for node in model.graph]


# --- each operator


@pytest.mark.parametrize("operator", OPERATORS)
def test_operator(operator, tmp_path):
    """The contract's example and the first cases: each call becomes a node and gives the same bits, by the same
    kernel.
    """
    calls = [example(operator), *(call for _, call in small_calls(operator, 3))]
    module = Calls(*(call.function for call in calls), counts=[len(call.tensors) for call in calls])
    tensors = [tensor for call in calls for tensor in call.tensors]
    model = export(module.eval(), tensors, tmp_path / "model.onnx")
    assert types(model).count(f"{DOMAIN}::{operator}") == len(calls)
    agree(runs(tmp_path / "model.onnx", tensors), module(*tensors))


def test_operators_for_atc(tmp_path):
    """The model has one operator set and names without a domain. Converted back, it gives the same results."""
    calls = [example(operator) for operator in OPERATORS if spec_of(operator).has_kernel]
    module = Calls(*(call.function for call in calls), counts=[len(call.tensors) for call in calls]).eval()
    tensors = [tensor for call in calls for tensor in call.tensors]
    model = export(module, tensors, tmp_path / "model.onnx", "atc", opset=16)
    assert dict(model.graph.opset_imports) == {"": 16}
    assert sum(not onnx.defs.has(node.op_type) for node in model.graph) == len(calls)
    assert not any(node.domain for node in model.graph)
    feeds = {v.name: t.numpy() for v, t in zip(model.graph.inputs, tensors, strict=True)}
    runner = Runner(files.load(tmp_path / "model.onnx"), stand_ins=False)
    agree(runner(feeds).values(), module(*tensors))
    assert runner.how == "ONNX Runtime"


def test_operators_without_a_kernel_are_refused_for_atc(tmp_path):
    for call in [example(operator) for operator in OPERATORS if not spec_of(operator).on_device]:
        module = Calls(call.function, counts=[len(call.tensors)]).eval()
        with pytest.raises(
            ExportError, match=f"{call.operator}: expected an operator with an AscendC kernel"
        ):
            export(module, call.tensors, tmp_path / "m.onnx", "atc")
    assert not any(tmp_path.iterdir())


def test_results_of_open_shapes_are_refused_for_atc(tmp_path):
    specs = ((operator, spec_of(operator)) for operator in OPERATORS)
    call = example(next(operator for operator, spec in specs if spec.composite and spec.on_device))
    message = f"{call.operator}: expected results of a fixed shape.* use {spec_of(call.operator).composite}"
    with pytest.raises(ExportError, match=message):
        export(
            Calls(call.function, counts=[len(call.tensors)]).eval(), call.tensors, tmp_path / "m.onnx", "atc"
        )
    assert not any(tmp_path.iterdir())


# --- operators of torch


def test_linear_interpolation_is_one_resize(tmp_path):
    """By length and by factor, to one sample, and with factors that are no ratio of lengths. Equal lengths give a
    copy.
    """

    def resized(**options):
        return lambda x: F.interpolate(x, mode="linear", **options)

    sizes = [resized(size=size, align_corners=align) for size in (1, 7, 23) for align in (False, True)]
    factors = [resized(scale_factor=factor) for factor in (0.33, 1.27, 2)]
    signal = torch.randn(2, 3, 10, generator=torch.Generator().manual_seed(0))
    module = Calls(*(functions := [*sizes, *factors, resized(scale_factor=1.04), resized(size=10)])).eval()
    model = export(module, [signal] * len(functions), tmp_path / "model.onnx")
    assert sorted(types(model)) == ["Identity"] * 2 + ["Resize"] * (len(functions) - 2)
    # ONNX Runtime computes positions in float32, torch computes the ratio of lengths in double.
    agree(runs(tmp_path / "model.onnx", [signal] * len(functions)), module(*[signal] * len(functions)), 1e-5)


def test_a_factor_that_float32_would_make_another_length(tmp_path):
    """0.29 of 100 is 28 in double, and 29 in float32."""
    signal = torch.randn(1, 2, 100, generator=torch.Generator().manual_seed(0))
    module = Calls(lambda x: F.interpolate(x, scale_factor=0.29, mode="linear")).eval()
    model = export(module, signal, tmp_path / "model.onnx")
    assert types(model) == [f"{DOMAIN}::upsample_linear1d"]
    agree(runs(tmp_path / "model.onnx", [signal]), module(signal), 1e-5)


def test_running_maxima_of_torch(tmp_path):
    values = torch.tensor([[1.0, float("nan"), 3.0, 3.0], [2.0, 2.0, 1.0, 5.0]])
    module = Calls(lambda x: torch.cummax(x, 1), lambda x: torch.cummin(x, -2)).eval()
    model = export(module, [values, values], tmp_path / "model.onnx")
    assert sorted(types(model)) == [f"{DOMAIN}::cummax", f"{DOMAIN}::cummin"]
    agree(runs(tmp_path / "model.onnx", [values, values]), module(values, values))


def test_what_onnx_has_stays_its_own(tmp_path):
    image, grid = torch.randn(1, 2, 6, 6), torch.rand(1, 4, 5, 2) * 2 - 1
    module = Calls(
        lambda x, g: F.grid_sample(x, g, align_corners=False), lambda x: F.max_pool2d(x, 2), counts=[2, 1]
    ).eval()
    model = export(module, [image, grid, image], tmp_path / "model.onnx")
    assert sorted(types(model)) == ["GridSample", "MaxPool"]
    # The four products are added in two orders.
    agree(runs(tmp_path / "model.onnx", [image, grid, image]), module(image, grid, image), 1e-5)


def test_a_dtype_of_indices_is_a_cast(tmp_path):
    values = torch.randn(3, 4)
    module = Calls(lambda x: avo.argmax(x, 1, dtype=torch.int32)).eval()
    model = export(module, values, tmp_path / "model.onnx")
    assert types(model) == [f"{DOMAIN}::argmax", "Cast"]
    agree(runs(tmp_path / "model.onnx", [values]), module(values))


def test_open_dimensions(tmp_path):
    """The batch may have any size, and linear interpolation any length."""
    module = Calls(lambda x: F.interpolate(avo.cummax(x, 2)[0], scale_factor=2, mode="linear")).eval()
    path = tmp_path / "model.onnx"
    export(
        module, torch.randn(2, 3, 10), path, dynamic_shapes=(({0: "batch", 2: "length"},),), input_names=["x"]
    )
    assert oracle.shapes(onnx.load(path).graph.input) == {"x": ["batch", 3, "length"]}
    for shape in ((2, 3, 10), (5, 3, 4)):
        signal = torch.randn(shape)
        agree(runs(path, [signal]), module(signal), 1e-5)


# --- a detector


class Detector(torch.nn.Module):
    """Boxes and scores of one image, with suppression inside."""

    def __init__(self):
        super().__init__()
        self.features = torch.nn.Sequential(
            torch.nn.Conv2d(3, 4, 3, 2), torch.nn.BatchNorm2d(4), torch.nn.PReLU()
        )
        self.pool, self.head = CornerPool("top"), torch.nn.Conv2d(4, 5, 1)

    def forward(self, image):
        found = self.head(self.pool(self.features(image))).flatten(2)[0].t()
        boxes = torch.cat([10 * found[:, :2], 10 * found[:, :2] + 5 + found[:, 2:4].abs()], 1)
        dets, kept = avo.nms(boxes, torch.sigmoid(found[:, 4]), 0.5, max_num=20)
        return dets, kept + 1


def test_detector_whole_and_without_its_end(tmp_path):
    """The detector has NMS inside. For ATC it is cut off, together with what follows it, as a model of its own."""
    torch.manual_seed(0)
    module, image, path = Detector().eval(), torch.randn(1, 3, 20, 20), tmp_path / "model.onnx"
    wanted = dict(zip(("dets", "kept"), module(image), strict=True))
    names = {"input_names": ["image"], "output_names": list(wanted)}
    model = export(module, image, path, **names)
    assert types(model).count(f"{DOMAIN}::nms") == 1
    agree(runs(path, [image]), wanted.values(), 1e-5)
    steps = "default,cut_postprocessing,convert_opset=16,to_atc"
    end = passes.Manager(passes.passes_of(steps)).run_once(model).split_off["postprocessing"]
    assert dict(model.graph.opset_imports) == {"": 16}
    assert "AscendVisionOpsCornerPool" in types(model)
    assert types(end)[0] == f"{DOMAIN}::nms"
    feeds = {"image": image.numpy()}
    feeds |= Runner(model, stand_ins=False)(feeds)
    found = Runner(end, stand_ins=False)({value.name: feeds[value.name] for value in end.graph.inputs})
    agree([found[name] for name in wanted], wanted.values(), 1e-5)
    with pytest.raises(ExportError, match="nms: expected results of a fixed shape"):
        export(module, image, path, "atc", **names)


def boxes(count):
    generator = torch.Generator().manual_seed(count)
    corners = torch.rand(count, 2, generator=generator) * 20
    sides = 5 + torch.rand(count, 2, generator=generator) * 10
    return torch.cat([corners, corners + sides], 1), torch.rand(count, generator=generator)


def test_any_number_of_boxes(tmp_path):
    module, path = Calls(lambda b, s: avo.nms(b, s, 0.4), counts=[2]).eval(), tmp_path / "model.onnx"
    n = torch.export.Dim("n")
    export(module, boxes(30), path, dynamic_shapes=(({0: n}, {0: n}),))
    for count in (30, 7, 1):
        agree(runs(path, boxes(count)), module(*boxes(count)))


def test_a_program_that_torch_exported_already(tmp_path):
    """A program may be exported as it is. After a decomposition, our operators are no longer in it."""
    module, path = Calls(lambda b, s: avo.nms(b, s, 0.4), counts=[2]).eval(), tmp_path / "model.onnx"
    program = torch.export.export(module, boxes(30))
    export(program, boxes(30), path)
    agree(runs(path, boxes(30)), module(*boxes(30)))
    with pytest.raises(ExportError, match=r"model: expected operators .* in one piece"):
        export(
            torch.export.export(module, boxes(30)).run_decompositions(), boxes(30), tmp_path / "apart.onnx"
        )
    assert not (tmp_path / "apart.onnx").exists()


@pytest.mark.filterwarnings("error")
def test_half_precision_without_a_warning(tmp_path):
    module = torch.nn.Sequential(torch.nn.Conv2d(2, 3, 1), CornerPool("left")).half().eval()
    image = torch.randn(1, 2, 5, 4, generator=torch.Generator().manual_seed(0)).half()
    export(module, image, tmp_path / "model.onnx")
    # float16 has 11 bits; the convolution's two products are rounded in another place.
    agree(runs(tmp_path / "model.onnx", [image]), [module(image)], 2e-3)


# --- errors


@pytest.mark.parametrize(
    ("flavour", "opset", "message"),
    [
        ("onnx", 18, "flavour: expected ort or atc, got 'onnx'"),
        ("ort", 11, "opset: expected 16 to [0-9]+ for flavour ort, got 11"),
        ("atc", 19, "opset: expected 16 to 18 for flavour atc, got 19"),
        ("ort", "18", "opset: expected 16 to [0-9]+ for flavour ort, got '18'"),
    ],
)
def test_bad_arguments(flavour, opset, message, tmp_path):
    with pytest.raises(ExportError, match=message):
        export(Calls(torch.relu).eval(), torch.randn(2), tmp_path / "model.onnx", flavour, opset=opset)
    assert not any(tmp_path.iterdir())


def test_no_folder(tmp_path):
    with pytest.raises(FileNotFoundError, match=r"no folder .*absent to write model.onnx to"):
        export(Calls(torch.relu).eval(), torch.randn(2), tmp_path / "absent" / "model.onnx")


def test_an_attribute_that_only_a_run_decides(tmp_path):
    module = Calls(lambda x: avo.upsample_linear1d(x, [x.shape[2] * 2])).eval()
    with pytest.raises(ExportError, match="upsample_linear1d: output_size: expected a constant"):
        export(module, torch.randn(1, 2, 5), tmp_path / "m.onnx", dynamic_shapes=(({2: "length"},),))


def test_a_factor_of_an_open_length(tmp_path):
    """2.1 times 30 gives another length in float32 than in double."""
    module = Calls(lambda x: F.interpolate(x, scale_factor=2.1, mode="linear")).eval()
    with pytest.raises(
        ExportError, match=r"interpolate: scale_factor: expected a multiple of 1/256 .* got 2\.1"
    ):
        export(module, torch.randn(1, 2, 30), tmp_path / "m.onnx", dynamic_shapes=(({2: "length"},),))


def test_an_operator_set_without_a_way_back(tmp_path):
    """ScatterElements of a maximum exists from set 18 on. No file is written that states set 18 instead of an older
    one.
    """
    module = Calls(
        lambda x: torch.scatter_reduce(x, 0, torch.zeros(1, 3, dtype=torch.int64), x, "amax")
    ).eval()
    with pytest.raises(ExportError, match="convert_opset: no way from 18 to 16"):
        export(module, torch.randn(2, 3), tmp_path / "model.onnx", opset=16)
    assert not any(tmp_path.iterdir())


def test_what_torch_cannot_export_is_torchs_error(tmp_path):
    module = Calls(lambda x: torch.ops.aten._cdist_backward(x, x, x, 2.0, x)).eval()
    with pytest.raises(torch.onnx.errors.OnnxExporterError, match="_cdist_backward"):
        export(module, torch.randn(3, 3), tmp_path / "model.onnx")
