# SPDX-License-Identifier: Apache-2.0
"""`./build.sh check`: format, lint, line budgets, families, names of operators, language of kernels, duplicates, rules.

`--fix` formats first.
"""

from __future__ import annotations

import re
import subprocess
import sys
from collections import defaultdict
from fnmatch import fnmatch
from pathlib import Path

from tools import ascendc_api, intrinsics, kernel_language, taken_by_api
from tools.docs import API, INTRINSICS, SUPPORT, support_table
from tools.families import CASES, CPP_ROOMS, REFERENCE, Tree, code_lines
from tools.mentions import mentions

ROOT = Path(__file__).resolve().parents[1]
CPP = (".h", ".cpp")
SOURCES = (*CPP, ".py", ".sh", ".cmake", ".yaml", ".in")

# Lines of code that one file may have; the first pattern that fits counts. Comments and blank lines are free.
FILE_BUDGETS = {
    "op_host/*/*.yaml": 60,
    "op_kernel/*/*_tiling.h": 40,
    **{f"{room}/*": 250 for room in CPP_ROOMS},
    **{f"{room}/*": 75 for room in (REFERENCE, CASES)},
}
# Lines of code that an operator may have in a room, with its share of its family's helpers.
OPERATOR_BUDGETS = {"op_host": 200, "op_kernel": 875, "op_cpu": 1000, REFERENCE: 75, CASES: 130}
# An operator that needs more says so, with its reason, where it is defined.
LARGER = re.compile(r"^\W*Budget: (\d+) lines of code, because \w", re.M)
SUPPORTED = "docs/operators.md"
INTRINSICS_PAGE = "docs/simulator_api.md"
MAX_BYTES = 400_000
LICENCE = "SPDX-License-Identifier: Apache-2.0"
PROMISES = re.compile(r"\b(TODO|FIXME|XXX|HACK)\b")
SIMULATOR = re.compile(r"#\s*(el)?if(n?def)?\b.*\b\w*SIM\w*")
# Finds a function with a body at the start of a line or one level in; gives its name and where its body begins.
FUNCTION = re.compile(
    r"^(?!\s*(?:if|for|while|switch|return|else)\b)[\w:<>,&*\s\[\]]*?\b(\w+)\s*\([^;{}]*\)[^;{}]*\{", re.M
)


def files() -> list[str]:
    """Lists the files that git tracks or would track."""
    listed = ["git", "ls-files", "--cached", "--others", "--exclude-standard"]
    names = subprocess.run(listed, cwd=ROOT, capture_output=True, text=True, check=True).stdout.splitlines()
    return sorted(name for name in set(names) if (ROOT / name).is_file())


def text_of(name: str) -> str:
    return (ROOT / name).read_text(encoding="utf-8")


def over_budget(tree: Tree):
    for name in tree.places:
        limit = next((limit for pattern, limit in FILE_BUDGETS.items() if fnmatch(name, pattern)), None)
        if limit is not None and (lines := code_lines(tree.text(name))) > limit:
            yield f"{name}: {lines} lines of code, budget {limit}"
    for room, limit in OPERATOR_BUDGETS.items():
        for operator in tree.contracts:
            stated = [LARGER.search(tree.text(name)) for name in tree.files_of(operator, room)]
            most = max([limit, *(int(match[1]) for match in stated if match)])
            if (lines := round(tree.lines_of(operator, room))) > most:
                yield f"{operator} in {room}: {lines} lines of code with its share of its family, budget {most}"


def rules(names):
    for name in names:
        path = ROOT / name
        if path.stat().st_size > MAX_BYTES:
            yield f"{name}: {path.stat().st_size:,} bytes, at most {MAX_BYTES:,}"
        if path.suffix not in SOURCES and path.name != "CMakeLists.txt":
            continue
        text = text_of(name)
        head = "\n".join(text.splitlines()[:2])
        if text.strip() and path.suffix != ".in" and LICENCE not in head:
            yield f"{name}:1: expected the line {LICENCE}"
        for number, line in enumerate(text.splitlines(), 1):
            if PROMISES.search(line) and name != "tools/check.py":
                yield f"{name}:{number}: a promise: do it now or open an issue: {line.strip()}"
            if name.startswith(("op_host/", "op_kernel/")) and SIMULATOR.search(line):
                yield f"{name}:{number}: kernels and tiling do not know the simulator: {line.strip()}"


def bodies(name: str):
    """Gives name and normalised body of every C++ function of a file."""
    text = re.sub(r"//[^\n]*", "", text_of(name))
    for match in FUNCTION.finditer(text):
        depth, end = 1, match.end()
        while depth and end < len(text):
            depth += {"{": 1, "}": -1}.get(text[end], 0)
            end += 1
        body = " ".join(text[match.end() : end].split())
        if len(body) > 40:
            yield match[1], body


def duplicates(names):
    """Finds one body in two files of op_* folders, which should be one helper."""
    seen = defaultdict(set)
    for name in names:
        if name.startswith(("op_host/", "op_kernel/", "op_cpu/")) and name.endswith(CPP):
            for function, body in bodies(name):
                seen[body].add((name, function))
    for places in seen.values():
        if len({name for name, _ in places}) > 1:
            yield "the same body in " + " and ".join(
                f"{name} ({function})" for name, function in sorted(places)
            )


def support(names):
    found = SUPPORT.search(text_of(SUPPORTED)) if SUPPORTED in names else None
    if found is None or found[2].strip() != support_table(ROOT).strip():
        yield f"{SUPPORTED}: the support table is not that of the contracts; ./build.sh docs writes it"


def intrinsics_table(names):
    found = INTRINSICS.search(text_of(INTRINSICS_PAGE)) if INTRINSICS_PAGE in names else None
    if found is None or found[2].strip() != intrinsics.table(ROOT).strip():
        yield f"{INTRINSICS_PAGE}: the table is not that of the headers; ./build.sh docs writes it"


def api_table(names):
    yield from ascendc_api.problems(ROOT)
    found = API.search(text_of(INTRINSICS_PAGE)) if INTRINSICS_PAGE in names else None
    if found is None or found[2].strip() != ascendc_api.table(ROOT).strip():
        yield f"{INTRINSICS_PAGE}: the names of AscendC are not those of the headers; ./build.sh docs writes them"


def tool(*command: str):
    """Runs a formatter or linter and gives its complaints, by line."""
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True)
    if done.returncode:
        yield from (done.stdout + done.stderr).strip().splitlines()[:40] or [
            f"{command[0]} gave {done.returncode}"
        ]


def main() -> int:
    names = files()
    tree = Tree(ROOT, names)
    scripts = str(Path(sys.executable).parent)
    sources = [name for name in names if name.endswith(CPP)]
    if "--fix" in sys.argv[1:]:
        subprocess.run([f"{scripts}/ruff", "check", "--quiet", "--fix", "."], cwd=ROOT)
        subprocess.run([f"{scripts}/ruff", "format", "--quiet", "."], cwd=ROOT)
        subprocess.run([f"{scripts}/clang-format", "-i", *sources], cwd=ROOT)
    steps = {
        "lint": tool(f"{scripts}/ruff", "check", "--quiet", "--output-format=concise", "."),
        "format of Python": tool(f"{scripts}/ruff", "format", "--quiet", "--diff", "."),
        "format of C++": tool(f"{scripts}/clang-format", "--dry-run", "--Werror", *sources),
        "line budgets": over_budget(tree),
        "families": tree.family_problems(),
        "names of operators": mentions(tree),
        "language of kernels": kernel_language.problems(names, text_of),
        "memory that the API takes": taken_by_api.problems(tree),
        "duplicate helpers": duplicates(names),
        "rules": rules(names),
        "support table": support(names),
        "table of intrinsics": intrinsics_table(names),
        "names of AscendC": api_table(names),
    }
    failed = 0
    for title, problems in steps.items():
        found = list(problems)
        failed += bool(found)
        print(f"{title}: {'ok' if not found else ''}".rstrip())
        for line in found:
            print(f"  {line}")
    print(f"check: {failed} of {len(steps)} failed" if failed else f"check: {len(steps)} of {len(steps)} ok")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
