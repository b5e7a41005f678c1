# SPDX-License-Identifier: Apache-2.0
"""The benchmark against CANN's published times: its arithmetic, its check of results, and its page."""

from __future__ import annotations

import math
from types import SimpleNamespace

import numpy as np
import pytest
import torch

from ascend_vision_ops import _native
from ascend_vision_ops.tables import markdown
from benchmarks.cann import page, score
from benchmarks.cann.__main__ import chosen, measure
from benchmarks.cann.cases import case_of, cases, draw, wrong
from benchmarks.cann.page import Row

DEVICE = {
    "vector_cores": 4,
    "launch_us": 1.0,
    "launch_us_per_core": 0.1,
    "start_us": 2.0,
    "hbm_bytes_per_second": 1e12,
    "hbm_efficiency": 0.8,
    "hbm_written": 2.0,
    "l2_bytes": 2e6,
    "l2_usable": 0.5,
    "core_read_bytes_per_second": 1e11,
    "core_write_bytes_per_second": 1e11,
}


def test_no_launch_alone_takes_as_long_as_a_published_time():
    """The page says so."""
    assert page.start_us() == pytest.approx(0.46 + 48 * 0.043 + 2600 / 1800)
    assert page.start_us() < min(case.published_us for case in cases())


@pytest.fixture
def device():
    yield
    _native.sim.set_soc("Ascend910B1")


@pytest.mark.parametrize(
    ("ours", "published", "bound", "want"),
    [(10, 10, 1, 0.5), (1, 10, 1, 1.0), (19, 10, 1, 1 / 3), (0.5, 10, 1, 9 / 8.5)],
)
def test_score(ours, published, bound, want):
    assert score.hap(ours, published, bound) == pytest.approx(want)


def test_score_of_times_at_the_bound_has_no_value():
    assert math.isnan(score.hap(1, 1, 1))


@pytest.mark.parametrize(
    ("read", "written", "changes", "want"),
    [
        (0, 0, {}, 3.1),  # a launch and the start of one core
        (10_000, 0, {}, 3.2),  # one core reads that in 0.1 us; two cores would cost 0.1 us to save 0.05
        (800_000, 0, {}, 3.4 + 2),  # four cores read 4e11 bytes a second
        (0, 1_500_000, {}, 3.4 + 3.75),  # four cores write as many
        (800_000, 0, {"core_read_bytes_per_second": 1e15}, 3.1 + 1),  # HBM gives 8e11 bytes a second
        # Half of the L2 keeps 1e6 bytes of results. The other 5e5 cross HBM, where a byte counts twice.
        (400_000, 1_500_000, {"core_write_bytes_per_second": 1e15, "core_read_bytes_per_second": 1e15}, 3.1 + 1.75),
    ],
)  # fmt: skip
def test_floor(read, written, changes, want):
    assert score.floor({**DEVICE, **changes}, read, written) == pytest.approx(want, abs=1e-6)


def test_means():
    assert score.geometric_mean([2, 8]) == pytest.approx(4)
    assert score.mean([2, 8]) == 5
    assert math.isnan(score.geometric_mean([])) and math.isnan(score.mean([]))


def test_floor_of_the_simulated_device():
    """All 48 cores cost 2.5 us to launch and 1.4 us to start; a full gigabyte takes as long as HBM needs."""
    found = _native.sim.device("Ascend910B2")
    assert score.floor(found, 0, 0) == pytest.approx(0.46 + 0.043 + 2600 / 1800)
    assert score.floor(found, 10**9, 0) == pytest.approx(1e6 * 1e9 / (0.82 * 1.8e12), rel=0.01)


def test_a_case_is_run_and_right(device):
    row = measure(case_of("argmax", 13))
    assert row.wrong == ""
    assert row.floor < row.microseconds < 10 * row.floor


def checked(operator, inputs, *results):
    return wrong(SimpleNamespace(operator=operator), inputs, tuple(np.asarray(array) for array in results))


def test_index_of_a_largest_element():
    inputs = {"self": torch.tensor([[1.0, 3.0, 3.0], [math.nan, 9.0, math.nan]]), "dim": 1}
    assert checked("argmax", inputs, [1, 0]) == checked("argmax", inputs, [2, 2]) == ""
    assert "1 of 2 elements wrong, first [0]: expected 1, got 0" in checked("argmax", inputs, [0, 0])
    assert "first [1]" in checked("argmax", inputs, [1, 1])  # 9 is no NaN
    assert "got 3" in checked("argmax", inputs, [3, 0])
    assert "expected the shape [2], got [3]" in checked("argmax", inputs, [1, 0, 0])


def test_running_minimum():
    inputs = {"input": torch.tensor([2.0, 1.0, 1.0, math.nan, 0.0]), "dim": 0}
    values, indices = [2.0, 1.0, 1.0, math.nan, math.nan], [0, 1, 2, 3, 3]
    assert checked("cummin", inputs, np.float32(values), indices) == ""
    assert "indices: 1 of 5" in checked("cummin", inputs, np.float32(values), [0, 1, 1, 3, 3])
    assert "values: 1 of 5" in checked("cummin", inputs, np.float32([2, 1, 1, math.nan, 0]), indices)


def test_suppression():
    boxes = torch.tensor([[0.0, 0, 2, 2], [0, 0, 2, 1.9], [5, 5, 6, 6]])
    inputs = {"boxes": boxes, "scores": torch.tensor([0.5, 0.9, 0.1]), "iou_threshold": 0.5}
    assert checked("nms_indices", inputs, [1, 2]) == ""
    assert "got 0" in checked("nms_indices", inputs, [0, 2])
    assert "shape" in checked("nms_indices", inputs, [1, 0, 2])


def test_pooling():
    inputs = case_of("roi_align", 9).inputs()
    inputs["input"], inputs["rois"] = inputs["input"][:, :2], inputs["rois"][:3]
    from ascend_vision_ops import ops

    right = ops.roi_align(**inputs).numpy()
    assert checked("roi_align", inputs, right) == ""
    bad = right.copy()
    bad[1, 1, 2, 3] += 1e-3
    assert "1 of 150 elements wrong, first [1, 1, 2, 3]" in checked("roi_align", inputs, bad)


def test_inputs():
    generator = torch.Generator().manual_seed(0)
    assert draw([100], torch.float16, ["nan", "nan"], generator).isnan().all()
    infinite = draw([10_000], torch.float32, ["-inf", "inf"], generator)
    assert 400 < infinite.isinf().sum() < 600 and {*infinite[infinite.isinf()].tolist()} == {
        -math.inf,
        math.inf,
    }
    whole = draw([1000], torch.int32, [-3, 3], generator)
    assert (whole.min(), whole.max()) == (-3, 2)
    assert not draw([9], torch.int32, [0, 0], generator).any()

    boxes = case_of("nms_indices", 15).inputs()
    assert boxes["scores"].unique().numel() == 4096
    drawn = case_of("nms_indices", 1).inputs()["boxes"]
    assert (drawn[:, :2] <= drawn[:, 2:]).all() and drawn.abs().max() <= 1
    call = case_of("roi_align", 19).inputs()
    rois = call["rois"].float()
    sides = (rois[:, 3:] - rois[:, 1:3]) * call["spatial_scale"] / 62
    assert (sides > 0.09).all() and (sides < 0.51).all() and rois[:, 1:].min() >= 0
    assert {*rois[:, 0].tolist()} == {0, 1}
    again = case_of("roi_align", 19).inputs()["input"]
    assert torch.equal(again, call["input"])


def test_published_times_are_measured_or_ten_times_the_bound():
    assert len(cases()) == 40
    for case in cases():
        limit = pytest.approx(max(10 * case.bound_us, 10), rel=1e-3)
        assert case.published_us == (limit if case.is_cap else case.measured_us), case
    assert [case.case for case in chosen("argmax", []) if not case.is_cap] == [3, 15, 17]
    assert chosen(None, [1]) == [case for case in cases() if case.case == 1]


ROW = Row("argmax", 3, 41.2, 25.6, "V 83%", low=38.0, high=45.9)


def test_a_row_reads_back():
    for row in (ROW, Row("nms_indices", 5, 1234.0, 2.37, "S 9%", wrong="out: 3 of 9, first [1]: got a / b")):
        text = f"## {row.operator}\n\n{markdown(page.COLUMNS, [row.cells()])}\n"
        assert page.rows_of(text) == [row]


def test_summary_by_hand():
    """81.68 us are published for the first case, with a bound of 17.48, and 43.6 as a limit for the second."""
    slow = Row("argmax", 19, 87.2, 8.57, "V 9%", wrong="out: wrong")
    ratio, hap = math.sqrt(81.68 / 41.2 * 0.5), (64.2 / (64.2 + 23.72) + 39.24 / (39.24 + 82.84)) / 2
    (cells,) = page.summary([ROW, slow])
    titles = [name.lstrip(">") for name in page.SUMMARY]
    named = {titles[place]: cells[place] for place in (1, 2, 6, 9)}
    assert named == {
        "right": "1 of 2",
        "over CANN": f"{ratio:.2f} x",
        "mean HAP": f"{hap:.2f}",
        "slower than CANN": "19",
    }
    assert cells[3] == "2.5 x: **missed**"
    assert page.summary([ROW])[0][2] == f"{81.68 / 41.2:.2f} x ({81.68 / 45.9:.2f}..{81.68 / 38:.2f})"
    wide = Row("argmax", 17, 16.0, 5.74, "V 9%", low=15.0, high=17.0)  # 16.38 us are published
    assert page.summary([ROW, wide])[0][-1] == "none; perhaps 17"
    assert page.summary([ROW, Row("cummin", 3, 1.0, 1.0, "V 9%")])[-1][0] == "all"


def test_the_page_has_every_case():
    """What stands on the page was right, and no call was faster than its floor."""
    rows = page.rows_of(page.PAGE.read_text(encoding="utf-8"))
    assert [(row.operator, row.number) for row in rows] == [(case.operator, case.case) for case in cases()]
    for row in rows:
        assert not row.wrong, row
        assert row.floor <= row.microseconds, row


def test_the_page_is_written_anew_for_one_operator(tmp_path, monkeypatch):
    monkeypatch.setattr(page, "PAGE", tmp_path / "page.md")
    monkeypatch.setattr(page, "FIGURE", tmp_path / "page.svg")
    kept = Row("cummin", 3, 100.0, 64.6, "V 86%")
    page.write([kept, Row("argmax", 3, 50.0, 25.6, "V 9%")])
    page.write([ROW])
    assert page.rows_of(page.PAGE.read_text(encoding="utf-8")) == [ROW, kept]
    assert "argmax 3" in page.FIGURE.read_text(encoding="utf-8")
