# SPDX-License-Identifier: Apache-2.0
"""`avo sim compare` must find each kind of difference between two recordings, and none where they say the same."""

from __future__ import annotations

import pytest

from ascend_vision_ops.testing import sequences
from ascend_vision_ops.testing.record import record
from ascend_vision_ops.testing.run import missing
from ascend_vision_ops.testing.sequences import Rule, first_difference, rules

LINES = """\
I MTE2 DataCopy 0 1 64 4 0 dst,UB,w,0,256,1,0,1,0,0, src,GM,r,4096+32,256,1,0,1,0,0,
F MTE2 V 3 0
W MTE2 V 3 0
I S GetValue 0 1 1 4 0 src,UB,r,0,4,1,0,1,0,0,
I V Adds 1 1 64 4 0 dst,UB,w,256,256,1,0,1,256,0, src,UB,r,0,256,1,0,1,256,0,
B V 1
X 0 MTE3 14 1
T 14 1
"""


def recording(lines: str = LINES, kernel: str = "twice") -> list[dict]:
    sites = [["DataCopy", "a.h:1"], ["Adds", "a.h:2"]]
    return [
        {
            "kernel": kernel,
            "cycles": 1.0,
            "cores": [{"core": 0, "cube": False, "sites": sites, "lines": lines}],
        }
    ]


@pytest.mark.parametrize(
    "before,after",
    [
        ("4096+32", "8192+32"),  # another allocation, used as the first one too
        ("64 4 0 dst,UB,w,0,", "256 1 0 dst,UB,w,0,"),  # a copy counts bytes
        ("1,256,0, src,UB,r,0", "1,0,0, src,UB,r,0"),  # the distance to a second group of one
        ("I S GetValue 0 1 1 4 0 src,UB,r,0,4,1,0,1,0,0,\n", ""),
        ("Adds 1", "Adds 0"),  # another source line
    ],
)
def test_what_is_said_in_two_ways_is_equal(before, after):
    assert before in LINES
    assert first_difference(recording(), recording(LINES.replace(before, after))) is None


@pytest.mark.parametrize(
    "before,after,kind,place",
    [
        ("I V Adds", "I V Muls", "Adds / Muls", 3),
        ("256,256,1,0,1,256,0, src,UB,r,0,256", "256,256,1,0,1,256,0, src,UB,r,32,256", "Adds: src", 3),
        ("4096+32", "4096+64", "DataCopy: src", 0),
        ("Adds 1 1 64", "Adds 1 2 64", "Adds: repeats", 3),
        ("F MTE2 V", "F MTE2 MTE3", "SetFlag: V", 1),
        ("F MTE2 V 3", "F MTE2 V 2", "SetFlag: 3", 1),
        ("W MTE2 V 3 0\n", "", "WaitFlag / Adds", 2),
        ("B V 1\n", "", "PipeBarrier / CrossCoreSetFlag", 4),
        ("T 14 1\n", "", "CrossCoreWaitFlag / end", 6),
    ],
)
def test_each_difference_is_found(before, after, kind, place):
    assert before in LINES
    found = first_difference(recording(), recording(LINES.replace(before, after)))
    assert (found.kind, found.before, found.core) == (kind, place, 0)


def test_scalar_accesses_are_compared_on_demand():
    found = first_difference(recording(), recording(LINES.replace("GetValue", "SetValue")), scalar=True)
    assert found.kind == "GetValue / SetValue"


def test_another_kernel_is_a_difference():
    assert "kernel" in first_difference(recording(), recording(kernel="thrice")).kind
    assert "kernel" in first_difference(recording(), []).kind


def test_a_rule_leaves_a_step_out_on_its_side(monkeypatch):
    rule = Rule("ours", "PipeBarrier V", "a reason", inside="a.h:2")
    monkeypatch.setattr(sequences, "rules", lambda: (rule,))
    without = LINES.replace("B V 1\n", "")
    assert first_difference(recording(), recording(without)) is None
    assert first_difference(recording(without), recording()) is not None


def test_every_rule_has_a_side_and_a_reason():
    assert all(rule.side in ("ours", "theirs") and rule.drop and rule.why for rule in rules())


@pytest.mark.skipif(bool(missing("aclnn")), reason=missing("aclnn"))
def test_the_device_records_a_call():
    call = "count_outside(indices=f32[100],size=3)"
    one, other = record(call), record(call, with_calls=True)
    assert not one.error and one.kernels[-1]["kernel"].startswith("count_outside")
    assert one.cycles > 0
    assert first_difference(one.kernels, other.kernels) is None
    steps = sequences.steps_of(other.kernels[-1]["cores"][0])
    assert "Select" in [step.name for step in steps]
    assert any("Process" in step.calls for step in steps)
