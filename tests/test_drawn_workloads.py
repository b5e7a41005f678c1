# SPDX-License-Identifier: Apache-2.0
"""Workloads that `./build.sh bench --random` draws can be drawn again, run, and are listed where we are behind."""

from __future__ import annotations

import math
import random
from dataclasses import replace

import pytest
import torch

from ascend_vision_ops.testing.cases import Array, parse_case
from ascend_vision_ops.testing.run import as_tuple
from benchmarks import __main__ as program
from benchmarks import drawn, measure, report
from benchmarks.workload import Workload

FEW = ["argmax", "upsample_linear1d"]


def test_a_seed_draws_the_same_lines():
    lines = drawn.drawn(10, 3, FEW)
    assert len(set(lines)) == 10
    assert lines == drawn.drawn(10, 3, FEW)
    assert lines != drawn.drawn(10, 4, FEW)
    assert sum(line.startswith("argmax(") for line in lines) == 5


@pytest.mark.parametrize("operator", drawn.drawable())
def test_drawn_workloads_run_beside_their_peers(operator, monkeypatch):
    """Small ones, of which each operator has some that a peer computes as we do."""
    monkeypatch.setattr(drawn, "ELEMENTS", (12, 13))
    agree = 0
    for line in drawn.drawn(6, 1, [operator]):
        name, work = drawn.workload(line)
        contestants, _, absent = measure.assemble(name, work, measure.CLOCKS["cpu"])
        assert contestants.keys() | absent.keys() >= {"ours", *work.peers}
        agree += any(not each.startswith("ours") for each in contestants)
    assert agree, f"no peer computes any drawn call of {operator} as we do"


def test_torch_is_no_peer_where_it_reads_other_memory():
    for shape, found in ((181, 181), True), ((200, 200), False):
        for dtype, wide in (torch.float16, False), (torch.float32, True):
            images, grid = torch.zeros(1, 1, *shape, dtype=dtype), torch.zeros(1, 1, 1, 2, dtype=dtype)
            gradient = torch.zeros(1, 1, 1, 1, dtype=dtype)
            forward, backward = map(drawn.module_of, ("grid_sampler", "grid_sampler_backward"))
            assert ("torch" in forward.contestants(images, grid)) == (found or wide)
            assert ("torch" in backward.contestants(gradient, images, grid)) == (found or wide)


def test_axes_that_belong_together_grow_together():
    case = parse_case("upsample_linear1d(self=f16[1,8,7],output_size=[21],align_corners=False)")
    larger = drawn._grown(case, [("self", 2), ("output_size", 0)], 4, 0)
    assert larger.text == "upsample_linear1d(self=f16[1,8,28],output_size=[84],align_corners=False)"
    assert drawn._elements(larger) == 8 * (28 + 84)


def test_an_axis_stops_growing_where_the_contract_refuses_the_call():
    """2.0009 is the factor from 1000 to 2000 elements, but not from 12000 to 24000."""
    case = parse_case("upsample_linear1d(self=f32[2,10,1000],output_size=[2000],scales=2.0009)")
    with pytest.raises(RuntimeError, match="scales: expected"):
        drawn._elements(drawn._grown(case, [("self", 2), ("output_size", 0)], 12, 0))
    for seed in range(20):
        line = drawn._larger(case, random.Random(seed))
        assert not line or drawn._elements(parse_case(line)) > 0


def test_sizes_stay_in_bounds():
    for line in drawn.drawn(12, 5, FEW):
        assert (
            2 ** (drawn.ELEMENTS[0] - 1) <= drawn._elements(parse_case(line)) <= 2 ** (drawn.ELEMENTS[1] + 1)
        )
        assert all(math.prod(a.shape) for a in parse_case(line).case.args.values() if isinstance(a, Array))


def timed(line: str, slower: int) -> report.Row:
    """Measures a workload, with our operator called `slower` times in the place of once. The clock counts these calls,
    and each takes it a millisecond, so that no load of the machine matters.
    """
    name, work = drawn.workload(line)
    once = measure.our_contestants(name, work)["ours"]
    expected, made = as_tuple(once()), 0

    def call():
        nonlocal made
        made += 1
        return once()

    def ours():
        for _ in range(slower):
            result = call()
        return result

    contestants = {"ours": ours, "torch": call}
    assert all(map(torch.equal, as_tuple(ours()), expected))
    times = measure.race(contestants, dict.fromkeys(contestants, 1e-3), lambda: made * 1e-3, turn=5, budget=0)
    work = Workload(work.name, work.arguments, {"torch": call}, limit="")
    return report.row({**measure.result(name, work, times, least=0.0, absent={}), "threads": 1})


def test_a_slow_kernel_is_listed():
    """A kernel that works three times is behind itself, and one that works once is not."""
    lines = ["argmax(self=f32[64,3000],dim=1)", "cummax(input=f32[3,20000],dim=0)"]

    def rows_of(wanted):
        return [timed(line, 3 if line == lines[1] else 1) for line in wanted]

    rows, slow = drawn.behind(lines, rows_of)
    assert [row.operator for row in slow] == ["cummax"]
    assert [row.ratio for row in slow] == [pytest.approx(1 / 3, abs=1e-3)]  # rounded to three digits
    text = drawn.summary(lines, rows, slow)
    assert text[0].startswith("2 drawn, 2 with a peer")
    assert "cummax: 1 of 1 behind" in text


@pytest.mark.parametrize(
    ("seconds", "handed", "reason"),
    [
        ({"ours": 2e-4, "torch": 1e-4}, {}, ""),
        ({"ours": 2e-5, "torch": 1e-5}, {}, "torch takes less than 15 us"),
        ({"ours": 2e-4, "torch": 1e-4}, {"torch": "indices"}, "torch is handed indices"),
        ({"ours": 2e-4, "torch": 1e-4, "torch both": 3e-4}, {"torch": "indices"}, "torch is handed indices"),
        ({"ours": 2e-4, "torch": 1e-4, "torch both": 1.5e-4}, {"torch": "indices"}, ""),
        ({"ours": 2e-4, "torch": 1e-4, "mmcv": 1.5e-4}, {"mmcv": "indices"}, ""),
    ],
)
def test_a_peer_that_is_handed_work_or_a_short_call_is_no_slow_kernel(seconds, handed, reason):
    """But where a peer that is handed nothing is faster too, our kernel is slow."""
    line = {
        "operator": "argmax", "workload": "self=f32[64,4000]", "threads": 1, "target": 0, "spread": 0.0, "least": 0.0,
        "absent": {}, "seconds": seconds, "handed": handed,
    }  # fmt: skip
    row = report.row(line)
    assert row.ratio < 0.95
    assert drawn.reason(row) == reason
    text = drawn.summary(["a", "b"], [row, replace(row, ratio=2.0)], [row])
    assert text[0].startswith("2 drawn, 2 with a peer: 1 behind by more than 5% (50.0%)")
    told = [f"of these 1 where {reason}", "and 0 others (0.0%)"] if reason else []
    assert text[1:] == [*told, "argmax: 1 of 2 behind"]


def test_peers_say_what_they_are_handed():
    for layout, handed in (
        ("", set()),
        (".channels_last", {"onnxruntime", "openvino", "opencv", "opencv out="}),
    ):
        name, work = drawn.workload(f"upsample_linear1d(self=f32[2,30,40]{layout},output_size=[80])")
        assert set(measure.result(name, work, {"ours": [1.0]})["handed"]) == handed


def test_a_gradient_is_measured_beside_one_that_starts_from_the_same_arguments():
    sizes, window = "grad_output=f32[2,3,4,4],input=f32[2,3,8,8]", "kernel_size=[2,2],stride=[2,2]"
    _, work = drawn.workload(f"max_pool2d_backward({sizes},{window})")
    assert set(work.peers) == {"torch both passes"}
    _, work = drawn.workload(f"max_pool2d_with_indices_backward({sizes},indices=i64[2,3,4,4].taps,{window})")
    assert set(work.peers) == {"torch"}


def test_one_slow_run_is_noise():
    """A workload is listed only where both runs are behind."""
    row = timed("argmax(self=f32[64,3000],dim=1)", 1)
    runs = iter(
        [
            [replace(row, ratio=0.5), replace(row, ratio=0.5)],
            [replace(row, ratio=1.2), replace(row, ratio=0.6)],
        ]
    )
    rows, slow = drawn.behind(["a", "b"], lambda wanted: next(runs))
    assert [each.ratio for each in rows] == [1.2, 0.6]
    assert [each.ratio for each in slow] == [0.6]


def test_the_command_lists_and_ends_well(monkeypatch, capsys):
    """The exit code says nothing about times."""
    line = {
        "kind": "result", "operator": "argmax", "workload": "self=f32[64,4000],dim=1", "threads": 1, "target": 0,
        "spread": 0.01, "limit": "", "least": 0.0, "absent": {}, "seconds": {"ours": 0.02, "numpy": 0.01},
    }  # fmt: skip
    monkeypatch.setattr(drawn, "drawn", lambda count, seed, names: ["argmax(self=f32[64,4000],dim=1)"])
    monkeypatch.setattr(program, "collect", lambda *of: [line])
    monkeypatch.setattr("sys.argv", ["bench", "--random", "1", "--seed", "9"])
    assert program.main() == 0
    printed = capsys.readouterr().out
    assert (
        "argmax: 1 of 1 behind" in printed and "1 drawn, 1 with a peer: 1 behind by more than 5%" in printed
    )
    monkeypatch.setattr("sys.argv", ["bench", "--random", "1", "--save"])
    with pytest.raises(SystemExit, match="2"):
        program.main()
    monkeypatch.setattr("sys.argv", ["bench", "soft_nms", "--random", "1"])
    with pytest.raises(SystemExit, match="expected one of argmax"):
        program.main()
