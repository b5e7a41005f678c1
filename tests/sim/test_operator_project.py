# SPDX-License-Identifier: Apache-2.0
"""Operators of a folder with op_host and op_kernel: tests/sim/operator_project, which stands for somebody's project.

Each test runs with our headers, and with CANN's own where AVO_ASCEND_HEADERS names them.
"""

from __future__ import annotations

import re
import shutil
import subprocess
import sys
from dataclasses import replace
from pathlib import Path
from types import SimpleNamespace

import numpy as np
import pytest

from ascend_vision_ops import sim
from ascend_vision_ops.sim import CompileError, FrameworkError, KernelFault, operator_call
from ascend_vision_ops.sim.operator_call import PreparedCall
from ascend_vision_ops.sim.operator_definition import Definition, Parameter
from ascend_vision_ops.testing import plugin
from ascend_vision_ops.testing.run import missing

PROJECT = Path(__file__).parent / "operator_project"
PAGE = Path(__file__).parents[2] / "docs" / "simulator.md"

pytestmark = [
    pytest.mark.usefixtures("ascendc"),
    pytest.mark.skipif(bool(missing("aclnn")), reason="the simulated device is not built"),
]


@pytest.fixture(scope="module")
def scaled_add():
    return sim.operator(PROJECT, "ScaledAdd")


@pytest.fixture(scope="module")
def part_sums():
    return sim.operator(PROJECT, "PartSums")


def arrays(dtype, size: int = 4096, count: int = 3) -> list[np.ndarray]:
    rng = np.random.default_rng(7)
    return [rng.integers(-8, 8, size).astype(dtype) for _ in range(count)]


@pytest.mark.parametrize("dtype", [np.float32, np.float16])
@pytest.mark.parametrize("biased", [False, True])
def test_results_are_numpys(scaled_add, dtype, biased):
    x, y, bias = arrays(dtype, 5136)
    z = scaled_add(x, y, bias if biased else None, alpha=0.5, offset=2)
    assert z.dtype == dtype
    np.testing.assert_array_equal(z, x + dtype(0.5) * y + (bias if biased else 0) + dtype(2))


def test_inputs_by_name_and_views(scaled_add):
    x, y, _ = arrays(np.float32)
    z = scaled_add(y=y[::-1].reshape(64, 64), x=x.reshape(64, 64).T, alpha=2)
    np.testing.assert_array_equal(z, x.reshape(64, 64).T + 2 * y[::-1].reshape(64, 64))


def test_tiling_is_the_projects(scaled_add, part_sums):
    x, y, bias = arrays(np.float32)
    plain, biased = scaled_add.tiling(x, y, alpha=1.5), scaled_add.tiling(x, y, bias, alpha=1.5)
    assert (plain.key, biased.key) == (0, 1)
    assert plain.block_dim == 4
    # size, and behind it at multiples of 8: the tile, alpha and the two offsets, up to a multiple of 8.
    assert np.frombuffer(plain.data, np.uint32)[[0, 2]].tolist() == [4096, 1024]
    assert np.frombuffer(plain.data, np.float32)[4:7].tolist() == [1.5, 0, 0]
    assert len(plain.data) == 32
    assert part_sums.tiling(x, shapes=[8]).workspace == 16 * 1024 * 1024 + 8 * 32


def test_workspace_and_results_of_the_caller(part_sums):
    (x,) = arrays(np.float32, count=1)
    out = np.full(8, -1, np.float32)
    assert part_sums(x, out=out) is out
    assert out[0] == x.sum()
    assert part_sums(x, shapes=[8])[0] == x.sum()


def test_lists_of_tensors_and_values_on_the_host():
    op = sim.operator(PROJECT, "FirstElements")
    arrays = [np.arange(size, dtype=np.float32) + size for size in (64, 24, 40)]
    rows = op([array.reshape(2, -1) for array in arrays], np.array([16]))
    np.testing.assert_array_equal(rows, np.stack([array[:16] for array in arrays]))
    with pytest.raises(TypeError, match="x: expected a list of arrays, got ndarray"):
        op(arrays[0], np.array([16]))


@pytest.mark.parametrize("scaled", [False, True])
@pytest.mark.parametrize("biased", [False, True])
def test_absent_inputs_keep_their_places(scaled, biased):
    """The tiling asks for no workspace, and the kernel's source launches itself: neither is in the way."""
    op = sim.operator(PROJECT, "JoinedRows")
    x, y, scale, bias = arrays(np.float32, 64, 4)
    z, copy = op(x, y, scale if scaled else None, bias if biased else None, shapes=(x.shape, None))
    np.testing.assert_array_equal(z, x + (scale * y if scaled else y) + (bias if biased else 0) + 3)
    assert copy is None


def test_a_result_that_nobody_wants_is_absent():
    op = sim.operator(PROJECT, "JoinedRows")
    x, y = arrays(np.float32, 64, 2)
    z, copy = op(x, y, shapes=(x.shape, x.shape))
    np.testing.assert_array_equal(copy, z)
    out = np.full(64, -1, np.float32)
    z, copy = op(x, y, out=(out, None))
    assert z is out and copy is None
    np.testing.assert_array_equal(out, x + y + 3)
    assert op.profile(x, y, out=(out, None)).least_bytes == 3 * x.nbytes
    with pytest.raises(ValueError, match="its sources infer no shapes"):
        op(x, y, out=(None, out))


def test_tensors_may_be_parts_of_larger_blocks(monkeypatch):
    """As PyTorch's are: AVO_SIM_TENSOR_SLACK lets a kernel read behind its tensors."""
    op = sim.operator(PROJECT, "JoinedRows")
    x, y = arrays(np.float32, 64, 2)
    with pytest.raises(KernelFault, match=r"GmBounds: .*reads GM bytes \[0, 1280\) of an allocation"):
        op(x, y, behind=256, shapes=(x.shape, None))
    monkeypatch.setenv("AVO_SIM_TENSOR_SLACK", "2048")
    z, _ = op(x, y, behind=256, shapes=(x.shape, None))
    np.testing.assert_array_equal(z, x + y + 3)
    with pytest.raises(KernelFault, match="GmBounds"):
        op(x, y, behind=1024, shapes=(x.shape, None))
    for wrong in ("abc", "-1"):
        monkeypatch.setenv("AVO_SIM_TENSOR_SLACK", wrong)
        with pytest.raises(
            FrameworkError, match=f"AVO_SIM_TENSOR_SLACK must be a number of bytes, got '{wrong}'"
        ):
            op(x, y, shapes=(x.shape, None))


def test_kernels_may_write_behind_tensors_too(tmp_path, monkeypatch):
    shutil.copytree(PROJECT, tmp_path / "project")
    kernel = tmp_path / "project" / "op_kernel" / "joined_rows.cpp"
    text = kernel.read_text()
    kernel.write_text(
        text.replace("DataCopy(global, sum, data.size);", "DataCopy(global[data.size], sum, data.size);")
    )
    assert kernel.read_text() != text
    op = sim.operator(tmp_path / "project", "JoinedRows")
    x, y = arrays(np.float32, 64, 2)
    with pytest.raises(KernelFault, match="GmBounds"):
        op(x, y, shapes=(x.shape, None))
    monkeypatch.setenv("AVO_SIM_TENSOR_SLACK", "2048")
    op(x, y, shapes=(x.shape, None))


def test_each_side_finds_the_projects_headers_of_its_own(tmp_path):
    """Headers of one name in common/op_host and common/op_kernel, and a header of a neighbour's kernel."""
    folder = tmp_path / "kernels" / "joined_rows"
    shutil.copytree(PROJECT, folder)
    for side, number in (("op_host", 5), ("op_kernel", 100)):
        header = tmp_path / "kernels" / "common" / side / "share.h"
        header.parent.mkdir(parents=True)
        header.write_text(f"constexpr int kShare = {number};\n")
    neighbour = tmp_path / "kernels" / "neighbour" / "op_kernel"
    neighbour.mkdir(parents=True)
    (neighbour / "lent.h").write_text("#pragma once\nconstexpr int kLent = 1000;\n")
    for side, old, new in (
        ("op_host", "set_extra(3)", "set_extra(kShare)"),
        ("op_kernel", "(data.extra)", "(data.extra + kShare + kLent)"),
    ):
        source = folder / side / "joined_rows.cpp"
        text = source.read_text().replace(old, new)
        assert new in text
        lent = '#include "lent.h"\n' if side == "op_kernel" else ""
        source.write_text(f'#include "share.h"\n{lent}{text}')
    x, y = arrays(np.float32, 64, 2)
    z, _ = sim.operator(folder, "JoinedRows")(x, y, shapes=(x.shape, None))
    np.testing.assert_array_equal(z, x + y + 1105)
    # The kernel itself may lie in a neighbour's folder.
    shutil.move(folder / "op_kernel" / "joined_rows.cpp", neighbour / "joined_rows.cpp")
    z, _ = sim.operator(folder, "JoinedRows")(x, y, shapes=(x.shape, None))
    np.testing.assert_array_equal(z, x + y + 1105)


def test_host_code_that_a_project_shares(tmp_path):
    """A function of common/src/op_host is found; one that is nowhere is an error that names it, when it is called."""
    folder = tmp_path / "kernels" / "joined_rows"
    shutil.copytree(PROJECT, folder)
    source = folder / "op_host" / "joined_rows.cpp"
    declared = "namespace shared { int Extra(int number); }\n"
    source.write_text(declared + source.read_text().replace("set_extra(3)", "set_extra(shared::Extra(3))"))
    x, y = arrays(np.float32, 64, 2)
    with pytest.raises(FrameworkError, match=r"no host source of the operator has shared::Extra\(int\)"):
        sim.operator(folder, "JoinedRows")(x, y, shapes=(x.shape, None))
    common = tmp_path / "common" / "src" / "op_host"
    common.mkdir(parents=True)
    (common / "extra.cpp").write_text(f"{declared}int shared::Extra(int number) {{ return number + 4; }}\n")
    z, _ = sim.operator(folder, "JoinedRows")(x, y, shapes=(x.shape, None))
    np.testing.assert_array_equal(z, x + y + 7)


def test_a_tiling_that_lies_in_a_neighbours_folder(tmp_path):
    """As upsample_nearest_exact3d of ops-cv, whose tiling is a function of upsample_nearest3d's file."""
    shutil.copytree(PROJECT, tmp_path / "part_sums")
    neighbour = tmp_path / "neighbour" / "op_host"
    neighbour.mkdir(parents=True)
    source = tmp_path / "part_sums" / "op_host" / "part_sums.cpp"
    before, names, after = source.read_text().partition("namespace ops {")
    source.write_text('#include "register/op_def_registry.h"\n' + names + after)
    shutil.copy(source.with_name("operator_tilings.h"), neighbour)
    (neighbour / "sums.cpp").write_text(before)
    (x,) = arrays(np.float32, count=1)
    assert sim.operator(tmp_path / "part_sums", "PartSums")(x, shapes=[8])[0] == x.sum()


@pytest.mark.parametrize("target", ["parts", "result"])
def test_what_a_kernel_leaves_in_its_workspace_is_read_by_nobody(tmp_path, target):
    """Bytes without a value are a fault in a result, and none in the workspace."""
    shutil.copytree(PROJECT, tmp_path / "project")
    kernel = tmp_path / "project" / "op_kernel" / "part_sums.cpp"
    text = kernel.read_text()
    nobody = "buffer.Get<float>()[2 * data.part + 192]"
    last = f"  if (GetBlockIdx() == 0) DataCopy({target}, {nobody}, kBlockElements);\n}}\n"
    kernel.write_text(text.rstrip().removesuffix("}") + last)
    op = sim.operator(tmp_path / "project", "PartSums")
    (x,) = arrays(np.float32, count=1)
    if target == "result":
        with pytest.raises(KernelFault, match=r"Uninitialised.*writes dst"):
            op(x, shapes=[8])
    else:
        assert op(x, shapes=[8])[0] == x.sum()


def test_a_race_raises_and_leaves_results_alone(part_sums):
    (x,) = arrays(np.float32, count=1)
    out = np.full(8, -1, np.float32)
    with pytest.raises(KernelFault, match=r"\(part_sums.cpp.*nothing orders the two blocks") as raised:
        part_sums(x, waits=False, out=out)
    assert raised.value.reports[0]["kernel"] == "part_sums"
    assert (out == -1).all()
    assert part_sums(x, out=out)[0] == x.sum()


def test_a_kernel_may_go_on_behind_a_fault(part_sums, monkeypatch):
    """The error stays an error, and `out` is as before; what the kernel computed is beside it."""
    monkeypatch.setenv("AVO_SIM_ON_FAULT", "continue")
    (x,) = arrays(np.float32, count=1)
    out = np.full(8, -1, np.float32)
    with pytest.raises(KernelFault, match="nothing orders the two blocks") as raised:
        part_sums(x, waits=False, out=out)
    assert (out == -1).all()
    (sums,) = raised.value.results
    assert sums.shape == (8,) and (sums != -1).any()
    monkeypatch.delenv("AVO_SIM_ON_FAULT")
    with pytest.raises(KernelFault) as stopped:
        part_sums(x, waits=False, out=out)
    assert stopped.value.results is None


def test_profile_counts_what_a_call_does(scaled_add):
    x, y, _ = arrays(np.float32)
    figures = scaled_add.profile(x, y, alpha=1)
    assert figures.least_bytes == 3 * x.nbytes
    assert figures.outputs == x.size
    (report,) = figures.reports
    assert (report["kernel"], report["blocks"], report["cores"]) == ("scaled_add", 4, 4)
    assert (report["gm_read_bytes"], report["gm_write_bytes"]) == (2 * x.nbytes + 4 * 32, x.nbytes)
    # A block has one tile: two copies in and one out, Muls, Add and Adds.
    assert report["pipes"]["MTE2"]["instructions"] == 2 * 4
    assert report["pipes"]["MTE3"]["instructions"] == 4
    assert report["pipes"]["V"]["instructions"] == 3 * 4


@pytest.mark.parametrize(
    ("arguments", "named", "error", "message"),
    [
        (1, {"alpha": 1}, TypeError, "ScaledAdd: the input y is missing"),
        (2, {}, TypeError, "ScaledAdd: the attribute alpha is missing"),
        (
            2,
            {"alpha": 1, "beta": 2},
            TypeError,
            "there is no argument beta; it has x, y, bias, alpha, offset",
        ),
        (2, {"alpha": "1"}, TypeError, "alpha: expected a float, got '1'"),
        (2, {"alpha": True}, TypeError, "alpha: expected a float, got True"),
        (2, {"alpha": 1, "x": 0}, TypeError, "x is given twice"),
        (2, {"alpha": 1, "bias": [1.0]}, TypeError, "bias: expected a NumPy array, got list"),
        (4, {"alpha": 1}, TypeError, "expected at most 3 inputs"),
    ],
)
def test_wrong_arguments_are_named(scaled_add, arguments, named, error, message):
    given = arrays(np.float32, count=4)[:arguments]
    with pytest.raises(error, match=message):
        scaled_add(*given, **named)


def test_dtypes_are_those_of_the_definition(scaled_add):
    x, y, _ = arrays(np.float32)
    with pytest.raises(
        ValueError, match=r"float32 float32 float32 \| float16 .*got x of float64, y of float32"
    ):
        scaled_add(x.astype(np.float64), y, alpha=1)
    with pytest.raises(ValueError, match="got x of float16, y of float32"):
        scaled_add(x.astype(np.float16), y, alpha=1)
    with pytest.raises(
        ValueError, match="z: expected a dense, writable array of float32 in out, got one of int32"
    ):
        scaled_add(x, y, alpha=1, out=x.astype(np.int32))
    with pytest.raises(ValueError, match=r"in out, got one of float32 with strides \(8,\)"):
        scaled_add(x, y, alpha=1, out=np.zeros(2 * x.size, np.float32)[::2])
    out = x.copy()
    out.flags.writeable = False
    with pytest.raises(ValueError, match="in out, got one of float32 that is read-only"):
        scaled_add(x, y, alpha=1, out=out)


def test_an_input_that_a_result_takes_the_place_of_must_be_there(scaled_add):
    inputs = scaled_add.definition.inputs
    result = replace(scaled_add.definition.outputs[0], name="bias")
    definition = replace(scaled_add.definition, inputs=inputs, outputs=(result,))
    x, y, _ = arrays(np.float32)
    with pytest.raises(
        ValueError, match="bias: expected an array, as the result bias is written in its place"
    ):
        PreparedCall(definition, scaled_add._library, [x, y], {"alpha": 1}, None, None)


class RecordedCall:
    """Stands for a call of a library: it keeps the formats of its tensors, and infers 8 of float16 for all results."""

    def __init__(self, library, type):
        self.formats = []

    def add(self, tensors, *, result, is_list):
        self.formats += [tensor.format for tensor in tensors]

    def infer(self):
        return [{"dtype": 1, "shape": [8]}] * 2


def recorded(monkeypatch, **more) -> PreparedCall:
    """A call of x with results that are float16 where x has the format FRACTAL_NZ, float32 where it has ND."""
    monkeypatch.setattr(operator_call.native, "Call", RecordedCall)

    def tensor(name, dtypes):
        return Parameter(name, 1, dtypes, (2, 29), False, "", ())

    results = (tensor("y", (0, 1)), tensor("z", (0, 1)))
    definition = Definition("Op", (tensor("x", (0, 0)),), results, (), "")
    return PreparedCall(definition, Path("none"), [np.zeros(4, np.float32)], {}, **more)


@pytest.mark.parametrize(("dtype", "layout"), [(np.float32, 2), (np.float16, 29)])
def test_inputs_and_results_have_the_formats_of_one_row(monkeypatch, dtype, layout):
    prepared = recorded(monkeypatch, out=[np.zeros(4, dtype), np.zeros(4, dtype)], shapes=None)
    assert prepared.call.formats == [layout] * 3


def test_a_result_of_a_given_shape_has_the_inferred_dtype(monkeypatch):
    for shapes in (((6,), None), None):
        y, z = recorded(monkeypatch, out=None, shapes=shapes).take_results()
        assert (y.dtype, z.dtype) == (np.float16, np.float16)
        assert (y.shape, z.shape) == ((6,) if shapes else (8,), (8,))


def test_reports_of_an_error_are_those_of_its_launch(part_sums):
    (x,) = arrays(np.float32, count=1)
    for _ in range(2):
        with pytest.raises(KernelFault) as raised:
            part_sums(x, waits=False, shapes=[8])
        assert len(raised.value.reports) == 1


def test_a_wrong_device_spoils_nothing():
    words = (
        "from ascend_vision_ops import sim\n"
        "def tried(soc):\n"
        f"    try: print(sim.operator({str(PROJECT)!r}, 'ScaledAdd', soc=soc).definition.type)\n"
        "    except ValueError as error: print(error)\n"
        "for soc in ('Ascend310P', 'Ascend910B9', 'Ascend910B2'): tried(soc)\n"
    )
    done = subprocess.run([sys.executable, "-c", words], capture_output=True, text=True, check=False)
    undefined, unknown, right = done.stdout.splitlines()
    assert "expected a definition of ScaledAdd for Ascend310P" in undefined
    assert "Ascend910B9" in unknown
    assert right == "ScaledAdd"


def test_the_projects_own_refusal_is_the_reason(scaled_add):
    x = np.zeros(15, np.float32)
    with pytest.raises(FrameworkError, match="its tiling failed: expected a multiple of 16 elements, got 15"):
        scaled_add(x, x, alpha=1)


def test_results_without_an_inference_need_shapes(part_sums):
    with pytest.raises(ValueError, match="infer no shapes; expected out= or shapes="):
        part_sums(np.zeros(64, np.float32))


def test_a_folder_with_several_operators_needs_a_name(tmp_path):
    with pytest.raises(
        ValueError, match="name: expected one of FirstElements, JoinedRows, PartSums, ScaledAdd, ScaledPower"
    ):
        sim.operator(PROJECT)
    with pytest.raises(
        ValueError, match="expected a definition of Absent for Ascend910B1, its sources define FirstE"
    ):
        sim.operator(PROJECT, "Absent")
    with pytest.raises(ValueError, match="expected a folder with op_host and op_kernel"):
        sim.operator(tmp_path)


def test_an_edited_kernel_is_compiled_again(tmp_path, monkeypatch):
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    project = tmp_path / "project"
    shutil.copytree(PROJECT, project)
    x, y, _ = arrays(np.float32, 1024)
    np.testing.assert_array_equal(sim.operator(project, "ScaledAdd")(x, y, alpha=1), x + y)
    kernel = project / "op_kernel" / "scaled_add.cpp"
    text = kernel.read_text()
    kernel.write_text(text.replace("Add(out, out, in, count);", "Sub(out, out, in, count);"))
    np.testing.assert_array_equal(sim.operator(project, "ScaledAdd")(x, y, alpha=1), y - x)
    kernel.write_text(text.replace("Muls(", "Mulls("))
    with pytest.raises(CompileError, match=r"does not compile against the simulated device's own.*Mulls"):
        sim.operator(project, "ScaledAdd")(x, y, alpha=1)


def test_options_and_places_of_sources_count(tmp_path, monkeypatch):
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    project = tmp_path / "project"
    shutil.copytree(PROJECT, project)
    kernel = project / "op_kernel" / "scaled_add.cpp"
    kernel.write_text(
        '#include "sign.h"\n' + kernel.read_text().replace("Add(out, out, in", "SIGN(out, out, in")
    )
    for name in ("Add", "Sub"):
        (tmp_path / name).mkdir()
        (tmp_path / name / "sign.h").write_text(f"#define SIGN {name}\n")
    (project / "op_host" / "more").mkdir()
    other = project / "op_host" / "more" / "scaled_add.cpp"  # of the same name as another host source
    other.write_text("int nothing;\n")
    x, y, _ = arrays(np.float32, 1024)
    for name, expected in (("Add", x + y), ("Sub", y - x)):
        op = sim.operator(project, "ScaledAdd", include=[tmp_path / name], host_sources=[other])
        np.testing.assert_array_equal(op(x, y, alpha=1), expected)


def test_half_a_wrapper_is_written_again(tmp_path, monkeypatch):
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    x, y, _ = arrays(np.float32, 1024)
    np.testing.assert_array_equal(sim.operator(PROJECT, "ScaledAdd")(x, y, alpha=1), x + y)
    (unit,) = tmp_path.glob("**/kernel.cpp")
    whole = unit.read_text()
    unit.write_text(whole[:100])
    np.testing.assert_array_equal(sim.operator(PROJECT, "ScaledAdd")(x, y, alpha=1), x + y)
    assert unit.read_text() == whole


def test_a_host_source_that_does_not_compile_is_left_out_or_named(tmp_path):
    project = tmp_path / "project"
    shutil.copytree(PROJECT, project)
    broken = project / "op_host" / "other_device.cpp"
    broken.write_text('#include "header_of_another_device.h"\n')
    assert sim.operator(project, "ScaledAdd").definition.type == "ScaledAdd"
    (project / "op_host" / "scaled_add.cpp").unlink()
    with pytest.raises(CompileError, match=r"other_device\.cpp does not compile.*header_of_another_device"):
        sim.operator(project, "ScaledAdd")


def test_host_sources_may_lie_in_another_folder(tmp_path):
    shutil.copytree(PROJECT / "op_kernel", tmp_path / "op_kernel")
    with pytest.raises(ValueError, match="expected a folder with op_host, or host_sources= that define"):
        sim.operator(tmp_path, "ScaledAdd")
    op = sim.operator(tmp_path, "ScaledAdd", host_sources=[PROJECT / "op_host" / "scaled_add.cpp"])
    x, y, _ = arrays(np.float32, 1024)
    np.testing.assert_array_equal(op(x, y, alpha=1), x + y)


def test_launches_in_a_kernels_source_are_left_out(tmp_path):
    shutil.copytree(PROJECT, tmp_path / "project")
    kernel = tmp_path / "project" / "op_kernel" / "scaled_add.cpp"
    launch = (
        "void Do(uint32_t n, void *stream) {\n  scaled_add<<<n, nullptr,\n    stream>>>(not_declared);\n}\n"
    )
    kernel.write_text(kernel.read_text() + launch)
    x, y, _ = arrays(np.float32, 1024)
    op = sim.operator(tmp_path / "project", "ScaledAdd")
    np.testing.assert_array_equal(op(x, y, alpha=1), x + y)
    kernel.write_text(kernel.read_text() + "int not_there = neither;\n")
    line = len(kernel.read_text().splitlines())
    with pytest.raises(CompileError, match=rf"scaled_add\.cpp:{line}:"):
        sim.operator(tmp_path / "project", "ScaledAdd")(x, y, alpha=1)


def test_a_source_with_launches_may_have_any_name(tmp_path):
    shutil.copytree(PROJECT, tmp_path / "project")
    kernel = tmp_path / "project" / "op_kernel" / "scaled_add.cpp"
    launch = "// As scaled_add<<<1>>>(x) does\nvoid Do(void *s) { scaled_add<<<1, nullptr, s>>>(1); }\n"
    kernel.with_name("kernel.cpp").write_text(kernel.read_text() + launch)
    kernel.unlink()
    x, y, _ = arrays(np.float32, 1024)
    np.testing.assert_array_equal(sim.operator(tmp_path / "project", "ScaledAdd")(x, y, alpha=1), x + y)


def test_the_plugin_needs_no_torch_npu(monkeypatch):
    monkeypatch.setattr(plugin.importlib.util, "find_spec", lambda name: None)
    plugin.pytest_configure(config=None)  # asks the configuration for nothing, as there is no device to make


def test_the_plugin_says_what_the_fixture_npu_is(monkeypatch):
    chosen = {"--npu-soc": None}
    config = SimpleNamespace(getoption=chosen.get)
    monkeypatch.setattr(plugin.sim, "active", lambda: True)
    monkeypatch.setenv("AVO_SIM_SOC", "Ascend910B3")
    assert plugin.pytest_report_header(config) == "npu: simulated Ascend910B3"
    chosen["--npu-soc"] = "Ascend910B2"
    assert plugin.pytest_report_header(config) == "npu: simulated Ascend910B2"
    monkeypatch.setattr(plugin.sim, "active", lambda: False)
    monkeypatch.setattr(plugin.sim, "obstacle", lambda: "CANN is installed")
    monkeypatch.setattr(plugin.importlib.util, "find_spec", lambda name: None)
    assert plugin.pytest_report_header(config).startswith("npu: torch_npu is not installed")


def test_the_page_shows_a_test_file_that_passes(tmp_path):
    source = re.search(r"```python\n(# tests/test_my_operators.py\n.*?)```", PAGE.read_text(), re.DOTALL)[1]
    shutil.copytree(PROJECT, tmp_path / "kernels" / "my_operators")
    (tmp_path / "test_my_operators.py").write_text(source)
    (tmp_path / "pytest.ini").write_text("[pytest]\n")
    words = [
        sys.executable,
        "-m",
        "pytest",
        "-q",
        "-p",
        "ascend_vision_ops.testing",
        "-p",
        "no:cacheprovider",
    ]
    done = subprocess.run(words, cwd=tmp_path, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout + done.stderr
    assert "4 passed" in done.stdout
