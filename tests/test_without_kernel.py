# SPDX-License-Identifier: Apache-2.0
"""Operators that have no AscendC kernel yet: everything that would need one says so, by name."""

from __future__ import annotations

import pytest

import ascend_vision_ops as avo
from ascend_vision_ops import cli
from ascend_vision_ops.testing.run import spec_of

OPERATORS = [name for name in avo.operators() if not spec_of(name).on_device]


@pytest.mark.parametrize("module", ["aclnn", "tiling"])
@pytest.mark.parametrize("operator", OPERATORS)
def test_faces_of_devices(operator, module):
    with pytest.raises(AttributeError, match=f"{operator} runs on CPUs alone: it has no AscendC kernel yet"):
        getattr(getattr(avo, module), operator)
    assert operator not in getattr(avo, module).__all__


def test_another_name_is_no_operator():
    with pytest.raises(AttributeError, match="has no attribute 'nothing'"):
        avo.aclnn.nothing  # noqa: B018


@pytest.mark.parametrize("command", [["tiling"], ["profile"], ["sim", "compare"]], ids=" ".join)
@pytest.mark.parametrize("operator", OPERATORS)
def test_commands(operator, command, capsys):
    assert cli.main([*command, operator]) != 0
    assert f"{operator} has no AscendC kernel yet" in capsys.readouterr().err


def test_the_list_says_so(capsys, monkeypatch):
    monkeypatch.setenv("COLUMNS", "400")
    assert cli.main(["list"]) == 0
    lines = capsys.readouterr().out.splitlines()
    for name in avo.operators():
        (line,) = [line for line in lines if line.split()[:1] == [name]]
        assert ("no AscendC kernel yet" in line) == (name in OPERATORS)
