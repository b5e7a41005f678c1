# SPDX-License-Identifier: Apache-2.0
"""Lists the intrinsics of sim/ascendc/compiler, for docs/simulator_api.md."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
from collections import defaultdict
from pathlib import Path

COMPILER = Path("sim/ascendc/compiler")
PLACE = re.compile(r'# \d+ "(.*)"')
# A declaration of a function outside all classes, as the preprocessor leaves it: result, name, parameters.
DECLARATION = re.compile(r"\b(?:void|u?int64_t|half)\s+(\w+)\s*\(")
ABSENT = re.compile(r"^SIM_ABSENT\((\w+)\)$", re.MULTILINE)
FIRST_SENTENCE = re.compile(r"// SPDX[^\n]*\n((?:// [^\n]*\n)+)")


def declared(root: Path) -> dict[str, list[str]]:
    """The names that each header of intrinsics declares, by the header's name, after all macros."""
    compiler = next(filter(None, map(shutil.which, (os.environ.get("CXX", ""), "c++", "g++", "clang++"))))
    header = root / COMPILER / "intrinsics.h"
    command = [compiler, "-E", "-std=c++17", "-x", "c++", "-DSIM_ONE_ADDRESS_SPACE", str(header)]
    text = subprocess.run(command, capture_output=True, text=True, check=True).stdout
    names: dict[str, set[str]] = defaultdict(set)
    place = Path()
    body: dict[Path, list[str]] = defaultdict(list)
    for line in text.splitlines():
        if found := PLACE.match(line):
            place = Path(found[1])
        elif place.parent.name == "intrinsics":
            body[place].append(line)
    for path, lines in body.items():
        names[path.name] |= set(DECLARATION.findall("\n".join(lines)))
    return {name: sorted(found) for name, found in sorted(names.items()) if found}


def title(path: Path) -> str:
    """The first sentence of a header's comment, without its full stop."""
    comment = FIRST_SENTENCE.match(path.read_text(encoding="utf-8"))[1]
    words = " ".join(line.removeprefix("// ") for line in comment.splitlines())
    return words.partition(". ")[0].rstrip(".")


def table(root: Path) -> str:
    """Makes a Markdown table: a row for each header with its intrinsics, and one for those that are not modelled."""
    lines = ["| what | intrinsics |", "| --- | --- |"]
    for name, intrinsics in declared(root).items():
        listed = ", ".join(f"`{intrinsic}`" for intrinsic in intrinsics)
        lines.append(f"| {title(root / COMPILER / 'intrinsics' / name)} | {listed} |")
    absent = ABSENT.findall((root / COMPILER / "absent.h").read_text(encoding="utf-8"))
    lines.append(f"| **not modelled** | {', '.join(f'`{name}`' for name in sorted(absent))} |")
    return "\n".join(lines)
