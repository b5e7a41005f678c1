# SPDX-License-Identifier: Apache-2.0
"""Finds names of operators in code that is not an operator's own.

An operator is added by files that carry its name. Everything else finds these files and knows no operator, so that
nothing else has to change. A mention of one is therefore a fault. Comments, docstrings and texts of help are free, as
are the operators' own files (`nn/X.py`, `compat/X.py`) and the folders of families.

Some names of operators are ordinary words too. What counts as a mention of each kind:

    name                            as an identifier            in a string
    with an underscore or a digit   yes; the class name,        yes, as a word anywhere
    (roi_align, max_pool2d)         RoiAlign, too
    a single word (argmax, nms)     yes, unless it belongs to   where it is all there is, or the end of
                                    NumPy, as np.argmax does    a path: "nms", "mmcv::nms", "aten.nms"
"""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from pathlib import Path

from tools.families import Tree

SEARCHED = ("python/", "sim/", "cmake/", "tools/", "CMakeLists.txt")
SCRIPTS = (".cmake", ".txt", ".sh", ".in")
HELP = ("help", "description", "epilog", "metavar")  # keywords whose texts are examples for readers
CPP_PARTS = re.compile(r'//[^\n]*|/\*.*?\*/|"(?:\\.|[^"\\\n])*"|\w+', re.S)


class Names:
    """The names of operators, ready to be looked for."""

    def __init__(self, operators: Iterator[str] | list[str]):
        words = {name for name in operators if name.isalpha()}
        long = set(operators) - words
        self.identifiers = words | long | {"".join(part.title() for part in name.split("_")) for name in long}
        self.long = re.compile(rf"(?<!\w)({'|'.join(sorted(self.identifiers - words)) or '$^'})(?!\w)")
        self.path = re.compile(rf"(?:\w+(?:::|[./]))*({'|'.join(sorted(words)) or '$^'})")

    def in_string(self, text: str) -> str:
        """The operator that a string mentions, "" for none."""
        found = self.long.search(text) or self.path.fullmatch(text)
        return found[1] if found else ""

    def in_identifier(self, text: str) -> str:
        """The operator that an identifier names, "" for none."""
        return text if text in self.identifiers else ""


def mentions(tree: Tree) -> Iterator[str]:
    """Each mention of an operator outside of the operators' own files, as a line of text."""
    names = Names(list(tree.contracts))
    for name in tree.names:
        if not name.startswith(SEARCHED) or _is_own(tree, name):
            continue
        suffix = Path(name).suffix
        search = _in_python if suffix == ".py" else _in_cpp if suffix in (".h", ".cpp") else _in_script
        if suffix in (".py", ".h", ".cpp", *SCRIPTS):
            for line, operator in search(tree.text(name), names):
                yield f"{name}:{line}: mentions {operator}; only files of that name know an operator"


def _is_own(tree: Tree, name: str) -> bool:
    return name in tree.places or Path(name).stem.removeprefix("_") in tree.contracts


def _in_python(text: str, names: Names) -> Iterator[tuple[int, str]]:
    """Line and operator of each mention."""
    root = ast.parse(text)
    free = {id(node) for node in _free_texts(root)}
    for node in ast.walk(root):
        found = ""
        if isinstance(node, ast.Constant) and isinstance(node.value, str) and id(node) not in free:
            found = names.in_string(node.value)
        for identifier in _identifiers(node):
            found = found or names.in_identifier(identifier)
        if found:
            yield node.lineno, found


def _free_texts(root: ast.AST) -> Iterator[ast.AST]:
    """Strings that may name operators: docstrings, and texts of help, which may be a constant of the module."""
    for node in ast.walk(root):
        if isinstance(node, ast.Expr):
            yield node.value
        if isinstance(node, ast.keyword) and node.arg in HELP:
            shown = {part.id for part in ast.walk(node.value) if isinstance(part, ast.Name)}
            assigned = [each for each in ast.walk(root) if isinstance(each, ast.Assign)]
            texts = [each.value for each in assigned if {getattr(t, "id", "") for t in each.targets} & shown]
            for text in [node.value, *texts]:
                yield from ast.walk(text)


def _identifiers(node: ast.AST) -> list[str]:
    match node:
        case ast.Attribute(value=ast.Name(id="np" | "numpy")):
            return []
        case ast.Attribute(attr=name) | ast.Name(id=name) | ast.arg(arg=name):
            return [name]
        case ast.FunctionDef(name=name) | ast.AsyncFunctionDef(name=name) | ast.ClassDef(name=name):
            return [name]
        case ast.alias(name=name, asname=other):
            return [*name.split("."), *([other] if other else [])]
        case ast.ImportFrom(module=str(name)):
            return name.split(".")
    return []


def _in_cpp(text: str, names: Names) -> Iterator[tuple[int, str]]:
    """Line and operator of each mention. Comments count no more than in Python."""
    for part in CPP_PARTS.finditer(text):
        token = part[0]
        if token.startswith(("//", "/*")):
            continue
        found = names.in_string(token[1:-1]) if token.startswith('"') else names.in_identifier(token)
        if found:
            yield text.count("\n", 0, part.start()) + 1, found


def _in_script(text: str, names: Names) -> Iterator[tuple[int, str]]:
    """Line and operator of each mention in CMake and shell, where a comment starts with #."""
    for number, line in enumerate(text.splitlines(), 1):
        for word in re.findall(r"\w+", line.partition("#")[0]):
            if names.in_identifier(word):
                yield number, word
