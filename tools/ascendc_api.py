# SPDX-License-Identifier: Apache-2.0
"""The names of AscendC that the simulated device has without CANN's headers, for docs/simulator_api.md.

sim/ascendc/documented_names.txt lists the documented names. A name is there where a header below sim/ascendc/include
has it. Otherwise kernel_absent.h declares it, so that its use is a compile error that names it. To add a function,
write it and delete its line in kernel_absent.h.
"""

from __future__ import annotations

import re
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache
from pathlib import Path

NAMES = Path("sim/ascendc/documented_names.txt")
INCLUDE = Path("sim/ascendc/include")
ABSENT_HEADER = "kernel_absent.h"
ABSENT = re.compile(r'^SIM_ABSENT_CLASS\((\w+), "([^"]+)"\)$', re.MULTILINE)
# Comments, texts, and names of the simulator itself.
NO_CODE = re.compile(r"//[^\n]*|/\*.*?\*/|\"(?:\\.|[^\"\\\n])*\"|\bsim::\w+", re.DOTALL)
# The folder of the simulator's own functions; some headers there also declare names of the API.
OWN_FOLDER, API_SPACE = "sim", "namespace AscendC {"
WORD = re.compile(r"[A-Za-z_]\w*")
CLASS = re.compile(r"\b(?:class|struct|using)\s+(\w+)")
BASE = re.compile(r"\b(?:class|struct)\s+\w+\s*:\s*public\s+sim::(\w+)")
# Members that are no words of their own in C++.
OPERATORS = {"operator()": "operator", "operator[]": "operator"}


@dataclass(frozen=True)
class Name:
    """A documented name, perhaps `Class::member`, and what of it is missing where it is there in part."""

    text: str
    missing: str

    @property
    def owner(self) -> str:
        return self.text.partition("::")[0] if "::" in self.text else ""


def documented(root: Path) -> dict[str, list[Name]]:
    """The names by chapter."""
    chapters: dict[str, list[Name]] = {}
    for line in (root / NAMES).read_text(encoding="utf-8").splitlines():
        if line.startswith("["):
            chapter = chapters.setdefault(line.strip("[]"), [])
        elif line and not line.startswith("#"):
            text, _, missing = line.partition("|")
            chapter.append(Name(text.strip(), missing.strip()))
    return chapters


class Headers:
    """The words that the headers of the API use, and those that kernel_absent.h declares, with its reasons."""

    def __init__(self, root: Path):
        folder = root / INCLUDE
        absent = (folder / ABSENT_HEADER).read_text(encoding="utf-8")
        self.reasons = dict(ABSENT.findall(absent))
        self.absent = set(self.reasons)
        self.words: set[str] = set()
        self._of_class: dict[str, set[str]] = {}
        of_own: dict[str, set[str]] = {}
        bases: list[
            tuple[str, str]
        ] = []  # a class, and a base in `sim` of it or of another class of its header
        for path in sorted(folder.rglob("*.h")):
            if path.name == ABSENT_HEADER:
                continue
            text = path.read_text(encoding="utf-8")
            code = NO_CODE.sub(" ", text)
            words = set(WORD.findall(code))
            own = path.parent.name == OWN_FOLDER and API_SPACE not in text
            of_class = of_own if own else self._of_class
            for name in CLASS.findall(code):
                of_class[name] = of_class.get(name, set()) | words
                bases += [(name, base) for base in BASE.findall(text)]
            if not own:
                self.words |= words
        for name, base in bases:
            self._of_class.setdefault(name, set()).update(
                of_own.get(base, set()), self._of_class.get(base, set())
            )

    def has(self, name: Name) -> bool:
        """Whether a header declares it: a member in a header that has its class, or a base class in `sim`."""
        if not name.owner:
            return name.text in self.words
        member = name.text.partition("::")[2]
        words = self.words if name.owner == "Std" else self._of_class.get(name.owner, set())
        return OPERATORS.get(member, member) in words


@cache
def _headers(root: Path) -> Headers:
    return Headers(root)


def state(root: Path, name: Name) -> str:
    """there, in part or absent."""
    headers = _headers(root)
    if {name.text, name.owner} & headers.absent or not headers.has(name):
        return "absent"
    return "in part" if name.missing else "there"


def problems(root: Path) -> Iterator[str]:
    """Names without a state: documented and not declared, or declared absent although they are there or unknown."""
    names = [name for chapter in documented(root).values() for name in chapter]
    headers = _headers(root)
    header = INCLUDE / ABSENT_HEADER
    for name in names:
        if not name.owner and not headers.has(name) and name.text not in headers.absent:
            yield f"{NAMES}: no header declares {name.text}: write it, or add it to {header}"
        if name.missing and state(root, name) == "absent":
            yield f"{NAMES}: {name.text} is there in part, says the list, but no header declares it"
    known = {name.text for name in names}
    for text in sorted(headers.absent):
        if text not in known:
            yield f"{header}: {text} is no name of {NAMES}"
        elif text in headers.words:
            yield f"{header}: {text} is declared in another header too: delete its line here"


def table(root: Path) -> str:
    """Makes a Markdown table with a row for each chapter, and counts above it."""
    rows = ["| chapter | there | in part | absent |", "| --- | --- | --- | --- |"]
    counts = {"there": 0, "in part": 0, "absent": 0}
    for chapter, names in documented(root).items():
        cells: dict[str, list[str]] = {"there": [], "in part": [], "absent": []}
        for name in names:
            found = state(root, name)
            counts[found] += 1
            note = f" (without: {name.missing})" if found == "in part" else ""
            if reason := _headers(root).reasons.get(name.text):
                note = f" ({reason})"
            cells[found].append(f"`{name.text}`{note}")
        rows.append(f"| {chapter} | " + " | ".join(", ".join(cell) or "–" for cell in cells.values()) + " |")
    total = sum(counts.values())
    summary = (
        f"Of {total} documented names {counts['there']} are there, {counts['in part']} in part, "
        f"and {counts['absent']} are absent."
    )
    return "\n".join([summary, "", *rows])


def main() -> int:
    from tools.docs import API, fill

    root = Path(__file__).resolve().parents[1]
    fill(root / "docs" / "simulator_api.md", API, table(root))
    complaints = list(problems(root))
    print("\n".join(complaints) or "docs/simulator_api.md: the table of AscendC's names is written")
    return 1 if complaints else 0


if __name__ == "__main__":
    sys.exit(main())
