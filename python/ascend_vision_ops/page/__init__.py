# SPDX-License-Identifier: Apache-2.0
"""Writes a page of HTML that needs no server and no other file: what all such pages of the package share."""

from __future__ import annotations

import html
import json
from pathlib import Path

FOLDER = Path(__file__).parent


def write(path: str | Path, title: str, data: object, parts: Path) -> None:
    """Writes a page from the scripts and style sheets of a folder, behind those of all pages.

    path: the file to write.
    title: the title of the window.
    data: anything that JSON can hold; the scripts find it in the element with the id `data`.
    parts: a folder with *.css and *.js. Their functions run in one scope, in the order of the names of the files.
    """

    def joined(kind: str) -> str:
        files = [*sorted(FOLDER.glob(kind)), *sorted(parts.glob(kind))]
        return "\n".join(file.read_text(encoding="utf-8") for file in files)

    pieces = {
        "title": html.escape(title),
        "css": joined("*.css"),
        "js": joined("*.js"),
        # "<" must not stand in a script, where "</script>" would end it.
        "data": json.dumps(data, separators=(",", ":"), allow_nan=False).replace("<", "\\u003c"),
    }
    text, *rest = (FOLDER / "template.html").read_text(encoding="utf-8").split("{{")
    for piece in rest:
        name, _, after = piece.partition("}}")
        text += pieces[name] + after
    Path(path).write_text(text, encoding="utf-8")
