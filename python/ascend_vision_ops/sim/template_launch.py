# SPDX-License-Identifier: Apache-2.0
"""Launches of kernel templates that leave template arguments to the compiler: `kernel<<<8, nullptr, stream>>>(x)`.

A function of the kernel's parameters is declared behind it, whose result names the instance:

    template <typename T> __global__ void scale(__gm__ T *x, T factor) { … }
    template <typename T> Chosen<&scale<T>> sim_chosen_scale(__gm__ T *x, T factor);

The compiler then deduces the template arguments as in a call of the kernel.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from .program_text import KernelText

_TEMPLATE = re.compile(r"\btemplate\b\s*<")
# The name of a template parameter, unless it is a part of its type.
_LAST_NAME = re.compile(r"(?<![:\w])([A-Za-z_]\w*)\s*$")
_TYPE_WORDS = {
    "typename", "class", "auto", "const", "bool", "char", "short", "int", "long", "signed", "unsigned", "float",
    "double",
}  # fmt: skip


def template_parameters(words: str) -> list[str]:
    """The template parameters that stand before a kernel; none where it is no template."""
    found = _TEMPLATE.search(words)
    return _between_commas(_inside(words, found.end())) if found else []


def template_ends(text: str) -> Iterator[int]:
    """Where the template lists of a text end."""
    for found in _TEMPLATE.finditer(text):
        yield found.end() + len(_inside(text, found.end())) + 1


def deduction(kernel: KernelText) -> str:
    """The declaration of the function that names the instance of a template for some arguments."""
    named = [_named(one, place) for place, one in enumerate(kernel.type_parameters)]
    instance = f"&{kernel.name}<{', '.join(argument for _, argument in named)}>"
    parameters = " ".join(kernel.parameters.split())
    return (
        f" template <{', '.join(parameter for parameter, _ in named)}> "
        f"::sim::program::Chosen<{instance}> sim_chosen_{kernel.name}({parameters});"
    )


def chooser_of(callee: str, kernel: KernelText) -> str:
    """A function that chooses the instance of a launch; empty where the launch names all template arguments."""
    name, _, rest = callee.partition("<")
    given = _between_commas(_inside(rest, 0)) if rest else []
    if not kernel.type_parameters[len(given) :]:
        return ""
    scope = name.rpartition("::")[0].strip()
    chosen = f"{scope}::" if "::" in name else ""
    chosen += f"sim_chosen_{kernel.name}" + (f"<{', '.join(given)}>" if given else "")
    return f"[](auto &&...sim_values) -> decltype({chosen}(sim_values...)) {{ return {{}}; }}"


def _named(parameter: str, place: int) -> tuple[str, str]:
    """A template parameter, with a name if it has none, and the argument of that name."""
    end = next((at for at, mark in _outside(parameter) if mark == "="), len(parameter))
    words = parameter[:end].rstrip()
    pack = "..." if "..." in words else ""
    found = _LAST_NAME.search(words)
    if found and found[1] not in _TYPE_WORDS and words[: found.start()].replace("const", "").strip():
        return parameter, found[1] + pack
    name = f"sim_argument_{place}"
    return f"{words} {name} {parameter[end:]}".rstrip(), name + pack


def _outside(text: str) -> Iterator[tuple[int, str]]:
    """The marks of a text outside all brackets; those of comparisons stand in parentheses."""
    depth = others = 0
    for at, mark in enumerate(text):
        others += (mark in "([{") - (mark in ")]}")
        if others == 0:
            depth += (mark == "<") - (mark == ">" and text[max(at - 1, 0)] != "-")
            if depth == 0 and mark not in ")]}>":
                yield at, mark


def _inside(text: str, start: int) -> str:
    """The text up to the bracket that closes the template list which begins at start."""
    depth, parentheses = 1, 0
    for at in range(start, len(text)):
        mark = text[at]
        parentheses += (mark in "([{") - (mark in ")]}")
        if parentheses == 0:
            depth += (mark == "<") - (mark == ">" and text[at - 1] != "-")
        if depth == 0:
            return text[start:at]
    return text[start:]


def _between_commas(text: str) -> list[str]:
    commas = [at for at, mark in _outside(text) if mark == ","]
    parts = [
        text[start:end] for start, end in zip([0, *(at + 1 for at in commas)], [*commas, None], strict=True)
    ]
    return [" ".join(part.split()) for part in parts if part.strip()]
