# SPDX-License-Identifier: Apache-2.0
"""Figures of docs/performance.md that need not be measured again, because nothing that they depend on has changed.

A file in build/performance/ for each operator and device holds the rows, under a digest of

    object code  of the operator's kernels, tiling and entry points, and all that no operator owns
    libraries    of the simulator: the engine with the cycle model, ACL, the executor
    sources      that call and count: the calls of all workloads (not their texts), the contract, profiling.py,
                 tables.py, performance.py, and the environment of the simulator

An object belongs to the operator with the longest name that its own name starts with.
"""

from __future__ import annotations

import ast
import hashlib
import json
import os
from collections.abc import Iterable
from functools import cache
from pathlib import Path

from ascend_vision_ops import paths, profiling, tables
from benchmarks.workload import FILES

BUILD = paths.PACKAGE.resolve().parents[1]
FOLDER = Path(__file__).resolve().parents[1] / "build" / "performance"
OBJECTS = ("avo_kernels", "avo_host", "cust_opapi")  # targets whose objects operators share
LIBRARIES = ("ascendc_sim", "ascendcl", "nnopbase")


@cache
def digest_of(path: Path) -> bytes:
    return hashlib.sha256(path.read_bytes()).digest()


def owner(stem: str, operators: Iterable[str]) -> str:
    """The operator that an object belongs to; "" for one that all need."""
    return max((name for name in operators if stem.startswith(name)), key=len, default="")


def calls_of(source: str) -> str:
    """The code of a workload without its texts."""
    tree = ast.parse(source)
    for node in ast.walk(tree):
        if isinstance(node, (ast.Module, ast.FunctionDef)) and ast.get_docstring(node) is not None:
            del node.body[0]
    return ast.dump(tree)


def digest(operator: str, soc: str, operators: Iterable[str], build: Path = BUILD) -> str:
    """Stands for all that the rows of an operator on a device depend on."""
    found = hashlib.sha256(f"{operator} {soc}".encode())
    objects = [
        path for target in OBJECTS for path in sorted((build / "CMakeFiles" / f"{target}.dir").rglob("*.o"))
    ]
    if not objects:
        raise FileNotFoundError(f"no objects of {', '.join(OBJECTS)} below {build}")
    files = [path for path in objects if owner(path.name, operators) in ("", operator)]
    files += [build / "python" / "ascend_vision_ops" / "lib" / f"lib{name}.so" for name in LIBRARIES]
    files += [Path(profiling.__file__), Path(tables.__file__), Path(__file__).with_name("performance.py")]
    for path in files:
        found.update(path.name.encode() + digest_of(path))
    # Workloads import each other's calls, so that those of all operators count.
    for path in sorted(set(FILES.values())):
        found.update(calls_of(path.read_text(encoding="utf-8")).encode())
    if (contract := paths.contract_files().get(operator)) is not None:  # names the least work of a call
        found.update(digest_of(contract))
    found.update(repr(sorted(item for item in os.environ.items() if item[0].startswith("AVO_SIM_"))).encode())
    return found.hexdigest()


def load(operator: str, soc: str, key: str) -> list[dict] | None:
    path = FOLDER / f"{operator}-{soc}.json"
    if not path.exists():
        return None
    stored = json.loads(path.read_text(encoding="utf-8"))
    return stored["rows"] if stored["digest"] == key else None


def store(operator: str, soc: str, key: str, rows: list[dict]) -> None:
    FOLDER.mkdir(parents=True, exist_ok=True)
    path = FOLDER / f"{operator}-{soc}.json"
    path.write_text(json.dumps({"digest": key, "rows": rows}), encoding="utf-8")
