# SPDX-License-Identifier: Apache-2.0
"""tools/check.py finds each fault: every test checks a tree without a fault, then the same tree with one."""

import sys

import pytest

from tools import check, docs, intrinsics, kernel_language, taken_by_api
from tools.families import REFERENCE, Tree
from tools.mentions import mentions

LICENCE = "// SPDX-License-Identifier: Apache-2.0\n"
BODY = "int Twice(int value) {\n  const int result = value + value;\n  return result > 0 ? result : 0;\n}\n"


@pytest.fixture
def tree(tmp_path, monkeypatch):
    """Gives a function that writes files into an empty tree and returns their names."""
    monkeypatch.setattr(check, "ROOT", tmp_path)

    def write(**files):
        for name, text in files.items():
            path = tmp_path / name
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(text, encoding="utf-8")
        return list(files)

    return write


# Two families with an operator each, and a file of common/ that both use.
HOUSE = {
    "op_host/boxes/x.yaml": "",
    "op_host/grid/y.yaml": "",
    "op_kernel/boxes/x.h": '#include "../common/z.h"\n',
    "op_kernel/grid/y.h": '#include "../common/z.h"\n',
    "op_kernel/common/z.h": "",
}


@pytest.fixture
def house(tree, tmp_path):
    """Gives a function that makes the tree of HOUSE with other files or other texts."""
    return lambda **files: Tree(tmp_path, tree(**HOUSE | files))


@pytest.mark.parametrize(
    ("name", "limit"),
    [
        ("op_host/boxes/x.yaml", 60),
        ("op_host/boxes/x.cpp", 200),
        ("op_host/common/tiling/helper.h", 250),
        ("op_kernel/boxes/x_tiling.h", 40),
        ("op_kernel/boxes/x.h", 250),
        ("op_cpu/boxes/x.cpp", 250),
        ("python/ascend_vision_ops/reference/boxes/x.py", 75),
        ("tests/cases/boxes/x.py", 75),
        ("tests/cases/boxes/_x.py", 75),
    ],
)
def test_a_file_past_its_budget(house, name, limit):
    free = "\n# only a comment\n" if name.endswith((".py", ".yaml")) else "\n  // only a comment\n"
    assert list(check.over_budget(house(**{name: limit * "a\n" + 9 * free}))) == []
    assert f"{limit + 1} lines of code" in next(check.over_budget(house(**{name: (limit + 1) * "a\n"})))


def test_an_operator_past_its_budget_with_its_share_of_the_family(house):
    """A helper counts in equal parts for the operators that use it, wherever it lies within the family."""
    text = '#include "helper.h"\n' + 199 * "a\n"
    files = {f"op_host/boxes/{name}": text for name in ("x.cpp", "w.cpp")} | {"op_host/boxes/w.yaml": ""}
    assert list(check.over_budget(house(**files, **{"op_host/boxes/helper.h": ""}))) == []
    told = "lines of code with its share of its family, budget 200"
    assert list(check.over_budget(house(**files, **{"op_host/boxes/helper.h": 20 * "a\n"}))) == [
        f"{operator} in op_host: 210 {told}" for operator in ("x", "w")
    ]


@pytest.mark.parametrize(
    ("comment", "told"),
    [
        ("// Budget: 210 lines of code, because there are two ways.\n", []),
        ("// Budget: 209 lines of code, because there are two ways.\n", ["budget 209"]),
        ("// Budget: 210 lines of code\n", ["budget 200"]),
    ],
)
def test_an_operator_states_a_larger_budget_with_its_reason(house, comment, told):
    files = {"op_host/boxes/x.cpp": '#include "helper.h"\n' + 199 * "a\n" + comment}
    problems = list(check.over_budget(house(**files, **{"op_host/boxes/helper.h": 10 * "a\n"})))
    assert [problem.rpartition(", ")[2] for problem in problems] == told


def test_declarations_count_for_no_operator(house):
    files = {"op_kernel/boxes/x_tiling.h": 30 * "a\n", "op_kernel/boxes/helper_buffers.h": 200 * "a\n"}
    includes = '#include "x_tiling.h"\n#include "helper_buffers.h"\n#include "../common/z.h"\n'
    assert house(**files, **{"op_kernel/boxes/x.h": includes}).lines_of("x", "op_kernel") == 3


@pytest.mark.parametrize(
    ("name", "text", "told"),
    [
        (
            "op_kernel/boxes/x.h",
            '#include "../grid/y.h"\n',
            "op_kernel/boxes/x.h: takes op_kernel/grid/y.h from another",
        ),
        (
            "op_host/common/a.h",
            '#include "op_kernel/grid/y.h"\n',
            "op_host/common/a.h: takes op_kernel/grid/y.h from",
        ),
        (
            "tests/cases/grid/y.py",
            'X = cases_module("x")\n',
            "tests/cases/grid/y.py: takes tests/cases/boxes/x.py from",
        ),
        (
            "benchmarks/workloads/grid/y.py",
            "from benchmarks.workloads.boxes.x import a\n",
            "benchmarks/workloads/grid/y.py",
        ),
        (
            f"{REFERENCE}/grid/y.py",
            "from ..boxes.x import a\n",
            f"{REFERENCE}/grid/y.py: takes {REFERENCE}/boxes/x.py",
        ),
        (
            "op_kernel/grid/y.h",
            "",
            "op_kernel/common/z.h: serves boxes; common/ is for what several families use",
        ),
        ("op_cpu/common/z.h", "", "op_cpu/common/z.h: serves no family; common/"),
        ("op_cpu/grid/x.cpp", "", "op_cpu/grid/x.cpp: expected the folder boxes, where the contract is"),
        ("tests/host/grid/test_x.py", "", "tests/host/grid/test_x.py: expected the folder boxes"),
        (
            "op_cpu/gird/a.h",
            "",
            "op_cpu/gird/a.h: expected the folder of a family (boxes, grid) or common, got gird",
        ),
    ],
)
def test_a_file_in_the_wrong_room(house, name, text, told):
    cases = {f"tests/cases/boxes/{name}.py": "" for name in "x"}
    workloads = {"benchmarks/workloads/boxes/x.py": "", f"{REFERENCE}/boxes/x.py": ""}
    assert list(house(**cases, **workloads).family_problems()) == []
    found = list(house(**cases, **workloads, **{name: text}).family_problems())
    assert any(line.startswith(told) for line in found), found


def test_what_serves_generated_code_is_common(house):
    """A file that generated code or a border to a framework includes serves every operator."""
    template = {"python/ascend_vision_ops/opgen/templates/a.j2": '#include "op_host/common/status.h"\n'}
    header = {
        "op_host/common/status.h": "",
        "op_host/common/status.cpp": '#include "op_host/common/inner.h"\n',
    }
    inner = {"op_host/common/inner.h": ""}
    assert list(house(**template, **header, **inner).family_problems()) == []


# Three operators: one whose name is an ordinary word, and two whose names are not.
NAMED = {f"op_host/boxes/{name}.yaml": "" for name in ("argmax", "roi_align", "max_pool2d")}
PACKAGE = "python/ascend_vision_ops"


@pytest.mark.parametrize(
    ("name", "text", "operator"),
    [
        (f"{PACKAGE}/a.py", "v = ops.roi_align(w)\n", "roi_align"),
        (f"{PACKAGE}/a.py", "from b.max_pool2d import c\n", "max_pool2d"),
        (f"{PACKAGE}/a.py", "def argmax(v): ...\n", "argmax"),
        (f"{PACKAGE}/a.py", "TABLE = {'argmax': 3}\n", "argmax"),
        (f"{PACKAGE}/a.py", "name = 'aten::argmax'\n", "argmax"),
        (f"{PACKAGE}/a.py", "raise ValueError(f'{v}: not roi_align')\n", "roi_align"),
        (f"{PACKAGE}/a.py", "class RoiAlign: ...\n", "RoiAlign"),
        ("sim/a.cpp", 'Register("max_pool2d");\n', "max_pool2d"),
        ("sim/a.h", "int argmax = 1;\n", "argmax"),
        ("cmake/a.cmake", "add_library(roi_align)\n", "roi_align"),
        ("tools/a.py", "BUDGETS = {'roi_align': 3}\n", "roi_align"),
    ],
)
def test_an_operator_that_others_know(house, name, text, operator):
    (found,) = mentions(house(**NAMED, **{name: "\n" + text}))
    assert found.startswith(f"{name}:2: mentions {operator};")


@pytest.mark.parametrize(
    ("name", "text"),
    [
        (f"{PACKAGE}/nn/roi_align.py", "def roi_align(): ...\n"),
        (f"{PACKAGE}/reference/boxes/_helper.py", "def roi_align(): ...\n"),
        (f"{PACKAGE}/a.py", '"""As roi_align does."""\n# argmax\n'),
        (f"{PACKAGE}/a.py", "place = np.argmax(v) + numpy.argmax(v)\n"),
        (f"{PACKAGE}/a.py", "NODES = 'abs argmax argmin'\n"),
        (f"{PACKAGE}/a.py", "roi_align_of_others = 1\n"),
        (f"{PACKAGE}/a.py", "parser.add_argument('v', help='such as roi_align')\n"),
        (f"{PACKAGE}/a.py", "USE = 'avo tiling roi_align'\nparser = ArgumentParser(epilog=USE)\n"),
        ("sim/a.cpp", "// roi_align\n/* max_pool2d */ int a;\n"),
        ("cmake/a.cmake", "set(v 1)  # roi_align\n"),
        ("tests/test_a.py", "roi_align = 1\n"),
    ],
)
def test_what_is_no_mention_of_an_operator(house, name, text):
    assert list(mentions(house(**NAMED, **{name: text}))) == []


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
    """A copy is found whatever its name, comments and indents are. Short functions, and copies in one file, do not
    count.
    """
    again = BODY.replace("Twice", "Double").replace("  return", "    // why\n    return")
    names = tree(**{"op_host/x.cpp": LICENCE + BODY, "op_cpu/y.h": f"static {again}"})
    (found,) = check.duplicates(names)
    assert found == "the same body in op_cpu/y.h (Double) and op_host/x.cpp (Twice)"
    short = {f"op_cpu/{name}.h": "int One() { return 1; }\n" for name in "ab"}
    alike = {"op_cpu/c.h": BODY + BODY.replace("Twice", "Double"), "tests/d.cpp": BODY}
    assert list(check.duplicates(tree(**short, **alike))) == []


def test_a_support_table_that_is_old(monkeypatch):
    """The page of this tree is compared with contracts of which one is gone."""
    assert list(check.support([check.SUPPORTED])) == []
    table = docs.support_table(check.ROOT)
    monkeypatch.setattr(check, "support_table", lambda root: "\n".join(table.splitlines()[:-1]))
    assert [line.partition(":")[0] for line in check.support([check.SUPPORTED])] == [check.SUPPORTED]


def test_a_table_of_intrinsics_that_is_old(monkeypatch):
    """The page of this tree is compared with headers that have another intrinsic."""
    page = check.INTRINSICS_PAGE
    assert list(check.intrinsics_table([page])) == []
    table = intrinsics.table(check.ROOT)
    assert "`vadd`" in table and "**not modelled** | `copy_matrix_cbuf_to_cc`" in table
    monkeypatch.setattr(intrinsics, "table", lambda root: table.replace("`vadd`", "`vadd`, `vnew`"))
    assert [line.partition(":")[0] for line in check.intrinsics_table([page])] == [page]


def test_a_tool_that_complains():
    said = "import sys; print('x.py:1: bad'); sys.exit(int(sys.argv[1]))"
    assert list(check.tool(sys.executable, "-c", said, "0")) == []
    assert list(check.tool(sys.executable, "-c", said, "1")) == ["x.py:1: bad"]
    (silent,) = check.tool(sys.executable, "-c", "raise SystemExit(3)")
    assert silent.endswith(" gave 3")


class Nothing(list):
    """What a step finds in a tree without a fault."""

    def family_problems(self):
        return []


NOTHING = Nothing()


@pytest.mark.parametrize(("problems", "code"), [([], 0), (["op_cpu/x.cpp: 251 lines, budget 250"], 1)])
def test_the_exit_code_tells(monkeypatch, capsys, problems, code):
    for step in ("tool", "duplicates", "rules", "support", "intrinsics_table", "Tree", "mentions"):
        monkeypatch.setattr(check, step, lambda *_: NOTHING)
    for module in (kernel_language, taken_by_api):
        monkeypatch.setattr(module, "problems", lambda *_: NOTHING)
    monkeypatch.setattr(check, "over_budget", lambda _: problems)
    monkeypatch.setattr("sys.argv", ["check"])
    assert check.main() == code
    printed = capsys.readouterr().out
    assert all(line in printed for line in problems)
    assert ("1 of 13 failed" if code else "13 of 13 ok") in printed


KERNEL = """#include <cstdint>
#include <type_traits>
struct Form {
  float scale[2] = {};
  __aicore__ inline void ByRun(uint32_t run) const { AscendC::Muls(to[run], to[run], scale[0], 8); }
};
template <typename T>
__aicore__ inline T Least() {
  if constexpr (std::is_same_v<T, float>) {
    return -__builtin_inff();
  }
  const uint64_t mask[] = {1, 0};  // [&] { in a comment }
  return T(mask[0]);
}
"""


@pytest.mark.parametrize(
    ("line", "told"),
    [
        ("const auto twice = [&](uint32_t x) { return 2 * x; };", "a lambda"),
        ("ForAll(8, [=](uint32_t x) -> float { return x; });", "a lambda"),
        ("const auto once = [] { return 1; };", "a lambda"),
        ("const auto [x, y] = Both();", "a structured binding"),
        ("auto *all = new float[8];", "dynamic memory"),
        ("virtual void Run() = 0;", "a virtual function"),
        ("static int calls = 0;", "a variable of a thread or of all calls"),
        ("double sum = 0;", "double"),
        ("const float x = __builtin_bit_cast(float, 1);", "__builtin_bit_cast: no public kernel uses it"),
        ("std::array<float, 2> both;", "std::array: no public kernel uses it"),
        ("#include <vector>", "#include <vector>: no public kernel uses it"),
        ("inline uint32_t Twice(uint32_t x) {\n  return 2 * x;\n}", "Twice has no __aicore__"),
    ],
)
def test_constructs_that_kernels_leave_out(tree, line, told):
    names = tree(**{"op_kernel/boxes/x.h": KERNEL, "op_host/boxes/x.cpp": line})
    assert list(kernel_language.problems(names, check.text_of)) == []
    names = tree(**{"op_kernel/boxes/x.h": KERNEL + line + "\n"})
    (problem,) = kernel_language.problems(names, check.text_of)
    assert problem.startswith(f"op_kernel/boxes/x.h:{KERNEL.count(chr(10)) + 1}: {told}")


# A kernel that calls Select in a helper, and its tiling, which leaves the memory that Select takes.
TAKEN = {
    taken_by_api.ROWS: 'inline constexpr TakenByApi kTakenBySelect{"Select", 1024, 128};\n',
    "op_kernel/boxes/x.h": '#include "helper.h"\n',
    "op_kernel/boxes/helper.h": "AscendC::Select(to, bits, from);\n",
    "op_host/boxes/x.cpp": '#include "op_host/boxes/x_tiling.h"\n',
    "op_host/boxes/x_tiling.h": "const Platform platform = Below(kTakenBySelect, device);\n",
    "op_kernel/grid/y.h": "AscendC::SelectAll(to);  // no Select\n",
    "op_host/grid/y.cpp": "const Platform &platform = device;\n",
}


@pytest.mark.parametrize(
    ("name", "text", "told"),
    [
        ("op_host/boxes/x_tiling.h", "", "op_kernel/boxes/helper.h: Select takes memory"),
        (
            "op_kernel/grid/y.h",
            "AscendC::Select<float>(to, bits, from);\n",
            "op_kernel/grid/y.h: Select takes memory",
        ),
        (
            "op_host/grid/y.cpp",
            "Below(kTakenBySelect, device);\n",
            "the tiling of y names kTakenBySelect, but no",
        ),
    ],
)
def test_tilings_leave_what_the_api_takes(house, name, text, told):
    assert list(taken_by_api.problems(house(**TAKEN))) == []
    (problem,) = taken_by_api.problems(house(**TAKEN | {name: text}))
    assert problem.startswith(told)
