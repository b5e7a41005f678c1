# SPDX-License-Identifier: Apache-2.0
"""Parses torch operator schemas: `name(Tensor self, int[1] size, float? scale=None, *, str mode="x") -> Tensor`."""

from __future__ import annotations

import ast
import re
from dataclasses import dataclass

SCALARS = ("int", "float", "bool", "str", "ScalarType")
REQUIRED = object()  # the default of a parameter without one


class SchemaError(ValueError):
    """A text that is no schema. The message reads `expected …, got …`."""


@dataclass
class Parameter:
    """One input of an operator: a tensor or an attribute."""

    name: str
    base: str  # Tensor, int, float, bool, str, ScalarType
    optional: bool = False
    length: int | None = None  # of an int array: its fixed length, or 0 for any length; None for no array
    default: object = REQUIRED
    keyword_only: bool = False
    internal: bool = False  # only C entry points have it; torch passes its default

    @property
    def is_tensor(self) -> bool:
        return self.base == "Tensor"

    @property
    def type(self) -> str:
        """The type in the expression language."""
        if self.length is not None:
            return "ints"
        name = {"Tensor": "tensor", "ScalarType": "dtype"}.get(self.base, self.base)
        return name + ("?" if self.optional else "")

    @property
    def has_default(self) -> bool:
        return self.default is not REQUIRED

    @property
    def schema_type(self) -> str:
        array = "" if self.length is None else f"[{self.length or ''}]"
        return f"{self.base}{array}{'?' if self.optional else ''}"

    def default_value(self) -> object:
        """The default as a value of the attribute. Where one int stands for an int array, it is the whole array."""
        if self.length and isinstance(self.default, int):
            return [self.default] * self.length
        return self.default


@dataclass
class Schema:
    """A parsed schema."""

    name: str
    parameters: list[Parameter]
    outputs: list[str]


def split_arguments(text: str) -> list[str]:
    """Splits at the commas outside brackets and quotes."""
    parts, depth, quote, current = [], 0, "", ""
    for char in text:
        if quote:
            quote = "" if char == quote else quote
        elif char in "\"'":
            quote = char
        elif char in "([{":
            depth += 1
        elif char in ")]}":
            depth -= 1
        if char == "," and depth == 0 and not quote:
            parts.append(current.strip())
            current = ""
        else:
            current += char
    if current.strip():
        parts.append(current.strip())
    return parts


def parse_parameters(text: str, internal: bool = False) -> list[Parameter]:
    """Parses the text between the parentheses of a schema."""
    parameters, keyword_only = [], False
    for part in split_arguments(text):
        if part == "*":
            keyword_only = True
            continue
        match = re.fullmatch(r"([A-Za-z]+)(?:\[(\d*)\])?(\?)?\s+([a-z_]\w*)\s*(?:=\s*(.+))?", part)
        if not match or match[1] not in (*SCALARS, "Tensor"):
            raise SchemaError(
                f"expected `type name[=default]` with type one of Tensor, {', '.join(SCALARS)}, got {part!r}"
            )
        base, length, optional, name, default = match.groups()
        if length is not None and base != "int":
            raise SchemaError(f"expected arrays of int only, got {part!r}")
        value = REQUIRED
        if default is not None:
            try:
                value = ast.literal_eval(default)
            except (ValueError, SyntaxError):
                raise SchemaError(f"expected a Python literal after =, got {default!r} of {name}") from None
        parameters.append(
            Parameter(
                name=name,
                base=base,
                optional=bool(optional),
                length=None if length is None else int(length or 0),
                default=value,
                keyword_only=keyword_only,
                internal=internal,
            )
        )
    return parameters


def parse_schema(text: str) -> Schema:
    """Parses a whole schema; an unnamed single result is called `out`."""
    match = re.fullmatch(r"([a-z]\w*)\s*\((.*)\)\s*->\s*(.+)", text.strip(), re.DOTALL)
    if not match:
        raise SchemaError(f"expected `name(parameters) -> Tensor`, got {text.strip()!r}")
    name, inside, result = match.groups()
    result = result.strip()
    if result == "Tensor":
        outputs = ["out"]
    elif result.startswith("(") and result.endswith(")"):
        outputs = []
        for part in split_arguments(result[1:-1]):
            named = re.fullmatch(r"Tensor\s+([a-z_]\w*)", part)
            if not named:
                raise SchemaError(f"expected `Tensor name` for each of several results, got {part!r}")
            outputs.append(named[1])
    else:
        raise SchemaError(f"expected `Tensor` or `(Tensor a, Tensor b)` after ->, got {result!r}")
    parameters = parse_parameters(inside)
    seen: set[str] = set()
    for item in [*(parameter.name for parameter in parameters), *outputs]:
        if item in seen:
            raise SchemaError(f"expected names that differ, got {item!r} twice")
        seen.add(item)
    return Schema(name, parameters, outputs)
