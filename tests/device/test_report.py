# SPDX-License-Identifier: Apache-2.0
"""Reports: what they keep, what they hide, and how `avo report` shows and compares them."""

from __future__ import annotations

import pytest

from ascend_vision_ops.cli import main
from ascend_vision_ops.testing import report

HEAD = {"version": "0.1.0", "commit": "abc", "device": "npu", "soc": "Ascend910B3", "findings": []}
FAST, SLOW, BAD = "op(x=f32[3])", "op(x=f32[4])", "other(x=f16[2])"


def record(case: str, outcome: str = "passed", **more) -> dict:
    return {"case": case, "operator": case.partition("(")[0], "outcome": outcome, "message": "", **more}


@pytest.fixture
def written(tmp_path):
    def write(name: str, *records: dict):
        with report.Writer(tmp_path / name, HEAD) as writer:
            for one in records:
                writer.add(one)
        return tmp_path / name

    return write


MEASURED = (
    record(FAST, device_us=10.0, model_us=5.0, c_us=12.0, cann_us=24.0, results={"out": {"share": 0.25}}),
    record(SLOW, device_us=40.0, model_us=10.0),
    record(BAD, "hung", message="no answer within 2 s"),
)


@pytest.mark.parametrize("name", ["a.json", "a.json.gz"])
def test_what_is_written_is_read(written, name):
    path = written(name, *MEASURED)
    read = report.read(path)
    assert read.head == {"report": 1, **HEAD}
    assert list(read.records.values()) == list(MEASURED)
    assert (path.read_bytes()[:2] == b"\x1f\x8b") == name.endswith(".gz")


@pytest.mark.parametrize("name", ["a.json", "a.json.gz"])
def test_a_file_that_ends_within_a_line(written, name):
    path = written(name, *MEASURED)
    whole = path.read_bytes()
    path.write_bytes(whole[: len(whole) - 20])
    assert next(iter(report.read(path).records.values())) == MEASURED[0]


@pytest.mark.parametrize("text", ["", "{}", "[1]", '{"report": 2}', "no JSON"])
def test_other_files_are_refused(tmp_path, text, capsys):
    path = tmp_path / "other.json"
    path.write_text(text)
    assert main(["report", str(path)]) == 1
    assert "expected a report that avo parity --report wrote" in capsys.readouterr().err


def test_nothing_names_the_user():
    environ = {"HOME": "/data/people/jane", "USER": "jane"}
    hidden = report.anonymous(
        {"a": ["/data/people/jane/x.so: jane failed", "/home/bob/y", "janet"], "b": 3, "c": "jane-x of jane"}, environ
    )  # fmt: skip
    assert hidden == {"a": ["~/x.so: USER failed", "/home/USER/y", "janet"], "b": 3, "c": "jane-x of USER"}


def test_the_home_of_root_is_hidden_and_the_word_root_is_not():
    environ = {"HOME": "/root", "USER": "root"}
    assert report.anonymous("/root/a, the root, /rooted", environ) == "~/a, the root, /rooted"


def rows(out: str) -> dict[str, list[str]]:
    return {line.split()[0]: line.split() for line in out.splitlines() if line.strip()}


def test_the_summary_counts_and_compares_times(written, capsys):
    assert main(["report", str(written("a.json", *MEASURED))]) == 0
    out = capsys.readouterr().out
    # 10 / 5 and 40 / 10 of the model, 12 / 24 of CANN's function.
    assert rows(out)["op"] == ["op", "2", "25%", "40.0", "3.00", "(2.00-4.00)", "0.50", "(0.50-0.50)"]
    assert rows(out)["other"] == ["other", "1"]
    assert "- hung: no answer within 2 s" in out
    assert f"avo parity --device npu --case '{BAD}'" in out


def test_markdown_is_a_table(written, capsys):
    assert main(["report", "--markdown", str(written("a.json", *MEASURED))]) == 0
    lines = capsys.readouterr().out.splitlines()
    start = next(index for index, line in enumerate(lines) if line.startswith("| operator"))
    assert set(lines[start + 1]) <= set("|-: ")
    assert {line.count("|") for line in lines[start : start + 4]} == {lines[start].count("|")}


def test_two_reports(written, capsys):
    before = written("a.json", *MEASURED)
    after = written(
        "b.json", record(FAST, device_us=5.0), record(SLOW, "wrong", device_us=40.0), record("new(x=1)")
    )
    assert main(["report", str(before), str(after)]) == 0
    out = capsys.readouterr().out
    assert rows(out)["op"] == ["op", "2", "0.75", "(0.50-1.00)"]
    assert "Cases with another outcome: 1" in out and f"- passed -> wrong: {SLOW}" in out
    assert "reports only: 2" in out


def test_more_than_two_reports(written, capsys):
    assert main(["report", "a", "b", "c"]) == 1
