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
    command = [COMPILER, "-std=c++17", "-fsyntax-only", "-DASCENDC_CUBE_ONLY", *folders, "-x", "c++", "-"]
    return subprocess.run(command, input=text, capture_output=True, text=True, timeout=300)


def in_state(*states: str) -> list[ascendc_api.Name]:
    return [name for name in NAMES if ascendc_api.state(ROOT, name) in states]


def test_names_that_are_there_compile():
    """A name is a macro, or lies in the namespace AscendC or outside of all."""
    lines = ['#include "kernel_operator.h"', '#include "lib/matmul_intf.h"', "using namespace AscendC;"]
    for name in in_state("there", "in part"):
        if not name.owner or name.owner == "Std":
            lines += [f"#ifndef {name.text.rpartition(':')[2]}", f"using {{}}{name.text};", "#endif"]
    inside = "\n".join(line.format("AscendC::") for line in lines)
    done = compile_text(f"{inside}\n")
    assert done.returncode == 0, done.stderr[-3000:]


def test_absent_names_are_errors_by_name():
    headers = ascendc_api.Headers(ROOT)
    functions = sorted(headers.absent)
    assert functions
    calls = "\n".join(f"void Use{i}() {{ AscendC::{name}(1); }}" for i, name in enumerate(functions))
    done = compile_text(f'#include "kernel_operator.h"\n{calls}\n')
    assert done.returncode != 0
    told = set(re.findall(r"AscendC::(\w+) is not modelled by the simulated device", done.stderr))
    assert told == set(functions)


@pytest.mark.parametrize(
    "call", ["Absent(1)", "Absent<float>(1)", "Absent<float, 3>(1)", "Absent<2, true>(1)"]
)
def test_an_absent_name_is_told_in_every_form(call):
    name = sorted(ascendc_api.Headers(ROOT).absent)[0]
    done = compile_text(
        f'#include "kernel_operator.h"\nvoid Use() {{ AscendC::{call.replace("Absent", name)}; }}'
    )
    assert f"AscendC::{name} is not modelled" in done.stderr


def test_a_kernel_may_have_a_function_of_an_absent_name():
    """One for tensors is preferred, also where an argument is converted."""
    name = sorted(ascendc_api.Headers(ROOT).absent)[-1]
    own = f"""#include "kernel_operator.h"
using namespace AscendC;
template <typename T> int {name}(LocalTensor<T>, uint64_t) {{ return 7; }}
int Use() {{ LocalTensor<float> x; return {name}(x, 3); }}
"""
    done = compile_text(own)
    assert done.returncode == 0, done.stderr[-2000:]


def fake_tree(tmp_path: Path, names: str, absent: str, header: str) -> Path:
    include = tmp_path / ascendc_api.INCLUDE
    include.mkdir(parents=True)
    (tmp_path / ascendc_api.NAMES).write_text(names, encoding="utf-8")
    (include / ascendc_api.ABSENT_HEADER).write_text(absent, encoding="utf-8")
    (include / "api.h").write_text(header, encoding="utf-8")
    return tmp_path


LIST = "[Vector]\nAdd\nSub | bfloat16_t\nErf\nTPipe::Init\nTPipe::Leave\n"
HEADER = 'void Add(); void Sub(); // Erf\nclass TPipe { void Init(); };\nconst char *text = "Erf";\n'


def test_state_of_names(tmp_path):
    root = fake_tree(tmp_path, LIST, "SIM_ABSENT(Erf)\n", HEADER)
    states = {n.text: ascendc_api.state(root, n) for n in ascendc_api.documented(root)["Vector"]}
    assert states == {
        "Add": "there",
        "Sub": "in part",
        "Erf": "absent",
        "TPipe::Init": "there",
        "TPipe::Leave": "absent",
    }
    assert not list(ascendc_api.problems(root))
    assert "Of 5 documented names 2 are there, 1 in part, and 2 are absent." in ascendc_api.table(root)
    assert "`Sub` (without: bfloat16_t)" in ascendc_api.table(root)


@pytest.mark.parametrize(
    "absent,header,expected",
    [
        ("", HEADER, "no header declares Erf"),
        ("SIM_ABSENT(Erf)\nSIM_ABSENT(Add)\n", HEADER, "Add is declared in another header too"),
        ("SIM_ABSENT(Erf)\nSIM_ABSENT(Mul)\n", HEADER, "Mul is no name of"),
        ("SIM_ABSENT(Erf)\nSIM_ABSENT(Sub)\n", "void Add();", "Sub is there in part, says the list"),
    ],
)
def test_problems_of_names(tmp_path, absent, header, expected):
    found = list(ascendc_api.problems(fake_tree(tmp_path, LIST, absent, header)))
    assert any(expected in problem for problem in found), found
