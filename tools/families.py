# SPDX-License-Identifier: Apache-2.0
"""The rooms of the tree, and the families of operators in them.

A room is a folder that holds something of every operator: contracts, kernels, cases and so on. Every room has the same
folders: one for each family of operators, named in `op_host`, and `common/` for what several families use.

    op_host/boxes/nms_padded.cpp        op_kernel/boxes/nms_padded.h        tests/cases/boxes/nms_padded.py
    op_host/pooling/max_pool2d.cpp      op_kernel/pooling/max_pool2d.h      tests/cases/pooling/max_pool2d.py
    op_host/common/tiling/plan.h        op_kernel/common/copies/row_copy.h

The folder of a file is the only place that says its family.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path

CPP_ROOMS = ("op_host", "op_kernel", "op_cpu")
REFERENCE, CASES, HOST_TESTS, WORKLOADS = (
    "python/ascend_vision_ops/reference",
    "tests/cases",
    "tests/host",
    "benchmarks/workloads",
)
ROOMS = (*CPP_ROOMS, REFERENCE, CASES, HOST_TESTS, WORKLOADS)
COMMON = "common"
# Files that declare something: contracts, tiling structs, lists of buffers.
DECLARATIONS = (".yaml", "_tiling.h", "_buffers.h")
# Folders that are no families but may use a file of common/; such a file serves all operators.
BORDERS = ("python/ascend_vision_ops/csrc/", "python/ascend_vision_ops/opgen/", "sim/")

INCLUDE = re.compile(r'^\s*#\s*include\s*"([^"]+)"', re.M)
# from ._boxes import …; from ..common.pair import …; from benchmarks.workloads.boxes.nms_padded import …
RELATIVE_IMPORT = re.compile(r"^from (\.+)([\w.]*) import ([^\n]+)", re.M)
WORKLOAD_IMPORT = re.compile(r"^from benchmarks\.workloads\.([\w.]+) import (\w+)", re.M)
CASES_MODULE = re.compile(r"cases_module\(\"(\w+)\"\)")
COMMENT = re.compile(r"^\s*(//|#(?!\s*(include|define|if|else|elif|endif|pragma|undef)\b))")


def code_lines(text: str) -> int:
    """Lines that are neither blank nor only a comment, so that an explanation costs an operator nothing."""
    return sum(1 for line in text.splitlines() if line.strip() and not COMMENT.match(line))


@dataclass(frozen=True)
class Place:
    """Where a file lies: the room, and the folder in it."""

    room: str
    family: str
    operator: str  # the operator whose name the file has, "" for a helper


@dataclass
class Tree:
    """The files of a source tree and what they use of each other.

    root: the tree.
    names: its files, as paths from the root.
    """

    root: Path
    names: list[str]
    texts: dict[str, str] = field(default_factory=dict)

    def text(self, name: str) -> str:
        if name not in self.texts:
            self.texts[name] = (self.root / name).read_text(encoding="utf-8")
        return self.texts[name]

    @cached_property
    def contracts(self) -> dict[str, str]:
        """The family of each operator, by name."""
        parts = [
            Path(name).parts for name in self.names if name.startswith("op_host/") and name.endswith(".yaml")
        ]
        return {Path(part[-1]).stem: part[1] for part in parts}

    @cached_property
    def families(self) -> set[str]:
        return set(self.contracts.values())

    @cached_property
    def places(self) -> dict[str, Place]:
        """The files of rooms, except those that lie directly in a room."""
        found = {}
        for name in self.names:
            room = next((room for room in ROOMS if name.startswith(f"{room}/")), None)
            if room is None or name.count("/") == room.count("/") + 1:
                continue
            stem = Path(name).stem.removesuffix("_tiling").removeprefix("test_")
            operator = stem if stem in self.contracts else ""
            found[name] = Place(room, name[len(room) + 1 :].split("/")[0], operator)
        return found

    @cached_property
    def uses(self) -> dict[str, set[str]]:
        """For each file, the files of rooms that it includes or imports directly."""
        return {
            name: set(self._used_by(name)) & self.places.keys()
            for name in self.names
            if self._is_source(name)
        }

    def _is_source(self, name: str) -> bool:
        return name in self.places or name.startswith(BORDERS)

    def _used_by(self, name: str) -> Iterator[str]:
        if name.endswith((".h", ".cpp", ".j2")):
            for target in INCLUDE.findall(self.text(name)):
                beside = (self.root / name).parent / target
                inside = beside.resolve().is_relative_to(self.root.resolve()) and beside.exists()
                yield str(beside.resolve().relative_to(self.root.resolve())) if inside else target
        elif name.endswith(".py"):
            yield from self._imports(name)

    def _imports(self, name: str) -> Iterator[str]:
        text, parent = self.text(name), Path(name).parent
        for dots, module, names in RELATIVE_IMPORT.findall(text):
            folder = parent.joinpath(*[".."] * (len(dots) - 1), *module.split("."))
            targets = [folder, *(folder / part.strip() for part in names.split(","))]
            yield from (f"{_plain(target)}.py" for target in targets)
        for module, last in WORKLOAD_IMPORT.findall(text):
            path = f"{WORKLOADS}/{module.replace('.', '/')}"
            yield from (f"{path}.py", f"{path}/{last}.py")
        for module in CASES_MODULE.findall(text):
            yield from (path for path in self.places if path.startswith(CASES) and Path(path).stem == module)

    def users(self, name: str) -> set[str]:
        """Finds all files that use a file, directly or through others. A source serves the same users as its header."""
        found, open_ends = set(), {name, str(Path(name).with_suffix(".h"))}
        while open_ends:
            target = open_ends.pop()
            new = {user for user, used in self.uses.items() if target in used} - found
            # A file that includes X.h also uses what X.cpp includes.
            headers = {str(Path(user).with_suffix(".h")) for user in new if user.endswith(".cpp")}
            found |= new
            open_ends |= new | (headers & self.places.keys() - found)
        return found

    def family_problems(self) -> Iterator[str]:
        """Finds files in the wrong folder, uses across families, and files of common/ that are not common."""
        for name, place in self.places.items():
            if place.family not in self.families | {COMMON} or name.endswith("__init__.py"):
                known = ", ".join(sorted(self.families))
                yield f"{name}: expected the folder of a family ({known}) or common, got {place.family}"
            elif place.operator and place.family != self.contracts[place.operator]:
                yield f"{name}: expected the folder {self.contracts[place.operator]}, where the contract is"
            for used in sorted(self.uses.get(name, ())):
                other = self.places[used].family
                if other not in (place.family, COMMON):
                    yield f"{name}: takes {used} from another family; what both need belongs in common/"
            if place.family == COMMON:
                yield from self._not_common(name)

    def _not_common(self, name: str) -> Iterator[str]:
        users = self.users(name)
        if any(user.startswith(BORDERS) for user in users):
            return
        families = {self.places[user].family for user in users} - {COMMON}
        if len(families) < 2:
            yield f"{name}: serves {', '.join(families) or 'no family'}; common/ is for what several families use"

    def files_of(self, operator: str, room: str) -> list[str]:
        """The files of a room that carry the name of the operator."""
        return [
            name for name, place in self.places.items() if place.room == room and place.operator == operator
        ]

    def lines_of(self, operator: str, room: str) -> float:
        """Counts the lines of code of an operator in a room: its own lines, and its share of each helper of its family.

        A helper of 300 lines that three operators use counts 100 for each, wherever it lies. Contracts, tiling structs
        and lists of buffers declare something and count nothing.
        """
        own = self.files_of(operator, room)
        lines = sum(code_lines(self.text(name)) for name in own if not name.endswith(DECLARATIONS))
        for name, place in self.places.items():
            if name.endswith(DECLARATIONS):
                continue
            if place.room == room and place.family == self.contracts[operator] and not place.operator:
                users = {self.places[user].operator for user in self.users(name) if user in self.places} - {
                    ""
                }
                if operator in users:
                    lines += code_lines(self.text(name)) / len(users)
        return lines


def _plain(path: Path) -> str:
    """Resolves the `..` parts of a path."""
    parts: list[str] = []
    for part in path.parts:
        if part == "..":
            parts.pop()
        else:
            parts.append(part)
    return "/".join(parts)
