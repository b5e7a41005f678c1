# SPDX-License-Identifier: Apache-2.0
"""Compares entry points that have a name of CANN's with the functions that a toolkit declares under these names."""

from __future__ import annotations

import subprocess
import tempfile
from collections.abc import Iterator
from pathlib import Path

from .model import Entry, Spec


def pairs(specs: list[Spec], headers: Path) -> Iterator[tuple[Entry, Path]]:
    """Each such entry point with the toolkit's header for it, where the toolkit has one."""
    found = {path.name: path for path in sorted(headers.rglob("aclnnop/aclnn_*.h"), reverse=True)}
    for entry in (entry for spec in specs for entry in spec.entries):
        if entry.cann and entry.header in found:
            yield entry, found[entry.header]


def differences(entry: Entry, ours: Path, theirs: Path, roots: list[Path]) -> str:
    """What the compiler says of both declarations in one file; empty where they agree. `ours` is the include folder of
    the project, `roots` are those of the toolkit.
    """
    # A function of C has one type. A header that does not declare it at all is found by its use.
    names = (f"{entry.function}GetWorkspaceSize", entry.function)
    uses = "".join(f"auto *const {name}_theirs = &{name};\n" for name in names)
    text = f'#include "{theirs}"\n{uses}#include "{ours / "aclnnop" / entry.header}"\n'
    with tempfile.TemporaryDirectory(prefix="avo-names-") as folder:
        source = Path(folder) / "both.cpp"
        source.write_text(text, encoding="utf-8")
        command = ["g++", "-std=c++17", "-fsyntax-only", f"-I{theirs.parent}"]
        command += [option for root in roots for option in ("-isystem", str(root))]
        done = subprocess.run([*command, str(source)], capture_output=True, text=True, check=False)
    return done.stderr.strip() if done.returncode else ""
