# SPDX-License-Identifier: Apache-2.0
"""Benchmarks: peers compute what we compute, rows can be read back, and the gate sees what fell. Nothing is timed
here.
"""

from __future__ import annotations

import functools
from dataclasses import replace

import numpy as np
import pytest
import torch

from ascend_vision_ops import operators, ops
from ascend_vision_ops.testing.run import as_tuple, from_torch, spec_of
from benchmarks import __main__ as program
from benchmarks import gate, measure, page, report
from benchmarks.peers import Peer, runtimes
from benchmarks.workload import OUT, TURN, Workload, size, workloads
from benchmarks.workload import operators as measured


@functools.cache
def summary(operator: str) -> list[Workload]:
    """Gives the workloads of an operator without their tensors."""
    return [work._replace(arguments={}, peers=dict.fromkeys(work.peers)) for work in workloads(operator)]


def smallest(operator: str) -> Workload:
    def elements(work):
        return sum(v.numel() for v in work.arguments.values() if isinstance(v, torch.Tensor))

    return min(workloads(operator), key=elements)


def result(**changes) -> dict:
    """Makes a line as benchmarks.measure prints it."""
    line = {
        "operator": "op", "workload": "1x2", "threads": 1, "target": 2.0, "spread": 0.012, "least": 0.001,
        "seconds": {"ours": 0.01, "ours out=": 0.004, "torch": 0.03, "torch out=": 0.01, "numpy values": 0.1234},
        "absent": {"openvino": "", "mmcv": "differs: by 1", "opencv": "fails: no | operator"},
    }  # fmt: skip
    return {**line, **changes}


@pytest.mark.parametrize("operator", measured())
def test_peers_compute_what_we_compute(operator):
    """Compares on the smallest workload; a run of the benchmarks compares on all of them."""
    work = smallest(operator)
    ours = getattr(ops, operator)(**work.arguments)
    compared = 0
    for name, function in work.peers.items():
        try:
            found = function()
        except ImportError:
            continue
        measure.near(ours, measure.read(function, found), name)
        compared += 1
    assert compared, f"no peer of {operator} is installed, torch included"


def test_every_forward_operator_is_measured():
    """An operator is measured itself, or as part of another, or through an operator that is part of it."""
    covered = {*measured(), *(spec_of(name).composite for name in measured())} - {""}
    rest = [
        name
        for name in operators()
        if not name.endswith("_backward") and not {name, spec_of(name).composite} & covered
    ]
    assert rest == ["count_outside"], "which roi_align calls on npu tensors alone"


@pytest.mark.parametrize("operator", measured())
def test_the_page_tells_workloads_and_contestants_apart(operator):
    works = summary(operator)
    assert len({work.name for work in works}) == len(works)
    for work in works:
        assert work.limit in ("copy", "product", "")
        assert (work.flops > 0) == (work.limit == "product")
        assert "|" not in work.name, "a cell of the page ends there"
        for name in work.peers:
            assert name.removesuffix(OUT).split()[0] in page.COLOURS, name


def test_another_result_is_no_peer():
    values = torch.randn(3, 4)
    measure.near(values, values + 1e-3, "near")
    with pytest.raises(AssertionError, match="far"):
        measure.near(values, values + 0.1, "far")
    places = torch.arange(1000, 1005)
    with pytest.raises(AssertionError, match="indices"):
        measure.near((values, places), (values, places + 1), "indices")
    measure.near((values, places), (values, None), "values alone")


def test_nan_agrees_with_nan_alone():
    values, nan = torch.ones(3), torch.full((3,), torch.nan)
    measure.near(nan, nan.clone(), "both")
    with pytest.raises(AssertionError, match="one"):
        measure.near(nan, values, "one")


def test_a_contestant_that_differs_is_absent():
    """A contestant that is not installed, or that fails, is absent too; each gives its reason."""

    def missing():
        raise ImportError("no such module")

    x = torch.randn(1, 2, 8, 8)
    peers = {
        "same": lambda: x.cummax(2).values,
        "other": lambda: x,
        "none": Peer(missing),
        "bad": lambda: x.view(3),
    }
    work = Workload("small", {"input": x, "mode": 1}, peers)
    contestants, seconds, absent = measure.assemble("corner_pool", work, measure.CLOCKS["cpu"])
    assert [name for name in contestants if not name.startswith("ours")] == ["same"]
    assert seconds.keys() == contestants.keys()
    assert absent.pop("none") == ""
    assert {name: why.partition(":")[0] for name, why in absent.items()} == {
        "other": "differs",
        "bad": "fails",
    }


def test_results_that_are_given(monkeypatch):
    """Our operator runs again and writes to a result that exists, which it takes by name."""
    given = []

    def face(input, mode, *, out=None):
        given.append(out)
        return ops.cummax(input, 2) if out is None else out

    monkeypatch.setattr(measure.ops, "corner_pool", face)
    x = torch.randn(1, 2, 8, 8)
    work = Workload("small", {"input": x, "mode": 1}, {})
    own = measure.our_contestants("corner_pool", work)
    assert list(own) == ["ours", "ours out="]
    own["ours out="]()
    assert given[0] is None
    assert [tensor.dtype for tensor in given[1]] == [torch.float32, torch.int64]


def test_rounds_are_interleaved_and_few_for_the_slow():
    order = []
    contestants = {name: lambda name=name: order.append(name) for name in ("fast", "slow")}
    times = measure.race(contestants, {"fast": 0.5, "slow": measure.SLOW}, measure.CLOCKS["cpu"], budget=4)
    assert {name: len(values) for name, values in times.items()} == {"fast": 8, "slow": 1}
    assert order == ["fast", "slow", *7 * ["fast"]]


@pytest.mark.parametrize(("turn", "calls"), [(0, [1, 1]), (20, [2, 1]), (40, [4, 1])])
def test_a_turn_lasts_as_long_for_all(turn, calls):
    """A turn lasts the same milliseconds for all, and at least one call."""
    order = []
    contestants = {name: lambda name=name: order.append(name) for name in ("fast", "slow")}
    clock = measure.CLOCKS["cpu"]
    times = measure.race(contestants, {"fast": 0.01, "slow": 0.05}, clock, turn, budget=0)
    assert len(times["fast"]) == len(times["slow"]) == 5
    assert order == 5 * (calls[0] * ["fast"] + calls[1] * ["slow"])


def test_rows_read_back():
    """A row is the same after it was written and read, with and without peers, targets and limits."""
    rows = [
        report.row(result()),
        report.row(result(threads=2)),
        report.row(result(operator="other", target=0, least=0.0, absent={}, seconds={"ours": 4.2})),
    ]
    assert report.rows_of(report.tables(rows)) == rows
    first = rows[0]
    assert (first.best, first.ratio, first.given_ratio, first.share) == ("torch", 3.0, 2.5, 0.25)
    assert first.absent == "openvino, mmcv differs, opencv fails"
    assert (rows[2].best, rows[2].ratio, rows[2].ours) == ("–", 0.0, "4,200 ± 1%")


@pytest.mark.parametrize(
    ("ratio", "given", "told"),
    [(2.0, 0.0, "met"), (1.99, 2.0, "met with out="), (1.99, 1.0, "**missed**"), (0.0, 0.0, "no peer")],
)
def test_verdict(ratio, given, told):
    assert report.verdict(2, ratio, given) == f"≥ 2 x: {told}"
    assert report.verdict(0, ratio, given) == ""


def ours(factor: float) -> dict[str, float]:
    """Gives seconds of all contestants; ours are multiplied by a factor."""
    seconds = result()["seconds"]
    return {name: factor * value if name.startswith("ours") else value for name, value in seconds.items()}


def never(row):
    raise AssertionError(f"{row.workload} did not fall, and was measured again")


def test_the_gate_sees_a_slower_kernel():
    """A deliberate fault: one row is half as fast in both runs, whether the seconds of all rows doubled or not."""
    saved = [report.row(result(workload=name)) for name in ("a", "b")]
    busy = {name: 2 * value for name, value in result()["seconds"].items()}
    new = [report.row(result(workload="a", seconds=busy)), report.row(result(workload="b", seconds=ours(2)))]
    fallen = list(gate.fallen(saved, new, whole=True, again=lambda row: row))
    assert [(row.workload, text) for row, text in fallen] == [
        ("b", "ratio 3 -> 1.5, 50% less"),
        ("b", "ratio out= 2.5 -> 1.25, 50% less"),
    ]
    assert not list(gate.fallen(saved, saved, whole=True, again=never))


@pytest.mark.parametrize(
    ("first", "second", "told"),
    [
        (3, 1, []),  # noise
        (
            3,
            2,
            ["ratio 3 -> 1.5, 50% less", "ratio out= 2.5 -> 1.25, 50% less"],
        ),  # the better of both runs counts
        (2, 3, ["ratio 3 -> 1.5, 50% less", "ratio out= 2.5 -> 1.25, 50% less"]),
    ],
)
def test_the_gate_measures_again_what_fell(first, second, told):
    """The gate measures the row that fell once more, and no other row."""
    saved, asked = [report.row(result(workload=name)) for name in ("a", "b")], []

    def again(row):
        asked.append(row.key)
        return replace(report.row(result(seconds=ours(second))), workload=row.workload)

    new = [saved[0], report.row(result(workload="b", seconds=ours(first)))]
    assert [text for _, text in gate.fallen(saved, new, whole=True, again=again)] == told
    assert asked == [saved[1].key]


def test_the_gate_hears_no_run_without_the_best_peer():
    """A second run whose best peer failed has ratios to slower peers, which do not count."""
    saved, new = [report.row(result())], [report.row(result(seconds=ours(2)))]
    seconds = {"ours": 0.02, "ours out=": 0.008, "numpy values": 1.0}
    alone = report.row(result(seconds=seconds, absent={"torch": "fails: no memory"}))
    assert len(list(gate.fallen(saved, new, whole=True, again=lambda row: alone))) == 2


def test_the_gate_allows_noise_and_new_rows():
    saved = [report.row(result())]
    a_little = replace(saved[0], ratio=saved[0].ratio * (1 - gate.ALLOWANCE) + 0.01)
    new = [a_little, replace(a_little, workload="new")]
    assert not list(gate.fallen(saved, new, whole=True, again=never))


def test_the_gate_misses_what_is_gone():
    saved = [report.row(result())]
    fallen = list(gate.fallen(saved, [], whole=True, again=never))
    assert [text for _, text in fallen] == ["not measured any more"]
    assert not list(gate.fallen(saved, [], whole=False, again=never))
    alone = report.row(result(seconds={"ours": 0.01, "numpy values": 1.0}, absent={"torch": "differs: by 1"}))
    fallen = list(gate.fallen(saved, [alone], whole=True, again=never))
    assert [text for _, text in fallen] == ["the best peer is gone: torch differs"]


@pytest.mark.parametrize("absent", [{}, {"torch": ""}])
def test_the_gate_judges_rows_without_peers_by_the_limit(absent):
    saved = [report.row(result(seconds={"ours": 0.01}, absent=absent))]
    slower = report.row(result(seconds={"ours": 0.02}, absent=absent))
    fallen = list(gate.fallen(saved, [slower], whole=True, again=lambda row: row))
    assert [text for _, text in fallen] == ["of limit 0.1 -> 0.05, 50% less"]


def test_a_page_names_the_processor_of_rows_that_another_one_measured():
    saved = ["Xeon, 2 cores", "peers: torch", "rows of cummax: EPYC, 2 cores"]
    assert page.heading_beside(saved, "argmax", ["Xeon, 2 cores", "peers: torch"]) == saved
    named = page.heading_beside(saved, "argmax", ["EPYC, 2 cores", "peers: torch"])
    assert named == [*saved, "rows of argmax: EPYC, 2 cores"]
    assert page.heading_beside(named, "cummax", ["Xeon, 2 cores"]) == [*saved[:2], named[-1]]


def test_the_gate_fails_the_run(monkeypatch, tmp_path, capsys):
    """The run ends with exit code 1 and prints a table."""
    monkeypatch.setattr(report, "PAGE", tmp_path / "benchmarks.md")
    monkeypatch.setattr(page, "PAGE", tmp_path / "benchmarks.md")
    monkeypatch.setattr(page, "FIGURE", tmp_path / "benchmarks.svg")
    lines = [
        {"kind": "versions", "threads": 1, "versions": {"torch": "2.13.0", "openvino": ""}},
        {"kind": "limits", "threads": 1, "copy": {str(1 << 20): 5e10}, "product": {"float32": 1e11}},
        {"kind": "result", **result()},
    ]
    asked = []
    monkeypatch.setattr(program, "run", lambda *of: asked.append(of) or lines)

    def bench(*options):
        monkeypatch.setattr("sys.argv", ["bench", *options])
        return program.main()

    with pytest.raises(SystemExit, match="2"):
        bench("--gate")
    assert "has no rows" in capsys.readouterr().err
    assert bench("--save") == 0
    saved = report.saved()
    assert [row.key for row in saved] == [("op", "1x2", 1)]
    assert "openvino" in page.PAGE.read_text().partition("not installed: ")[2].splitlines()[0]
    assert "<svg" in page.FIGURE.read_text()
    assert bench("--gate") == bench("--gate", "--turn", str(TURN)) == 0
    lines[-1] = {"kind": "result", **result(seconds={**result()["seconds"], "ours": 0.1, "ours out=": 0.1})}
    capsys.readouterr()
    assert bench("--gate") == 1
    printed = capsys.readouterr().out
    assert "measuring again: op 1x2, 1 thread" in printed and "ratio 3 -> 0.3, 90% less" in printed
    assert asked[-1] == (["op"], [1], "wall", TURN, "1x2")
    # Shorter turns find other caches, so their ratios cannot be compared with this page.
    with pytest.raises(SystemExit, match="2"):
        bench("--gate", "--turn", "0")
    assert f"--turn: --gate expects {TURN}, as {page.PAGE} was measured, got 0" in capsys.readouterr().err
    # Rows of several threads are not compared by CPU time.
    lines[-1] = {"kind": "result", **result(threads=2)}
    assert bench("--save") == 0
    lines[-1] = {"kind": "result", **result(threads=2, seconds={"ours": 1.0, "torch": 0.1})}
    assert bench("--gate") == 1
    assert bench("--gate", "--cpu-time") == 0


def test_the_saved_page_is_of_these_workloads():
    """Every workload has its rows, and no row belongs to a workload that is gone."""
    saved = {(row.operator, row.workload) for row in report.saved()}
    assert saved == {(operator, work.name) for operator in measured() for work in summary(operator)}


def test_one_operator_is_saved_among_the_others(tmp_path, monkeypatch):
    page_of, figure = tmp_path / "benchmarks.md", tmp_path / "benchmarks.svg"
    for module in (report, page):
        monkeypatch.setattr(module, "PAGE", page_of)
    monkeypatch.setattr(page, "FIGURE", figure)
    first, last = (
        report.Row(name, "a call", 1, "1", "torch", "2", 2.0, "1", 2.0, 0.5, "", report.NONE, "")
        for name in "ac"
    )
    page.write(["a machine", "peers: torch 2"], [first, last], 0.2)
    assert report.saved_heading() == ["a machine", "peers: torch 2"]
    new = [replace(last, ratio=3.0), replace(last, operator="b")]
    page.write(report.saved_heading(), report.replaced(report.saved(), new, ["a", "b", "c"]), 0.2)
    assert [(row.operator, row.ratio) for row in report.saved()] == [("a", 2.0), ("b", 2.0), ("c", 3.0)]
    assert report.saved_heading() == ["a machine", "peers: torch 2"]


def test_models_hold_their_inputs():
    """A runtime gets a copy of a view that is not dense; the copy lives as long as the contestant."""
    values = torch.randn(4, 6)[:, 1:]
    peer = runtimes.node("ArgMax", {"self": values}, opset=13, axis=1, keepdims=0)["onnxruntime"]
    first = peer()
    _ = [np.random.default_rng(0).random(20) for _ in range(100)]
    assert torch.equal(peer.read(peer())[0], values.argmax(1))
    assert torch.equal(peer.read(first)[0], values.argmax(1))


@pytest.mark.parametrize("text", ["0", "none", "1,1000000"])
def test_threads_that_are_not_there(text, monkeypatch, capsys):
    monkeypatch.setattr("sys.argv", ["bench", "--threads", text])
    with pytest.raises(SystemExit):
        program.main()
    assert "expected numbers from 1 to" in capsys.readouterr().err


@pytest.mark.parametrize(("width", "gone"), [(400, ()), (100, report.LEAST[:4]), (10, report.LEAST)])
def test_a_narrow_terminal_keeps_ratios(width, gone):
    titles = {column.header for column in report.shown([report.row(result())], width).columns}
    assert {"operator", *report.HEAD} - titles == set(gone)


def test_milliseconds():
    """Three digits, whatever the size."""
    texts = [report.milliseconds(value) for value in (4.6823, 0.0143, 0.001, 0.000112, 9.6e-7)]
    assert texts == ["4,682", "14.3", "1.00", "0.112", "0.000960"]


def test_sizes():
    assert size((8, 19), torch.float32) == size((8, 19)) == "8x19"
    assert size((8, 19), torch.bfloat16) == "8x19 bfloat16"


def test_bytes_of_a_workload():
    x = torch.randn(1, 2, 8, 8)
    work = Workload("small", {"input": x, "mode": 1}, {})
    assert measure.moved("corner_pool", work) == 2 * from_torch(x).nbytes
    assert len(as_tuple(ops.corner_pool(x, 1))) == 1
