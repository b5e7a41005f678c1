# SPDX-License-Identifier: Apache-2.0
"""The checker must reject wrong results, or every other test proves nothing."""

import ml_dtypes
import numpy as np
import pytest

from ascend_vision_ops.opgen.model import Tolerance
from ascend_vision_ops.testing import EXACT, Array, Case, bound_cases, compare, parse_case, poisoned
from ascend_vision_ops.testing.cases import BoundCase, cases_module

F16, BF16 = np.dtype(np.float16), np.dtype(ml_dtypes.bfloat16)
LAX = Tolerance(why="anything finite", absolute=1e9, relative=1e9)
ONE_ULP = Tolerance(ulp=1, why="one rounding")


def want(*shape):
    return np.random.default_rng(0).standard_normal(shape)


@pytest.mark.parametrize("dtype", [np.dtype(np.float32), F16, BF16], ids=str)
class TestFloats:
    def test_accepts_the_rounded_reference(self, dtype):
        assert compare(want(5, 7).astype(dtype), want(5, 7), dtype, EXACT).ok

    def test_counts_ulp(self, dtype):
        right = want(5, 7).astype(dtype)
        bits = np.dtype(f"i{dtype.itemsize}")
        for steps, tolerance, ok in [
            (1, EXACT, False),
            (1, ONE_ULP, True),
            (2, ONE_ULP, False),
            (-2, ONE_ULP, False),
        ]:
            got = right.copy()
            got.view(bits)[3, 4] += steps
            verdict = compare(got, want(5, 7), dtype, tolerance)
            assert verdict.ok == ok, (steps, verdict)
            assert verdict.max_ulp == abs(steps)
            assert ok or "[3, 4]" in verdict.message

    def test_counts_ulp_across_zero(self, dtype):
        tiny = np.array([1], f"i{dtype.itemsize}").view(dtype)
        assert compare(-tiny, np.zeros(1), dtype, ONE_ULP).ok
        assert compare(-tiny, tiny.astype(np.float64), dtype, ONE_ULP).max_ulp == 2
        assert compare(np.array([-0.0], dtype), np.zeros(1), dtype, EXACT).ok

    def test_rejects_an_element_never_written(self, dtype):
        got = want(5, 7).astype(dtype)
        got[2, 1] = poisoned((), dtype)
        verdict = compare(got, want(5, 7), dtype, LAX)
        assert not verdict.ok
        assert verdict.message == "1 of 35 elements never written, first [2, 1]"

    def test_takes_a_result_that_happens_to_be_the_poison(self, dtype):
        poison = poisoned((1,), dtype)
        assert compare(poison, poison.astype(np.float64) * 1.01, dtype, LAX).ok
        assert not compare(poison, np.zeros(1), dtype, LAX).ok
        assert not compare(poison, poison.astype(np.float64) * 1.5, dtype, LAX).ok

    def test_rejects_nan_for_a_number_and_a_number_for_nan(self, dtype):
        right, wrong = np.array([1.0, np.nan]), np.array([1.0, 2.0])
        assert compare(right.astype(dtype), right, dtype, EXACT).ok
        assert not compare(wrong.astype(dtype), right, dtype, LAX).ok
        assert not compare(right.astype(dtype), wrong, dtype, LAX).ok

    def test_rejects_a_wrong_infinity(self, dtype):
        for got in (np.inf, 1.0):
            verdict = compare(np.array([got], dtype), np.array([-np.inf]), dtype, LAX)
            assert not verdict.ok

    def test_rejects_another_dtype_or_shape(self, dtype):
        other = np.dtype(np.float64)
        assert "dtype float64" in compare(want(3).astype(other), want(3), dtype, EXACT).message
        assert "shape [3]" in compare(want(3).astype(dtype), want(3, 1), dtype, EXACT).message
        assert not compare(want(0, 3).astype(dtype), want(3, 0), dtype, EXACT).ok
        assert compare(want(0, 3).astype(dtype), want(0, 3), dtype, EXACT).ok

    def test_rejects_a_shifted_kernel(self, dtype):
        verdict = compare(np.roll(want(64), 1).astype(dtype), want(64), dtype, ONE_ULP)
        assert not verdict.ok
        assert "one rounding" in verdict.message


def test_integers_are_exact():
    indices = np.arange(6, dtype=np.int64)
    assert compare(indices, indices, np.int64, LAX).ok
    assert not compare(indices + (indices == 3), indices, np.int64, LAX).ok
    assert not compare(indices.astype(np.int32), indices, np.int64, EXACT).ok
    assert "never written" in compare(poisoned((6,), np.int64), indices, np.int64, EXACT).message


LINES = [
    "op(self=f16[1,8,7],output_size=[13])",
    "op(self=bf16[2,3].special.transposed,scales=None,mode='avg',align_corners=True)",
    "op(boxes=f32[5,4].uniform,scores=i64[5].ramp.broadcast,threshold=-0.5)",
    "op(self=f64[()])",
    "op(self=f32[2,3].offset).strided",
]


@pytest.mark.parametrize("line", LINES)
def test_a_case_reads_back(line):
    case = parse_case(line)
    assert case.text == line
    for first, second in zip(case.arguments().values(), parse_case(line).arguments().values(), strict=True):
        np.testing.assert_array_equal(first, second)


@pytest.mark.parametrize(
    "line", ["op", "op(f16[1])", "op(self=f16)", "op(self=f99[1])", "op(self=f16[1].wobbly)", "("]
)
def test_a_bad_case_line_is_told(line):
    with pytest.raises((ValueError, FileNotFoundError), match=r"expected a case such as|has no cases"):
        parse_case(line)


@pytest.mark.parametrize("layout", ["strided", "transposed", "offset", "broadcast"])
def test_layouts_are_views_of_the_same_elements(layout):
    def made(layout):
        return BoundCase("op", Case("", {"x": Array(2, 3, 4, layout=layout)}), {"x": "float16"}).arguments()[
            "x"
        ]

    array = made(layout)
    assert array.shape == (2, 3, 4)
    assert not array.flags.c_contiguous
    rng = np.random.default_rng(1)
    dense = Array(2, 3, 4).make("float16", rng)
    laid_out = Array(2, 3, 4, layout=layout).make("float16", np.random.default_rng(1))
    if layout == "broadcast":
        dense = np.broadcast_to(dense[:1], dense.shape)
    np.testing.assert_array_equal(dense, laid_out)


def test_cases_take_every_dtype_unless_told(monkeypatch, tmp_path):
    (tmp_path / "family").mkdir()
    (tmp_path / "family/op.py").write_text(
        "from ascend_vision_ops.testing import Array, Case\n"
        "def cases():\n"
        "    yield Case('any', {'x': Array(2)})\n"
        "    yield Case('half', {'x': Array(3)}, dtypes=('float16',))\n"
    )
    monkeypatch.setattr("ascend_vision_ops.testing.cases.cases_dir", lambda: tmp_path)
    cases_module.cache_clear()
    texts = [case.text for case in bound_cases("op", [{"x": "float32"}, {"x": "float16"}])]
    assert texts == ["op(x=f32[2])", "op(x=f16[2])", "op(x=f16[3])"]
    (chosen,) = bound_cases("op", [{"x": "float32", "i": "int32"}], ("i",))
    assert chosen.text == "op(x=f32[2])(i=i32)"
    assert parse_case(chosen.text).dtypes == {"x": "float32", "i": "int32"}
    cases_module.cache_clear()
