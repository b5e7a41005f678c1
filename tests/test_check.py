# SPDX-License-Identifier: Apache-2.0
"""tools/check.py finds what it is there for: a tree that is well, and the same tree with one fault."""

import sys

import pytest

from tools import check, docs

LICENCE = "// SPDX-License-Identifier: Apache-2.0\n"
BODY = "int Twice(int value) {\n  const int result = value + value;\n  return result > 0 ? result : 0;\n}\n"


@pytest.fixture
def tree(tmp_path, monkeypatch):
    """A function that writes files into an empty tree and gives their names."""
    monkeypatch.setattr(check, "ROOT", tmp_path)

    def write(**files):
        for name, text in files.items():
            path = tmp_path / name
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(text, encoding="utf-8")
        return list(files)

    return write


@pytest.mark.parametrize(
    ("name", "limit"),
    [
        ("op_host/x.yaml", 60),
        ("op_host/x.cpp", 120),
        ("op_kernel/x_tiling.h", 40),
        ("op_kernel/x.h", 250),
        ("op_kernel/nms_x.h", 400),
        ("op_cpu/x.cpp", 250),
        ("python/ascend_vision_ops/reference/x.py", 60),
        ("tests/cases/x.py", 60),
        ("tests/cases/_x.py", 60),
    ],
)
def test_a_file_past_its_budget(tree, name, limit):
    assert list(check.over_budget(tree(**{name: limit * "a\n"}))) == []
    assert list(check.over_budget(tree(**{name: (limit + 1) * "a\n"}))) == [
        f"{name}: {limit + 1} lines, budget {limit}"
    ]


def test_what_operators_share_has_no_budget(tree):
    names = [f"{folder}/common/x.{kind}" for folder in ("op_cpu", "op_host") for kind in ("cpp", "h")]
    names.append("python/ascend_vision_ops/reference/common/x.py")
    assert list(check.over_budget(tree(**dict.fromkeys(names, 999 * "a\n")))) == []


@pytest.mark.parametrize(
    ("name", "text", "told"),
    [
        ("docs/x.bin", 400_001 * "a", "docs/x.bin: 400,001 bytes, at most 400,000"),
        ("op_cpu/x.cpp", "int a;\n", "op_cpu/x.cpp:1: expected the line SPDX"),
        ("op_cpu/x.cpp", f"{LICENCE}// {'TO' + 'DO'}: more\n", "op_cpu/x.cpp:2: a promise"),
        (
            "op_kernel/x.h",
            f"{LICENCE}#ifdef AVO_SIM\n#endif\n",
            "op_kernel/x.h:2: kernels and tiling do not know",
        ),
        (
            "op_host/x.cpp",
            f"{LICENCE}#if defined(ON_SIM)\n#endif\n",
            "op_host/x.cpp:2: kernels and tiling do not",
        ),
    ],
)
def test_a_rule_that_is_broken(tree, name, text, told):
    (found,) = check.rules(tree(**{name: text}))
    assert found.startswith(told)


def test_rules_that_are_kept(tree):
    kept = {
        "op_kernel/x.h": f"{LICENCE}#ifndef X_H\n#define X_H\n#endif\n",
        "sim/x.cpp": f"{LICENCE}#ifdef AVO_SIM\n#endif\n",
        "docs/x.md": "no licence\n",
        "docs/x.bin": 400_000 * "a",
        "python/empty.py": "",
    }
    assert list(check.rules(tree(**kept))) == []


def test_a_helper_written_twice(tree):
    """Whatever its name, comments and indents; short ones, and those of one file, are no helpers."""
    again = BODY.replace("Twice", "Double").replace("  return", "    // why\n    return")
    names = tree(**{"op_host/x.cpp": LICENCE + BODY, "op_cpu/y.h": f"static {again}"})
    (found,) = check.duplicates(names)
    assert found == "the same body in op_cpu/y.h (Double) and op_host/x.cpp (Twice)"
    short = {f"op_cpu/{name}.h": "int One() { return 1; }\n" for name in "ab"}
    alike = {"op_cpu/c.h": BODY + BODY.replace("Twice", "Double"), "tests/d.cpp": BODY}
    assert list(check.duplicates(tree(**short, **alike))) == []


def test_a_support_table_that_is_old(monkeypatch):
    """The page of this tree, against contracts of which one is gone."""
    assert list(check.support([check.SUPPORTED])) == []
    table = docs.support_table(check.ROOT)
    monkeypatch.setattr(check, "support_table", lambda root: "\n".join(table.splitlines()[:-1]))
    assert [line.partition(":")[0] for line in check.support([check.SUPPORTED])] == [check.SUPPORTED]


def test_a_tool_that_complains():
    said = "import sys; print('x.py:1: bad'); sys.exit(int(sys.argv[1]))"
    assert list(check.tool(sys.executable, "-c", said, "0")) == []
    assert list(check.tool(sys.executable, "-c", said, "1")) == ["x.py:1: bad"]
    (silent,) = check.tool(sys.executable, "-c", "raise SystemExit(3)")
    assert silent.endswith(" gave 3")


@pytest.mark.parametrize(("problems", "code"), [([], 0), (["op_cpu/x.cpp: 251 lines, budget 250"], 1)])
def test_the_exit_code_tells(monkeypatch, capsys, problems, code):
    for step in ("tool", "duplicates", "rules", "support"):
        monkeypatch.setattr(check, step, lambda *_: [])
    monkeypatch.setattr(check, "over_budget", lambda _: problems)
    monkeypatch.setattr("sys.argv", ["check"])
    assert check.main() == code
    printed = capsys.readouterr().out
    assert all(line in printed for line in problems)
    assert ("1 of 7 failed" if code else "7 of 7 ok") in printed
