# SPDX-License-Identifier: Apache-2.0
"""Finds launches of kernels in the text of C++: `name<<<blocks, nullptr, stream>>>(arguments)`.

Positions are those of the text; what is searched is a copy of the same length with spaces in place of what is no code.
"""

from __future__ import annotations

import re

from .compile import CompileError

# Literals, numbers with separators, and markers: what is not code.
_LITERAL = re.compile(
    r'R"(?P<raw>[^()\\\s]{0,16})\(.*?\)(?P=raw)"|"(?:\\.|[^"\\\n])*"|(?<!\w)\d\w*(?:\'\w+)+|\'(?:\\.|[^\'\\\n])*\''
    r"|^#[^\n]*$",
    re.DOTALL | re.MULTILINE,
)
# The same before the preprocessor: comments too, but not its lines, as a macro may have a launch.
_RAW = re.compile(r"//(?:\\\n|[^\n])*|/\*.*?\*/|" + _LITERAL.pattern.removesuffix(r"|^#[^\n]*$"), re.DOTALL)
_CALLEE = re.compile(r"(?:::\s*)?(?:[A-Za-z_]\w*\s*::\s*)*[A-Za-z_]\w*\s*$")
_OPENED = re.compile(r"[\s\\]*\(")


def blanked(text: str, raw: bool = False) -> str:
    """The text with spaces in place of what is not code. raw: it is not preprocessed."""
    return (_RAW if raw else _LITERAL).sub(lambda found: re.sub(r"[^\n]", " ", found[0]), text)


def without_launches(text: str) -> str:
    """A text that is not preprocessed, with nothing in place of launches; lines stay where they are."""
    code = blanked(text, raw=True)
    parts, position = [], 0
    for mark in re.finditer("<<<", code):
        start = callee_start(code, mark.start())
        if start is None or start < position:
            continue
        end = settings_end(code, mark.end()) + 3
        if opened := _OPENED.match(code, end):
            end = matching(code, opened.end() - 1, "()") + 1
        lines = "".join(re.findall(r"\\?\n", text[start:end]))
        parts += [text[position:start], "(void)0", lines]
        position = end
    return "".join([*parts, text[position:]])


def callee_start(code: str, end: int) -> int | None:
    """Where the kernel's name begins that stands before <<<; None where there is no name."""
    position = len(code[:end].rstrip())
    if code[position - 1] == ">":
        position = _matching_back(code, position - 1)
    found = _CALLEE.search(code, max(0, position - 500), position)
    if found is None or found[0].strip() == "operator":
        return None
    return found.start()


def settings_end(code: str, position: int) -> int:
    """Where >>> stands that ends the settings of a launch."""
    depth = 0
    for found in re.compile(r"[([{]|[)\]}]|>>>").finditer(code, position):
        if found[0] == ">>>" and depth == 0:
            return found.start()
        depth += (found[0] in "([{") - (found[0] in ")]}")
    raise CompileError("a launch begins with <<< and has no >>>")


def matching(code: str, position: int, pair: str) -> int:
    """Where the bracket at a position is closed; the end of the text where it is not."""
    depth = 0
    for found in re.compile(f"[{re.escape(pair)}]").finditer(code, position):
        depth += 1 if found[0] == pair[0] else -1
        if depth == 0:
            return found.start()
    return len(code)


def _matching_back(code: str, position: int) -> int:
    """Where the template arguments begin that end at a position."""
    angles = parentheses = 0
    for at in range(position, -1, -1):
        mark = code[at]
        parentheses += (mark == ")") - (mark == "(")
        if parentheses == 0:
            angles += (mark == ">" and code[at - 1] != "-") - (mark == "<")
        if angles == 0 and parentheses == 0:
            return at
    return 0
