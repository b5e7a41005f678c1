# SPDX-License-Identifier: Apache-2.0
"""The expression language: its three renderings agree, and what it does not know is said."""

from __future__ import annotations

import math
import subprocess
from pathlib import Path
from types import SimpleNamespace

import pytest

from ascend_vision_ops.opgen.expr import Expression, ExpressionError, Name, Symbol

ROOT = Path(__file__).parents[2]
TYPES = {
    "i": "int",
    "f": "float",
    "b": "bool",
    "s": "str",
    "a": "ints",
    "t": "tensor",
    "o": "float?",
    "u": "int?",
}
SCOPE = {name: Symbol(name, kind) for name, kind in TYPES.items()} | {"N": Symbol("N", "int", dimension=True)}
VALUES = {
    "i": -7, "f": 2.5, "b": True, "s": "avg", "a": [3, 1, 2], "N": 4, "o": None, "u": 9,
    "t": SimpleNamespace(shape=(2, 3, 4), ndim=3),
}  # fmt: skip

# Text, its C++, its value for VALUES.
EXPRESSIONS = [
    ("i + N * 2", "i + (N * 2)", 1),
    ("i // 2", "avo::FloorDiv(i, 2)", -4),
    ("i % 4", "avo::FloorMod(i, 4)", 1),
    ("i // 0", "avo::FloorDiv(i, 0)", 0),
    ("i / N", "static_cast<double>(i) / N", -1.75),
    ("int(N * f)", "avo::ToInt64(N * f)", 10),
    ("int(f * 1e300)", "avo::ToInt64(f * 1e+300)", 2**63 - 1),
    ("float(i)", "static_cast<double>(i)", -7.0),
    ("-i", "-i", 7),
    ("abs(i)", "std::abs(i)", 7),
    ("not b", "!b", False),
    ("b and i < 0", "b && (i < 0)", True),
    ("i > 0 or N == 4", "(i > 0) || (N == 4)", True),
    ("0 < N < 5", "0 < N && N < 5", True),
    ('s in ("avg", "max")', '(s == "avg" || s == "max")', True),
    ('s not in ("max",)', '(s != "max")', True),
    ("1 if b else 2", "b ? 1 : 2", 1),
    ("min(i, N)", "std::min<int64_t>({i, N})", -7),
    ("max(i, f, 3)", "std::max<double>({i, f, 3})", 3),
    ("min(a)", "avo::MinOf(a)", 1),
    ("max(a)", "avo::MaxOf(a)", 3),
    ("len(a)", "static_cast<int64_t>(a.size())", 3),
    ("a[1]", "a[1]", 1),
    ("rank(t)", "t.rank()", 3),
    ("numel(t)", "t.numel()", 24),
    ("t.shape[0]", "t.shape[0]", 2),
    ("t.shape[-1]", "t.shape[t.shape.size() - 1]", 4),
    ("drop(t.shape, -1, b)", "avo::DropDimension(t.shape, -1, b)", [2, 3, 1]),
    ("drop(t.shape, 3, b)", "avo::DropDimension(t.shape, 3, b)", [1, 1, 1]),
    ("wrap(-1, rank(t))", "avo::WrapDimension(-1, t.rank())", 2),
    ("[N, a[0]]", "avo::Shape{N, a[0]}", [4, 3]),
    ("o or -1.0", "o.value_or(-1.0)", -1.0),
    ("u or 5", "u.value_or(5)", 9),
    ("a or [N]", "a.empty() ? avo::Shape{N} : a", [3, 1, 2]),
    ("o is None", "!o.has_value()", True),
    ("u is not None", "u.has_value()", True),
]


@pytest.mark.parametrize(("text", "cpp", "value"), EXPRESSIONS, ids=[row[0] for row in EXPRESSIONS])
def test_cpp_and_value(text, cpp, value):
    expression = Expression(text, SCOPE)
    assert expression.cpp(lambda name: name) == cpp
    assert expression.evaluate(VALUES) == value


def test_cpp_computes_what_python_computes(tmp_path):
    """Every expression above, compiled and run."""
    setup = """
      int64_t i = -7, N = 4; double f = 2.5; bool b = true; std::string s = "avg"; avo::Shape a{3, 1, 2};
      avo::Tensor t; t.shape = {2, 3, 4}; std::optional<double> o; std::optional<int64_t> u = 9;
      auto show = [](const auto &value) {
        if constexpr (std::is_same_v<std::decay_t<decltype(value)>, avo::Shape>) return avo::ShowList(value);
        else return avo::Json(value);
      };
      (void)i; (void)N; (void)f; (void)b;"""
    lines = [f"std::puts(show({cpp}).c_str());" for _, cpp, _ in EXPRESSIONS]
    source = tmp_path / "values.cpp"
    source.write_text(
        '#include <cstdio>\n#include "op_host/common/tensors/contract.h"\n'
        "namespace avo { std::string DTypeName(DType) { return {}; }\n"
        "Shape ContiguousStrides(const Shape &shape) { return shape; } }\n"
        f"int main() {{ {setup}\n{chr(10).join(lines)} }}\n"
    )
    program = tmp_path / "values"
    subprocess.run(["g++", "-std=c++17", f"-I{ROOT}", str(source), "-o", str(program)], check=True)
    shown = subprocess.run([str(program)], capture_output=True, text=True, check=True).stdout.splitlines()
    for (text, _, value), line in zip(EXPRESSIONS, shown, strict=True):
        got = {"true": True, "false": False}.get(line)
        if got is None:
            got = [int(part) for part in line[1:-1].split(", ")] if line.startswith("[") else float(line)
        assert got == value or (isinstance(value, int) and math.isclose(got, value)), text


def test_division_of_the_smallest_integer(tmp_path):
    """The machine traps on it. The compiler, too, refuses an expression that overflows."""
    source = tmp_path / "division.cpp"
    source.write_text(
        '#include "op_host/common/tensors/contract.h"\n'
        "static_assert(avo::FloorDiv(INT64_MIN, -1) == INT64_MAX && avo::FloorMod(INT64_MIN, -1) == 0);\n"
        "static_assert(avo::FloorDiv(INT64_MIN, 1) == INT64_MIN && avo::FloorDiv(-7, -1) == 7);\n"
    )
    subprocess.run(["g++", "-std=c++17", "-fsyntax-only", f"-I{ROOT}", str(source)], check=True)


def test_python_suits_symbolic_sizes():
    def python(text):
        return Expression(text, SCOPE).python()

    assert python("int(N * f)") == "sym_int(N * f)"
    assert python("max(i, N, 1)") == "sym_max(sym_max(i, N), 1)"
    assert python("rank(t)") == "t.ndim"
    assert python("i // N") == "floor_div(i, N)"
    assert python("o or -1.0") == "-1.0 if o is None else o"
    assert python("a or [N]") == "a if len(a) else [N]"


def test_prose_keeps_parameters_apart():
    assert Expression("a[0] > N and f < 1", SCOPE).prose() == [Name("a"), "[0] > N and ", Name("f"), " < 1"]


BAD = [
    ("i +", "expected a Python expression, got 'i +'"),
    ("q + 1", "expected one of i, f,"),
    ("s + 1", "expected int or float or bool, got 's', which is str"),
    ("f // 2", "expected int operands of // and %, got 'f // 2'"),
    ("i and b", "expected bool, got 'i', which is int"),
    ("s == 1", "expected operands that compare"),
    ("i is None", "expected `x is None` of an optional x"),
    ("i in a", "expected a tuple of literals after `in`"),
    ("open(s)", "expected rank, numel, len"),
    ("i ** 2", "expected one of + - * / // %"),
    ("lambda: 1", "expected an expression of the contract language"),
    ("1 if b else s", "expected both branches of one type"),
    ("t.data", "expected an expression of the contract language"),
]


@pytest.mark.parametrize(("text", "message"), BAD, ids=[row[0] for row in BAD])
def test_what_it_does_not_know_is_said(text, message):
    with pytest.raises(ExpressionError) as raised:
        Expression(text, SCOPE)
    assert message in str(raised.value)
