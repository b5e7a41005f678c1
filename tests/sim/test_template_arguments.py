# SPDX-License-Identifier: Apache-2.0
"""Kernels that are templates: ScaledPower of tests/sim/operator_project, whose tiling key chooses the arguments."""

from __future__ import annotations

import shutil
from pathlib import Path

import numpy as np
import pytest

from ascend_vision_ops import sim
from ascend_vision_ops.sim import CompileError, FrameworkError
from ascend_vision_ops.sim.operator_build import without_defined
from ascend_vision_ops.sim.template_arguments import is_template, read_lists
from ascend_vision_ops.testing.run import missing

PROJECT = Path(__file__).parent / "operator_project"
LISTS = """
int before; @@ASCENDC_TPL_ARGS_DECL_Op@@ = {@@ASCENDC_TPL_DTYPE_DECL_D@@ = {10, 20},
 @@ASCENDC_TPL_FORMAT_DECL_F@@ = {C_FORMAT_ND, FORMAT_NCHW}, @@ASCENDC_TPL_UINT_DECL_U@@ = {0x2, 0, 1, 7U, 9},
 @@ASCENDC_TPL_SHARED_KERNEL_TYPE_DECL_K@@ = {0, 7}, @@ASCENDC_TPL_BOOL_DECL_B@@ = {true, false},};
@@ASCENDC_TPL_LISTS@@ = {@@{@@ASCENDC_TPL_DTYPE_SEL_D@@ = {10}, @@ASCENDC_TPL_FORMAT_SEL_F@@ = {ge::FORMAT_ND},
 @@ASCENDC_TPL_UINT_SEL_U@@ = {0, 1, 8, 9}, @@ASCENDC_TPL_SHARED_KERNEL_TYPE_SEL_K@@ = {0, 7},
 @@ASCENDC_TPL_DETERMINISTIC_SEL@@ = {1}, @@ASCENDC_TPL_BOOL_SEL_B@@ = {false}}};
"""


def key_of(d=10, f=2, place=1, k=7, b=0) -> int:
    return d | f << 8 | place << 16 | k << 18 | b << 26


@pytest.fixture(scope="module")
def scaled_power():
    if missing("aclnn"):
        pytest.skip("the simulated device is not built")
    return sim.operator(PROJECT, "ScaledPower")


@pytest.mark.parametrize(
    ("dtype", "factor", "squared"),
    [(np.float32, 8, False), (np.float32, 2, True), (np.float16, 10, False), (np.float16, 11, False)],
)
def test_the_key_chooses_the_arguments(scaled_power, dtype, factor, squared):
    x = np.random.default_rng(5).integers(-8, 8, 2000).astype(dtype)
    y = scaled_power(x, factor=factor, squared=squared)
    np.testing.assert_array_equal(y, (x * x if squared else x) * dtype(factor))


def test_the_key_is_made_of_places_and_values(scaled_power):
    x = np.ones(64, np.float16)
    # Two ranges, 4 to 5 and 10 to 11, come before the values 8 and 2.
    places = {4: 0, 5: 1, 10: 2, 11: 3, 8: 4, 2: 5}
    keys = {factor: scaled_power.tiling(x, factor=factor, squared=factor == 8).key for factor in places}
    assert keys == {factor: 1 | place << 8 | (factor == 8) << 12 for factor, place in places.items()}


def test_values_that_nothing_declares_are_refused(scaled_power):
    with pytest.raises(FrameworkError, match="FACTOR: expected a value of its ASCENDC_TPL_UINT_DECL, got 3"):
        scaled_power(np.ones(64, np.float32), factor=3)


def test_keys_that_nothing_selects_are_refused(scaled_power):
    with pytest.raises(CompileError, match=r"got 256, which stands for T = 0, FACTOR = 5, SQUARED = 0"):
        scaled_power(np.ones(64, np.float32), factor=5)
    with pytest.raises(CompileError, match="T = 1, FACTOR = 10, SQUARED = 1"):
        scaled_power(np.ones(64, np.float16), factor=10, squared=True)


def test_headers_of_a_neighbour(tmp_path, scaled_power):
    shutil.copytree(PROJECT, tmp_path / "mine")
    kernel = tmp_path / "mine/op_kernel/scaled_power.cpp"
    changed = kernel.read_text().replace("<T>(FACTOR)", "<T>(FACTOR * kMore)")
    kernel.write_text('#include "../other/more.h"\n' + changed)
    more = tmp_path / "other/op_kernel/more.h"
    more.parent.mkdir(parents=True)
    more.write_text("#pragma once\nconstexpr uint32_t kMore = 3;\n")
    x = np.arange(64, dtype=np.float32)
    np.testing.assert_array_equal(sim.operator(tmp_path / "mine", "ScaledPower")(x, factor=2), 6 * x)
    np.testing.assert_array_equal(scaled_power(x, factor=2), 2 * x)


def test_structs_that_a_kernel_defines_are_not_written_again():
    structs = {"Op": [{"name": "Inner"}, {"name": "Own"}], "Other": [{"name": "Outer"}]}
    text = "namespace mine { struct alignas(8) Own { int64_t size; }; } struct Inner;"
    assert without_defined(structs, text) == {"Op": [{"name": "Inner"}], "Other": [{"name": "Outer"}]}


def test_all_kinds_of_parameters():
    lists = read_lists("op", LISTS)
    assert [(p.name, p.kind, p.bits) for p in lists.parameters] == [
        ("D", "DTYPE", 8), ("F", "FORMAT", 8), ("U", "UINT", 2), ("K", "SHARED_KERNEL_TYPE", 8), ("B", "BOOL", 1),
    ]  # fmt: skip
    assert lists.parameters[2].values == (7, 8, 9)
    chosen = lists.chosen("op", key_of())
    assert chosen.arguments == ("10", "2", "8", "7", "0")
    assert (chosen.kernel_type, chosen.struct) == ("MIX_AIC_1_2", "")
    assert lists.chosen("op", key_of(k=0)).kernel_type == "AIV_ONLY"


@pytest.mark.parametrize("wrong", [{"d": 20}, {"f": 0}, {"place": 0}, {"place": 3}, {"b": 1}, {"b": 2}])
def test_all_parameters_must_fit_one_combination(wrong):
    with pytest.raises(CompileError, match="expected a tiling key of its ASCENDC_TPL_SEL"):
        read_lists("op", LISTS).chosen("op", key_of(**wrong))


def test_wrong_lists_are_named():
    with pytest.raises(CompileError, match=r"ASCENDC_TPL_UINT_DECL U: expected numbers .* got 2, X"):
        read_lists("op", "@@ASCENDC_TPL_UINT_DECL_U@@ = {2, X}")
    with pytest.raises(CompileError, match="kernel op is a template: expected ASCENDC_TPL_ARGS_DECL and"):
        read_lists("op", "template <int N> void op();")


def test_which_kernels_are_templates():
    template = "template <typename T, int N = 3>\n__global__ __aicore__ void my_op(GM_ADDR x) {"
    assert is_template("my_op", template)
    assert not is_template("op", template)
    helper = (
        'template <typename T> void Help(T x) {}\nextern "C" __global__ __aicore__ void my_op(GM_ADDR x) {'
    )
    assert not is_template("my_op", helper)
