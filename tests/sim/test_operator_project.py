# SPDX-License-Identifier: Apache-2.0
"""Operators of a folder with op_host and op_kernel: tests/sim/operator_project, which stands for somebody's project."""

from __future__ import annotations

import shutil
from pathlib import Path

import numpy as np
import pytest

from ascend_vision_ops import sim
from ascend_vision_ops.sim.compile import CompileError
from ascend_vision_ops.sim.operator_native import FrameworkError
from ascend_vision_ops.sim.operator_project import KernelFault
from ascend_vision_ops.testing.run import missing

PROJECT = Path(__file__).parent / "operator_project"

pytestmark = pytest.mark.skipif(bool(missing("aclnn")), reason="the simulated device is not built")


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


def test_a_race_raises_and_leaves_results_alone(part_sums):
    (x,) = arrays(np.float32, count=1)
    out = np.full(8, -1, np.float32)
    with pytest.raises(KernelFault, match="part_sums.*nothing orders the two blocks") as raised:
        part_sums(x, waits=False, out=out)
    assert raised.value.reports[0]["kernel"] == "part_sums"
    assert (out == -1).all()
    assert part_sums(x, out=out)[0] == x.sum()


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
        (2, {"alpha": 1, "beta": 2}, TypeError, "there is no argument beta; it has x, y, bias, alpha, offset"),
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
    with pytest.raises(ValueError, match="float32 float32 float32 | float16 .*got x of float64, y of float32"):
        scaled_add(x.astype(np.float64), y, alpha=1)
    with pytest.raises(ValueError, match="got x of float16, y of float32"):
        scaled_add(x.astype(np.float16), y, alpha=1)
    with pytest.raises(ValueError, match="z: expected a dense, writable array of float32 in out, got one of int32"):
        scaled_add(x, y, alpha=1, out=x.astype(np.int32))


def test_the_projects_own_refusal_is_the_reason(scaled_add):
    x = np.zeros(15, np.float32)
    with pytest.raises(FrameworkError, match="its tiling failed: expected a multiple of 16 elements, got 15"):
        scaled_add(x, x, alpha=1)


def test_results_without_an_inference_need_shapes(part_sums):
    with pytest.raises(ValueError, match="infer no shapes; expected out= or shapes="):
        part_sums(np.zeros(64, np.float32))


def test_a_folder_with_several_operators_needs_a_name(tmp_path):
    with pytest.raises(ValueError, match="name: expected one of PartSums, ScaledAdd"):
        sim.operator(PROJECT)
    with pytest.raises(ValueError, match="expected a definition of Absent for Ascend910B1, its sources define PartS"):
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
    with pytest.raises(CompileError, match="does not compile against the simulated device's own.*Mulls"):
        sim.operator(project, "ScaledAdd")(x, y, alpha=1)
