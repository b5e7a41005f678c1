# SPDX-License-Identifier: Apache-2.0
"""What a CI sees of a program whose kernels fault: texts, summary, exit code, suppressions, report.

The program sim_judgements ignores what its streams return, and ends with 3.
"""

from __future__ import annotations

import json
import os
import subprocess
from pathlib import Path
from xml.etree import ElementTree

import pytest

from ascend_vision_ops.cli import main
from ascend_vision_ops.testing import judgements
from tests.built import BUILD, missing

PROGRAM = BUILD / "tests" / "sim_judgements"
RETURNED, ABORTED = 3, 86
SUPPRESSION = """
# looked at, and right
{
  the copy out may come first
  kind:MissingSync
  kernel:missing_*
  line:main.cpp:*
  fun:MissingSync
}
"""


def run(*kernels: str, **variables: object) -> subprocess.CompletedProcess:
    assert PROGRAM.exists(), missing(PROGRAM)
    environment = {key: value for key, value in os.environ.items() if not key.startswith("AVO_SIM_")}
    environment |= {f"AVO_SIM_{name}": str(value) for name, value in variables.items()}
    return subprocess.run([PROGRAM, *kernels], capture_output=True, text=True, timeout=120, env=environment)


def launches(path: Path) -> list[dict]:
    return [json.loads(line) for line in path.read_text().splitlines()]


def test_a_right_kernel_says_nothing():
    done = run("right", EXIT_CODE=9, ON_FAULT="abort", WARNINGS="error")
    assert (done.returncode, done.stdout, done.stderr) == (RETURNED, "right 7\n", "")


def test_the_summary_of_a_right_kernel_is_printed_on_demand():
    done = run("right", "right", SUMMARY=1)
    assert done.stderr == "simulated device: 2 launches, 0 errors, 0 warnings, 0 suppressed\n"
    assert run("missing_sync", SUMMARY=0).stderr.count("\n") == 1


@pytest.mark.parametrize(("code", "expected"), [("", RETURNED), (0, RETURNED), (9, 9)])
def test_the_exit_code_says_whether_there_was_an_error(code, expected):
    done = run("missing_sync", EXIT_CODE=code)
    assert done.returncode == expected
    assert done.stdout == "missing_sync 7\n"  # written though main has not flushed it
    assert "MissingSync: kernel missing_sync, block 0: DataCopy (main.cpp:" in done.stderr
    assert "simulated device: 1 launch, 1 error, 0 warnings, 0 suppressed\n" in done.stderr
    assert "  1 error: MissingSync, kernel missing_sync\n" in done.stderr


@pytest.mark.parametrize(
    ("kernel", "kind"), [("beyond_tensor", "BeyondTensor"), ("rounded_copy", "RoundedCopy")]
)
def test_a_warning_fails_nothing_until_it_is_an_error(kernel, kind):
    done = run(kernel, kernel, EXIT_CODE=9)
    assert (done.returncode, done.stdout) == (RETURNED, f"{kernel} 7\n" * 2)
    assert (
        done.stderr.count(f"warning: {kind}: kernel {kernel}, block 0: DataCopy") == 1
    )  # the second is the same
    assert "2 launches, 0 errors, 2 warnings, 0 suppressed\n" in done.stderr
    for warnings in ("error", f"BeyondTensor,{kind}"):
        done = run(kernel, EXIT_CODE=9, WARNINGS=warnings)
        assert (done.returncode, done.stdout) == (9, f"{kernel} 0\n")
        assert f"{kind}: kernel {kernel}" in done.stderr
        assert "warning:" not in done.stderr
    other = {"BeyondTensor": "RoundedCopy", "RoundedCopy": "BeyondTensor"}[kind]
    assert run(kernel, EXIT_CODE=9, WARNINGS=other).returncode == RETURNED


def test_what_lies_behind_a_tensor_goes_behind_another():
    done = run("padding_to_padding", EXIT_CODE=9)
    assert (done.returncode, done.stdout) == (RETURNED, "padding_to_padding 7\n")
    for word in ("src reads", "dst writes"):
        assert (
            f"{word} GM bytes [4064, 4128) of an allocation of 4096 bytes with 32 of padding" in done.stderr
        )
    assert "0 errors, 2 warnings" in done.stderr
    done = run("padding_to_tensor", EXIT_CODE=9)
    assert done.returncode == 9
    assert "Uninitialised: kernel padding_to_tensor" in done.stderr
    assert run("padding_to_padding", EXIT_CODE=9, WARNINGS="BeyondTensor").returncode == 9


@pytest.mark.parametrize(
    ("memory", "padding"), [("4096", 32), ("4088", 40), ("4088_align32", 8), ("4096_align32", 0)]
)
def test_the_first_byte_behind_the_padding_is_a_fault(memory, padding):
    if padding != 0:
        done = run(f"padding_of_{memory}", EXIT_CODE=9)
        assert (done.returncode, done.stdout) == (RETURNED, f"padding_of_{memory} 7\n")
        assert f"bytes with {padding} of padding" in done.stderr
    behind = f"behind_padding_of_{memory}" if padding != 0 else f"behind_{memory}"
    done = run(behind, EXIT_CODE=9)
    assert (done.returncode, done.stdout) == (9, f"{behind} 0\n")
    assert f"GmBounds: kernel {behind}" in done.stderr


def test_bits_behind_the_last_lane_are_a_warning():
    done = run("partly_written", "wholly_written", EXIT_CODE=9)
    assert (done.returncode, done.stdout) == (RETURNED, "partly_written 7\nwholly_written 7\n")
    assert "warning: PartlyWritten: kernel partly_written, block 0: GetValue" in done.stderr
    assert "0 errors, 1 warning" in done.stderr
    assert run("partly_written", EXIT_CODE=9, WARNINGS="PartlyWritten").returncode == 9
    done = run("not_written", EXIT_CODE=9)
    assert done.returncode == 9
    assert "Uninitialised: kernel not_written, block 0: GetValue" in done.stderr


def test_what_kernels_may_rely_on_is_no_fault():
    kernels = ("mask_behind_compare", "copy_again_behind_a_read", "queues_of_veccalc")
    done = run(*kernels, EXIT_CODE=9)
    assert (done.returncode, done.stderr) == (RETURNED, "")
    assert done.stdout == "".join(f"{kernel} 7\n" for kernel in kernels)


def test_a_copy_onto_what_v_still_reads_is_a_race():
    done = run("copy_again", EXIT_CODE=9)
    assert done.returncode == 9
    assert "MissingSync: kernel copy_again, block 0: DataCopy" in done.stderr


def test_a_tensor_may_go_back_through_a_queue_between_the_same_pipes():
    done = run("like_queues_tensor", EXIT_CODE=9)
    assert (done.returncode, done.stdout) == (RETURNED, "like_queues_tensor 7\n")
    assert "warning: WrongQueue: kernel like_queues_tensor, block 0: FreeTensor" in done.stderr
    assert "the tensor is a buffer of another queue, the queue other" in done.stderr
    assert run("like_queues_tensor", EXIT_CODE=9, WARNINGS="WrongQueue").returncode == 9


STOPPING = {
    "other_queues_tensor": "QueueBalance",
    "out_of_bounds": "GmBounds",
    "beyond_memory": "UbBounds",
    "misaligned": "Alignment",
    "flag_alone": "Flag",
    "no_such_mask": "Mask",
}


@pytest.mark.parametrize(("kernel", "kind"), STOPPING.items())
def test_a_block_stops_or_goes_on_behind_a_fault(kernel, kind):
    stopped = run(kernel)
    assert stopped.stdout == f"{kernel} 0\n"
    goes_on = run(kernel, ON_FAULT="continue", EXIT_CODE=9)
    # Nobody knows what a mask of 65 lanes computes.
    assert goes_on.stdout == f"{kernel} {0 if kind == 'Mask' else 7}\n"
    assert goes_on.returncode == 9
    for done in (stopped, goes_on):
        assert done.stderr.count(f"{kind}: kernel {kernel}, block 0: ") == 1
        assert "1 launch, 1 error, 0 warnings" in done.stderr


def test_abort_ends_the_process_at_the_first_launch_with_an_error():
    done = run("rounded_copy", "missing_sync", "right", ON_FAULT="abort")
    assert (done.returncode, done.stdout) == (ABORTED, "")
    assert "2 launches, 1 error, 1 warning, 0 suppressed\n" in done.stderr
    assert run("missing_sync", ON_FAULT="abort", EXIT_CODE=9).returncode == 9


@pytest.mark.parametrize(
    ("variables", "text"),
    [
        ({"ON_FAULT": "ignore"}, "AVO_SIM_ON_FAULT must be stop, continue or abort, got 'ignore'"),
        (
            {"WARNINGS": "MissingSync"},
            "AVO_SIM_WARNINGS must be warn, error, or kinds of warnings (BeyondTensor, RoundedCopy, "
            "PartlyWritten, UnusedRace, WrongQueue) with commas between them, got 'MissingSync'",
        ),
        ({"EXIT_CODE": "256"}, "AVO_SIM_EXIT_CODE must be in [0, 255], got '256'"),
        ({"SUMMARY": "yes"}, "AVO_SIM_SUMMARY must be 0 or 1, got 'yes'"),
        ({"ZERO": "true"}, "AVO_SIM_ZERO must be 0 or 1, got 'true'"),
        ({"REPORT": "/no/such/folder/file"}, "AVO_SIM_REPORT: cannot write the file '/no/such/folder/file': No such"),
        ({"SUPPRESSIONS": "/no/such/file"}, "AVO_SIM_SUPPRESSIONS: cannot read the file '/no/such/file'"),
    ],
)  # fmt: skip
def test_a_wrong_value_is_an_error_in_words(variables, text):
    done = run("right", **({"EXIT_CODE": 9} | variables))
    assert f"kernel right could not run: {text}" in done.stderr
    assert "1 launch, 1 error" in done.stderr
    assert done.stdout == "right 0\n"
    assert done.returncode == (ABORTED if "EXIT_CODE" in variables else 9)


def test_a_suppressed_fault_does_not_count(tmp_path):
    file = tmp_path / "file.supp"
    other = tmp_path / "other.supp"
    file.write_text(SUPPRESSION)
    other.write_text("{\n  never seen\n  kind:Overlap\n}\n")
    report = tmp_path / "report.jsonl"
    done = run("missing_sync", SUPPRESSIONS=f"{file}:{other}", EXIT_CODE=9, REPORT=report)
    assert (done.returncode, done.stdout) == (RETURNED, "missing_sync 7\n")
    assert done.stderr == (
        "simulated device: 1 launch, 0 errors, 0 warnings, 1 suppressed\n"
        f"  suppressed 1: the copy out may come first ({file}:3)\n"
        f"  never used: never seen ({other}:1)\n"
    )
    (launch,) = launches(report)
    assert (launch["faults"], launch["suppressed"]) == ([], 1)


@pytest.mark.parametrize(
    ("old", "new"),
    [("kernel:missing_*", "kernel:other"), ("line:main.cpp:*", "line:main.cpp:1"), ("fun:Miss", "fun:Mist")],
)  # fmt: skip
def test_a_suppression_of_another_fault_changes_nothing(tmp_path, old, new):
    file = tmp_path / "file.supp"
    file.write_text(SUPPRESSION.replace(old, new))
    done = run("missing_sync", SUPPRESSIONS=file, EXIT_CODE=9)
    assert done.returncode == 9
    assert f"never used: the copy out may come first ({file}:3)" in done.stderr


def test_a_suppressed_fault_does_not_end_its_block(tmp_path):
    file = tmp_path / "file.supp"
    file.write_text("{\n  reads too far\n  kind:GmBounds\n}\n{\n  no mask\n  kind:Mask\n}\n")
    done = run("out_of_bounds", "no_such_mask", SUPPRESSIONS=file, EXIT_CODE=9)
    # What nothing can go on behind stays an error, as its results are missing.
    assert done.stdout == "out_of_bounds 7\nno_such_mask 0\n"
    assert done.returncode == 9
    assert "2 launches, 1 error, 0 warnings, 1 suppressed\n" in done.stderr


@pytest.mark.parametrize("kernel", ["missing_sync", "rounded_copy", "out_of_bounds"])
def test_the_block_that_a_fault_prints_suppresses_it(tmp_path, kernel):
    text = run(kernel, GEN_SUPPRESSIONS=1).stderr
    file = tmp_path / "file.supp"
    file.write_text(text[text.index("{\n") : text.index("\n}\n") + 3])
    done = run(kernel, SUPPRESSIONS=file, EXIT_CODE=9)
    assert done.returncode == RETURNED, file.read_text() + done.stderr
    assert "0 errors, 0 warnings, 1 suppressed" in done.stderr


@pytest.mark.parametrize(
    ("text", "line", "message"),
    [
        ("kind:Overlap\n", 1, "expected { at the start of a suppression, got 'kind:Overlap'"),
        ("{\n name\n kind:Overlaps\n}\n", 3, "no fault is of the kind 'Overlaps'"),
        ("{\n name\n file:x.h\n}\n", 3, "kernel:PATTERN, line:FILE:LINE or fun:PATTERN, got 'file:x.h'"),
        ("{\n name\n kind:Overlap\n", 3, "has no } at its end"),
        ("{\n name\n{\n", 3, "has no } before the next one"),
        ("{\n name\n}\n", 3, "needs a name and a line 'kind:KIND'"),
    ],
)  # fmt: skip
def test_an_ill_formed_suppression_names_its_line(tmp_path, text, line, message):
    file = tmp_path / "file.supp"
    file.write_text(text)
    stderr = run("right", SUPPRESSIONS=file).stderr
    assert f"AVO_SIM_SUPPRESSIONS: {file}:{line}: " in stderr
    assert message in stderr


@pytest.fixture(scope="module")
def report(tmp_path_factory) -> Path:
    path = tmp_path_factory.mktemp("judgements") / "report.jsonl"
    run("right", "missing_sync", "rounded_copy", REPORT=path, SEED=5)
    return path


def test_the_report_has_a_line_for_each_launch(report):
    right, wrong, warned = launches(report)
    assert [one["kernel"] for one in (right, wrong, warned)] == ["right", "missing_sync", "rounded_copy"]
    assert right["faults"] == []
    assert right["seed"] == 5
    least, most = right["microseconds_range"]
    assert 0 < least < right["microseconds"] < most
    # The range is that of independent groups of constants.
    doubt = sum(one**2 for one in right["microseconds_doubts"].values()) ** 0.5 / right["microseconds"]
    assert [least, most] == pytest.approx(
        [right["microseconds"] / (1 + doubt), right["microseconds"] * (1 + doubt)], rel=1e-5
    )
    assert right["pipes"]["MTE3"]["instructions"] == 1
    (fault,) = wrong["faults"]
    assert (fault["kind"], fault["severity"], fault["block"]) == ("MissingSync", "error", 0)
    assert (fault["space"], fault["bytes"]) == ("UB", [4096, 4352])
    copy_out, copy_in = fault["sites"]
    assert copy_out["call"] == copy_in["call"] == "DataCopy"
    assert copy_out["line"] == copy_in["line"] + 1
    assert copy_out["path"][-1] == f"main.cpp:{copy_out['line']} MissingSync"
    assert copy_out["file"].endswith("main.cpp")
    (warning,) = warned["faults"]
    assert (warning["kind"], warning["severity"], warning["bytes"]) == ("RoundedCopy", "warning", None)


def test_judgements_are_read_counted_and_written_as_junit(report, tmp_path, capsys):
    judged = judgements.read(report)
    assert judgements.exit_code(judged) == 1
    assert judgements.exit_code(judged[:1]) == 0
    assert main(["sim", "report", str(report), "--junit", str(tmp_path / "junit.xml")]) == 1
    shown = capsys.readouterr().out
    assert "3 launches, 1 error, 1 warning, 0 suppressed" in shown
    assert [line.split()[:2] for line in shown.splitlines() if line.startswith("missing_sync")] == [
        ["missing_sync", "1"]
    ]
    suite = ElementTree.parse(tmp_path / "junit.xml").getroot().find("testsuite")
    assert {key: suite.get(key) for key in ("tests", "failures")} == {"tests": "3", "failures": "1"}
    cases = suite.findall("testcase")
    assert [case.get("name") for case in cases] == ["1 right", "2 missing_sync", "3 rounded_copy"]
    assert [case.find("failure") is not None for case in cases] == [False, True, False]
    assert "nothing orders the two" in cases[1].find("failure").text
    assert "RoundedCopy" in cases[2].find("system-out").text
    assert float(cases[0].get("time")) == pytest.approx(judged[0]["microseconds"] / 1e6, abs=1e-9)


def test_a_launch_without_a_model_of_time_has_none(tmp_path, capsys):
    run("right", FAST=1, REPORT=tmp_path / "report")
    assert main(["sim", "report", str(tmp_path / "report")]) == 0
    (row,) = [line.split() for line in capsys.readouterr().out.splitlines() if line.split()[:1] == ["right"]]
    assert row == ["right", "1", "0", "0", "0", "-"]


def test_a_right_report_has_the_exit_code_0(report, tmp_path, capsys):
    path = tmp_path / "right.jsonl"
    path.write_text(report.read_text().splitlines()[0] + "\n")
    out = tmp_path / "all.json"
    assert main(["sim", "report", str(path), "--json", str(out)]) == 0
    assert json.loads(out.read_text())["errors"] == 0


def test_a_broken_report_names_its_line(tmp_path, capsys):
    path = tmp_path / "report.jsonl"
    path.write_text('{"kernel": "a", "faults": [], "suppressed": 0}\n{"kernel"\n')
    assert main(["sim", "report", str(path)]) == 1
    assert f"{path}:2: expected a launch as AVO_SIM_REPORT writes it" in capsys.readouterr().err
