# SPDX-License-Identifier: Apache-2.0
"""Launches of kernel templates that leave template arguments to the compiler: `kernel<<<8, nullptr, stream>>>(x)`.

A function of the kernel's parameters is declared behind it, whose result names the instance:

    template <typename T> __global__ void scale(__gm__ T *x, T factor) { … }
    template <typename T> Chosen<&scale<T>> sim_chosen_scale(__gm__ T *x, T factor);

The compiler then deduces the template arguments as in a call of the kernel.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from .program_text import KernelText

_TEMPLATE = re.compile(r"\btemplate\b\s*<")


def template_parameters(words: str) -> list[str]:
    """The template parameters that stand before a kernel; none where it is no template."""
    found = _TEMPLATE.search(words)
    return _between_commas(_inside(words, found.end())) if found else []


def deduction(kernel: KernelText) -> str:
    """The declaration of the function that names the instance of a template for some arguments."""
    instance = f"&{kernel.name}<{', '.join(_argument(one) for one in kernel.type_parameters)}>"
    parameters = " ".join(kernel.parameters.split())
    return (
        f" template <{', '.join(kernel.type_parameters)}> "
        f"::sim::program::Chosen<{instance}> sim_chosen_{kernel.name}({parameters});"
    )


def chooser_of(callee: str, kernel: KernelText) -> str:
    """A function that chooses the instance of a launch; empty where the launch names all template arguments."""
    name, _, rest = callee.partition("<")
    given = _between_commas(_inside(rest, 0)) if rest else []
    left = kernel.type_parameters[len(given) :]
    if all("=" in one for one in left):
        return ""
    scope = name.rpartition("::")[0].strip()
    chosen = f"{scope}::" if "::" in name else ""
    chosen += f"sim_chosen_{kernel.name}" + (f"<{', '.join(given)}>" if given else "")
    return f"[](auto &&...sim_values) -> decltype({chosen}(sim_values...)) {{ return {{}}; }}"


def _argument(parameter: str) -> str:
    """The name of a template parameter, as an argument of the same template."""
    name = re.search(r"([A-Za-z_]\w*)\s*$", parameter.partition("=")[0])
    return (name[1] if name else "") + ("..." if "..." in parameter else "")


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
    parts, depth, start = [], 0, 0
    for at, mark in enumerate(text):
        depth += (mark in "<([{") - (mark in ">)]}" and text[max(at - 1, 0)] != "-")
        if mark == "," and depth == 0:
            parts.append(text[start:at])
            start = at + 1
    return [" ".join(part.split()) for part in [*parts, text[start:]] if part.strip()]
