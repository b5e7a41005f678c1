# SPDX-License-Identifier: Apache-2.0
"""Every documented name of AscendC compiles, or is a compile error that names it; the list and the headers agree."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
from pathlib import Path

import pytest

from tools import ascendc_api

ROOT = Path(__file__).resolve().parents[2]
NAMES = [name for chapter in ascendc_api.documented(ROOT).values() for name in chapter]
COMPILER = next(filter(None, map(shutil.which, (os.environ.get("CXX", ""), "c++", "g++", "clang++"))), None)

pytestmark = pytest.mark.skipif(COMPILER is None, reason="there is no C++ compiler")


def compile_text(text: str) -> subprocess.CompletedProcess:
    folders = [f"-I{ROOT / 'sim/ascendc' / folder}" for folder in ("include", "")]
    command = [COMPILER, "-std=c++17", "-fsyntax-only", *folders, "-x", "c++", "-"]
    return subprocess.run(command, input=text, capture_output=True, text=True, timeout=300)


def in_state(*states: str) -> list[ascendc_api.Name]:
    return [name for name in NAMES if ascendc_api.state(ROOT, name) in states]


def declarations(names: list[str], space: str) -> str:
    """Names each of them from another namespace. A macro needs no more than to be defined."""
    includes = '#include "kernel_operator.h"\n#include "lib/matmul_intf.h"\n'
    lines = [f"#ifndef {name.rpartition(':')[2]}\nusing {space}::{name};\n#endif\n" for name in names]
    return f"{includes}namespace check {{\n{''.join(lines)}}}\n"


def test_names_that_are_there_compile():
    """A name lies in the namespace AscendC, or outside of all as some of CANN's do."""
    names = [n.text for n in in_state("there", "in part") if not n.owner or n.owner == "Std"]
    inside = compile_text(declarations(names, "AscendC"))
    told = re.findall(r"error: .(\w+). has not been declared|error: no member named '(\w+)'", inside.stderr)
    outside = [name for pair in told for name in pair if name]
    assert inside.returncode == 0 or outside, inside.stderr[-3000:]
    assert len(outside) < 20, outside
    rest = compile_text(declarations(outside, ""))
    assert rest.returncode == 0, rest.stderr[-3000:]


def test_absent_names_are_errors_by_name():
    headers = ascendc_api.Headers(ROOT)
    assert headers.absent
    uses = [f"void Use{name}() {{ AscendC::{name}(1); }}" for name in headers.absent]
    done = compile_text("\n".join(['#include "kernel_operator.h"', *uses, ""]))
    assert done.returncode != 0
    told = dict(
        re.findall(r"AscendC::(\w+) is not modelled by the simulated device: (.*?); docs", done.stderr)
    )
    assert told == headers.reasons


@pytest.mark.parametrize("use", ["Absent(1)", "Absent<float>()", "Absent<float, int> x(1, 2)"])
def test_an_absent_class_is_told_in_every_form(use):
    name = sorted(ascendc_api.Headers(ROOT).absent)[0]
    text = f'#include "kernel_operator.h"\nvoid Use() {{ AscendC::{use.replace("Absent", name)}; }}'
    assert f"AscendC::{name} is not modelled" in compile_text(text).stderr


def fake_tree(tmp_path: Path, names: str, absent: str, header: str) -> Path:
    include = tmp_path / ascendc_api.INCLUDE
    include.mkdir(parents=True)
    (tmp_path / ascendc_api.NAMES).write_text(names, encoding="utf-8")
    (include / ascendc_api.ABSENT_HEADER).write_text(absent, encoding="utf-8")
    (include / "api.h").write_text(header, encoding="utf-8")
    (include / "sim").mkdir()
    (include / "sim" / "pool.h").write_text("class Pool { void Take(); };\n", encoding="utf-8")
    return tmp_path


ERF = 'SIM_ABSENT_CLASS(Erf, "nobody has asked for it")\n'
LIST = "[Vector]\nAdd\nSub | bfloat16_t\nErf\nTPipe::Init\nTPipe::Leave\nTPipe::Take\n"
HEADER = 'void Add(); void Sub(); // Erf\nclass TPipe : public sim::Pool { void Init(); };\nconst char *text = "Erf";\n'


def test_state_of_names(tmp_path):
    root = fake_tree(tmp_path, LIST, ERF, HEADER)
    states = {n.text: ascendc_api.state(root, n) for n in ascendc_api.documented(root)["Vector"]}
    assert states == {
        "Add": "there",
        "Sub": "in part",
        "Erf": "absent",
        "TPipe::Init": "there",
        "TPipe::Leave": "absent",
        "TPipe::Take": "there",
    }
    assert not list(ascendc_api.problems(root))
    assert "Of 6 documented names 3 are there, 1 in part, and 2 are absent." in ascendc_api.table(root)
    assert "`Sub` (without: bfloat16_t)" in ascendc_api.table(root)
    assert "`Erf` (nobody has asked for it)" in ascendc_api.table(root)


@pytest.mark.parametrize(
    "absent,header,expected",
    [
        ("", HEADER, "no header declares Erf"),
        (ERF + ERF.replace("Erf", "Add"), HEADER, "Add is declared in another header too"),
        (ERF + ERF.replace("Erf", "Mul"), HEADER, "Mul is no name of"),
        (ERF + ERF.replace("Erf", "Sub"), "void Add();", "Sub is there in part, says the list"),
    ],
)
def test_problems_of_names(tmp_path, absent, header, expected):
    found = list(ascendc_api.problems(fake_tree(tmp_path, LIST, absent, header)))
    assert any(expected in problem for problem in found), found
