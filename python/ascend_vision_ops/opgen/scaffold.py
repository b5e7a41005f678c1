# SPDX-License-Identifier: Apache-2.0
"""`avo new OP`: the files of a new operator, as stubs that build, run and pass their tests by copying their input."""

from __future__ import annotations

import re
from pathlib import Path

from .render import render_text

FILES = {
    "op_host/{family}/{name}.yaml": "new/op.yaml.j2",
    "op_host/{family}/{name}.cpp": "new/tiling.cpp.j2",
    "op_kernel/{family}/{name}_tiling.h": "new/tiling.h.j2",
    "op_kernel/{family}/{name}.h": "new/kernel.h.j2",
    "op_cpu/{family}/{name}.cpp": "new/cpu.cpp.j2",
    "python/ascend_vision_ops/reference/{family}/{name}.py": "new/reference.py.j2",
    "tests/cases/{family}/{name}.py": "new/cases.py.j2",
}


class ScaffoldError(ValueError):
    """A name that cannot be an operator's, or files that are there already."""


def new_operator(root: Path, name: str, family: str) -> list[Path]:
    """Writes the stubs of an operator; touches nothing when any of them exists."""
    if not re.fullmatch(r"[a-z][a-z0-9]*(_[a-z0-9]+)*", name):
        raise ScaffoldError(f"operator: expected a name like blur_image, got {name!r}")
    if not re.fullmatch(r"[a-z][a-z0-9]*", family) or family == "common":
        raise ScaffoldError(
            f"--family: expected a word like boxes, the folder of alike operators, got {family!r}"
        )
    if not (root / "op_host").is_dir():
        raise ScaffoldError(f"--root: expected a source tree with a folder op_host, got {root}")
    paths = {root / pattern.format(name=name, family=family): template for pattern, template in FILES.items()}
    existing = [str(path.relative_to(root)) for path in paths if path.exists()]
    if existing:
        raise ScaffoldError(f"operator: expected a new name, got {name!r}, which has {', '.join(existing)}")
    for path, template in paths.items():
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(render_text(template, name=name), encoding="utf-8")
    return list(paths)
