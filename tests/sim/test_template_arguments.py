# SPDX-License-Identifier: Apache-2.0
"""Kernels that are templates: ScaledPower of tests/sim/operator_project, whose tiling key chooses the arguments."""

from __future__ import annotations

import re
import shutil
from pathlib import Path

import numpy as np
import pytest

from ascend_vision_ops import sim
from ascend_vision_ops.sim import CompileError, FrameworkError
from ascend_vision_ops.sim.operator_build import defined_structs, wrapper_text
from ascend_vision_ops.sim.operator_definition import Definition
from ascend_vision_ops.sim.template_arguments import is_template, read_lists
from ascend_vision_ops.testing.run import missing

PROJECT = Path(__file__).parent / "operator_project"
# What the preprocessor leaves of our header, and of CANN's.
LISTS = """
int before; sim_tpl_declared {sim_tpl_list "DECL" "DTYPE" "D" {10, 20},
 sim_tpl_list "DECL" "FORMAT" "F" {C_FORMAT_ND, FORMAT_OF_ANOTHER_CHIP},
 sim_tpl_list "DECL" "UINT" "U" {0x2, 0, 1, 7U, 9},
 sim_tpl_list "DECL" "SHARED_KERNEL_TYPE" "K" {0, 7}, sim_tpl_list "DECL" "BOOL" "B" {true, false},};
sim_tpl_combinations {sim_tpl_combination {sim_tpl_list "SEL" "DTYPE" "D" {10},
 sim_tpl_list "SEL" "FORMAT" "F" {ge::FORMAT_ND},
 sim_tpl_list "SEL" "UINT" "U" {0, 1, 1 << 3, 9}, sim_tpl_list "SEL" "SHARED_KERNEL_TYPE" "K" {0, 7},
 sim_tpl_list "SEL" "DETERMINISTIC" "" {0}, sim_tpl_list "SEL" "BOOL" "B" {false}}};
"""
CANNS = re.sub(r'sim_tpl_list "(\w+)" "(\w+)" "(\w+)"', r"@@ASCENDC_TPL_\2_\1_\3@@ =", LISTS)
CANNS = CANNS.replace('sim_tpl_list "SEL" "DETERMINISTIC" ""', "@@ASCENDC_TPL_DETERMINISTIC_SEL@@ =")
CANNS = CANNS.replace("sim_tpl_combination {", "@@{").replace(
    "sim_tpl_declared", "@@ASCENDC_TPL_ARGS_DECL_Op@@ ="
)


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


@pytest.mark.parametrize(("own", "default"), [("Own", None), ("Inner", "Own")])
def test_structs_that_a_kernel_defines_are_not_written_again(tmp_path, own, default):
    source = tmp_path / "op.cpp"
    source.write_text(
        f"namespace mine {{ struct alignas(8) {own} {{ int64_t size; }}; }} struct Outer; void op(int x)"
    )
    fields = [["int64_t", "size", 0]]
    structs = {"Op": [{"name": name, "fields": fields} for name in ("Inner", "Own")]}
    defined = defined_structs(source.read_text())
    assert defined == {own}
    text = wrapper_text(source, "op", Definition("Op", (), (), (), ""), {}, structs, 0, True, defined)
    others = {"Inner", "Own"} - {own}
    assert {name for name in ("Inner", "Own") if f"struct alignas(8) {name} {{" in text} == others
    # The last struct is the one that GET_TILING_DATA takes; another one is none in its place.
    found = re.findall(r"using AscendcDefaultTiling .*= (\w+);", text)
    assert found == ([default] if default else [])


@pytest.mark.parametrize("text", [LISTS, CANNS])
def test_all_kinds_of_parameters(text):
    lists = read_lists("op", text)
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
        read_lists("op", 'sim_tpl_list "DECL" "UINT" "U" {2, X}')
    with pytest.raises(CompileError, match="kernel op is a template: expected ASCENDC_TPL_ARGS_DECL and"):
        read_lists("op", "template <int N> void op();")


def test_combinations_for_deterministic_results_are_not_chosen():
    at = LISTS.index("sim_tpl_combination {")
    first = LISTS[at:-4].replace('"" {0}', '"" {true}')
    other = 'sim_tpl_list "SEL" "KERNEL_TYPE" "" {1}, '
    both = LISTS[:at]
    both += (
        first.replace('sim_tpl_list "SEL" "BOOL"', f'{other}sim_tpl_list "SEL" "BOOL"') + ", " + LISTS[at:]
    )
    lists = read_lists("op", both)
    assert [(one.deterministic, one.kernel_type) for one in lists.combinations] == [(True, 1), (False, None)]
    assert lists.chosen("op", key_of()).kernel_type == "MIX_AIC_1_2"
    with pytest.raises(CompileError, match="expected a tiling key of its ASCENDC_TPL_SEL"):
        read_lists("op", LISTS.replace('"" {0}', '"" {1}')).chosen("op", key_of())


@pytest.mark.parametrize(
    ("old", "new", "got"),
    [
        ('"SEL" "BOOL" "B"', '"SEL" "BOOL" "C"', "D, F, U, K, C"),
        (', sim_tpl_list "SEL" "BOOL" "B" {false}', "", "D, F, U, K"),
    ],
)
def test_each_combination_lists_what_is_declared(old, new, got):
    expected = (
        r"ASCENDC_TPL_ARGS_SEL 1 of 1: expected a list for each declared parameter \(D, F, U, K, B\), got "
    )
    with pytest.raises(CompileError, match=f"{expected}{got}$"):
        read_lists("op", LISTS.replace(old, new))


def test_names_of_formats_and_dtypes():
    text = LISTS.replace('"F" {ge::FORMAT_ND}', '"F" {C_FORMAT_FRACTAL_NZ, FORMAT_NC1HWC0, C_FORMAT_C1HWC0}')
    text = text.replace('"D" {10}', '"D" {C_DT_BF16, C_DT_HIFLOAT8, C_DT_FLOAT4_E1M2}')
    values = read_lists("op", text).combinations[0].values
    assert (values["F"], values["D"]) == ((29, 3, 49), (27, 34, 41))


def test_which_kernels_are_templates():
    template = "template <typename T, int N = 3>\n__global__ __aicore__ void my_op(GM_ADDR x) {"
    assert is_template("my_op", template)
    assert not is_template("op", template)
    assert is_template("my_op", template.replace("3", "sizeof(int), typename U = std::pair<int, int>"))
    helper = (
        'template <typename T> void Help(T x) {}\nextern "C" __global__ __aicore__ void my_op(GM_ADDR x) {'
    )
    assert not is_template("my_op", helper)
