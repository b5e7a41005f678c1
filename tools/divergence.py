# SPDX-License-Identifier: Apache-2.0
"""Where other implementations differ: every `divergence` row of the contracts, with the tests or reasons that prove it.

The tests are in tests/divergence/test_<operator>.py. The tests of a row are named test_<first word of who>_…. Where a
row cannot be tested here, the file's `NOT_RUN` gives the reason, by the same word. CANN itself runs only on its own
machines.
"""

from __future__ import annotations

import ast
import re
from dataclasses import dataclass
from pathlib import Path

from ascend_vision_ops.opgen import Spec, load_specs

NO_CANN = "not run here: CANN computes on Ascend devices only"
TITLE = """\
# Where others differ

Implementations in the field disagree; each contract says who does, and on what. Behind a row stands a test that runs
the other implementation and ours, or the reason why it is not run here.

| operator | who | what | test |
| --- | --- | --- | --- |
"""


@dataclass(frozen=True)
class Row:
    """One divergence. `proof` is empty when neither a test nor a reason proves it."""

    operator: str
    who: str
    what: str
    proof: str


def word_of(who: str) -> str:
    """ "mmcv 1.x ORT" -> "mmcv" """
    return re.match(r"[A-Za-z]+", who)[0].lower()


def proofs(path: Path, word: str) -> list[str]:
    """Finds the tests of a file for one `who`, or the reason that the file gives."""
    if not path.exists():
        return []
    tree = ast.parse(path.read_text(encoding="utf-8"))
    tests = [node.name for node in tree.body if isinstance(node, ast.FunctionDef)]
    found = [f"`{name}`" for name in tests if name.startswith(f"test_{word}_")]
    for node in tree.body:
        if isinstance(node, ast.Assign) and ast.unparse(node.targets[0]) == "NOT_RUN":
            reason = ast.literal_eval(node.value).get(word)
            found += [f"not run here: {reason}"] if reason else []
    return found


def rows(root: Path) -> list[Row]:
    """Collects every row of every contract."""
    found: list[Row] = []
    for spec in load_specs(root):
        found += rows_of(spec, root / "tests" / "divergence" / f"test_{spec.name}.py")
    return found


def rows_of(spec: Spec, path: Path) -> list[Row]:
    result = []
    for row in spec.divergence:
        word = word_of(row["who"])
        proof = proofs(path, word) or ([NO_CANN] if word == "cann" else [])
        result.append(Row(spec.name, row["who"], row["what"], ", ".join(proof)))
    return result


def page(root: Path) -> str:
    lines = []
    for row in rows(root):
        cells = (f"[`{row.operator}`](ops/{row.operator}.md)", row.who, row.what, row.proof)
        lines.append("| " + " | ".join(cell.replace("|", r"\|") for cell in cells) + " |")
    return TITLE + "\n".join(lines) + "\n"
