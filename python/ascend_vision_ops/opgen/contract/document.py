# SPDX-License-Identifier: Apache-2.0
"""A contract file as plain values. Remembers the line of each value and collects the problems found in the file."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping
from pathlib import Path

import yaml

from ..expr import Expression, ExpressionError, Symbol
from ..model import either

# PyYAML's parser in C, where PyYAML was built with it, takes a twentieth of the time.
LOADER = getattr(yaml, "CSafeLoader", yaml.SafeLoader)
# Where a value stands: keys of mappings and indices of lists, from the outermost one. ("soc", 0) is `soc[0]`.
Where = tuple[str | int, ...]


class SpecError(Exception):
    """One or more problems of contracts; `str()` gives one line for each."""

    def __init__(self, problems: Iterable[str]):
        self.problems = list(problems)
        super().__init__("\n".join(self.problems))


class Document:
    """One contract file.

    values: what each key holds. After `keys.check_keys`, all keys are there, with a value of the right kind.
    given: the keys that the file states with such a value; others have a default. Filled by `keys.check_keys`.
    lines: the line of each value, counted from 1.
    problems: lines of text, `file:line: key: expected …, got …`, in the order in which they were found.
    """

    def __init__(self, path: Path):
        """Reads the file. Raises SpecError where it is no YAML, or no mapping."""
        self.path = path
        self.lines: dict[Where, int] = {}
        self.given: set[str] = set()
        self.problems: list[str] = []
        try:
            root = yaml.compose(path.read_text(encoding="utf-8"), Loader=LOADER)
        except yaml.MarkedYAMLError as error:
            line = error.problem_mark.line + 1 if error.problem_mark else 1
            raise SpecError([f"{path.name}:{line}: expected YAML, got {error.problem}"]) from None
        if not isinstance(root, yaml.MappingNode):
            raise SpecError([f"{path.name}:1: expected a mapping of keys, got something else"])
        self._scalars = yaml.SafeLoader("")  # converts numbers, texts, true and null
        self.values: dict[str, object] = self._value(root, ())

    def __contains__(self, key: str) -> bool:
        return key in self.values

    def __getitem__(self, key: str):
        return self.values[key]

    def _value(self, node: yaml.Node, where: Where) -> object:
        """Converts a node and all nodes in it, and notes their lines."""
        self.lines[where] = node.start_mark.line + 1
        if isinstance(node, yaml.MappingNode):
            result = {}
            for key_node, value_node in node.value:
                key = key_node.value
                if key in result:
                    self.problem((*where, key), "each key once", "it twice", key_node.start_mark.line + 1)
                result[key] = self._value(value_node, (*where, key))
                self.lines[(*where, key)] = key_node.start_mark.line + 1
            return result
        if isinstance(node, yaml.SequenceNode):
            return [self._value(item, (*where, index)) for index, item in enumerate(node.value)]
        return self._scalars.construct_object(node)

    def problem(self, where: Where | str, expected: str, got: object, line: int | None = None) -> None:
        """Reports a problem at a place. Without a line, it is that of the place or of the nearest one around it."""
        where = (where,) if isinstance(where, str) else where
        around = where
        while line is None:
            line = self.lines.get(around)
            around = around[:-1]
        key = ""
        for part in where:
            key += f"[{part}]" if isinstance(part, int) else f"{'.' if key else ''}{part}"
        self.problems.append(f"{self.path.name}:{line}: {key}: expected {expected}, got {got}")

    def problem_of(self, where: Where | str, error: Exception) -> None:
        """Reports an error whose text reads `expected …, got …`."""
        expected, _, got = str(error).partition(", got ")
        self.problem(where, expected.removeprefix("expected "), got)

    def check_names(self, where: Where, names: Iterable[object], known: Collection[str]) -> None:
        """Reports each of the names that is not among the known ones. `where` is the mapping that has them as keys."""
        for name in names:
            if name not in known:
                self.problem((*where, name), f"one of {', '.join(known)}", repr(name))

    def check_fields(self, where: Where, mapping: Mapping[str, object], fields: Collection[str]) -> None:
        """Reports each key of a mapping that is not one of its few fields."""
        for key in mapping:
            if key not in fields:
                self.problem((*where, key), either(list(fields)), repr(key))

    def expression(self, where: Where, text: object, scope: Mapping[str, Symbol]) -> Expression | None:
        """Parses an expression of the names in `scope`. Reports a problem and gives None where that fails."""
        try:
            return Expression(text, scope)
        except ExpressionError as error:
            self.problem_of(where, error)
            return None

    def problems_by_line(self) -> list[str]:
        """Each problem once, in the order of the file."""
        return sorted(dict.fromkeys(self.problems), key=lambda text: int(text.split(":")[1]))


def show(value: object) -> str:
    """A value as messages print it: a literal, or what it is."""
    kind = {dict: "a mapping", list: "a list", type(None): "nothing"}.get(type(value))
    return kind or repr(value)
