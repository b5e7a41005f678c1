# SPDX-License-Identifier: Apache-2.0
"""Reads op_kernel/X_tiling.h: a printed tiling has the comments that the header has for its fields."""

from __future__ import annotations

import re
from dataclasses import dataclass
from pathlib import Path

SCALAR = re.compile(r"(u?int(8|16|32|64)_t|float|double|bool)")


class TilingError(ValueError):
    """A tiling header without the struct in the plain form. The message starts with file and line."""


@dataclass(frozen=True)
class Field:
    """A member of a tiling struct.

    length: the text between the brackets of an array, "" for a scalar.
    comment: the comment behind it in the header.
    """

    name: str
    type: str
    length: str
    comment: str

    @property
    def printable(self) -> bool:
        """False for a nested struct, such as TCubeTiling. Its type is printed instead of a value."""
        return bool(SCALAR.fullmatch(self.type))


def read_tiling(path: Path, struct: str) -> list[Field]:
    """Reads the fields of `struct`. Each is on a line of its own with a comment behind it; `//` repeats the one above.

    Operators of a family may share a struct, which lies in a header that theirs includes. Then the header says
    ``using XTiling = avo::Shared;``, or ``struct XTiling : avo::Shared {`` if it adds fields to the shared ones.
    """
    if not path.exists():
        raise TilingError(f"{path.name}:1: expected the tiling header of the operator, got no such file")
    text = path.read_text(encoding="utf-8")
    lines = text.splitlines()
    if alias := re.search(rf"^using {struct} = (?:avo::)?(\w+);", text, re.M):
        return _read_shared(path, text, alias[1])
    head = re.compile(rf"struct\s+{struct}\s*(?::\s*(?:avo::)?(\w+)\s*)?\{{")
    start, match = next(
        ((i, found) for i, line in enumerate(lines) if (found := head.match(line))), (0, None)
    )
    if match is None:
        raise TilingError(f"{path.name}:1: expected `struct {struct} {{`, got none")
    fields = _read_shared(path, text, match[1]) if match[1] else []
    for number, line in enumerate(lines[start + 1 :], start + 2):
        text = line.strip()
        if text.startswith("}"):
            return fields
        if not text or text.startswith("//"):
            continue
        match = re.fullmatch(r"([\w:]+)\s+(\w+)(?:\[([^\]]+)\])?(?:\s*=\s*[^;]+|\{\})?;\s*(//.*)?", text)
        if not match:
            raise TilingError(f"{path.name}:{number}: expected `type name;  // comment`, got {text!r}")
        comment = (match[4] or "").removeprefix("//").strip()
        if match[4] and not comment and fields:
            comment = fields[-1].comment
        if not comment:
            raise TilingError(f"{path.name}:{number}: expected a comment after field {match[2]}, got none")
        fields.append(Field(match[2], match[1], match[3] or "", comment))
    raise TilingError(
        f"{path.name}:{len(lines)}: expected `}};` after struct {struct}, got the end of the file"
    )


def _read_shared(path: Path, text: str, struct: str) -> list[Field]:
    """The fields of `struct`, which lies in a header that the header at `path`, with this text, includes."""
    for name in re.findall(r'^#include "([^"]+)"', text, re.M):
        header = path.parent / name
        if re.search(rf"^struct {struct} ", header.read_text(encoding="utf-8"), re.M):
            return read_tiling(header, struct)
    raise TilingError(f"{path.name}:1: expected `struct {struct} {{` in a header that it includes, got none")
