# SPDX-License-Identifier: Apache-2.0
"""Imports operators of other projects to compare with: torchvision beside any torch, functions of mmcv.

The torchvision wheel on PyPI is built for CUDA. It is linked with libraries that a torch for CPUs does not have, though
its CPU kernels use none of them. So this module makes libraries of those names that define the missing symbols.
"""

from __future__ import annotations

import ast
import ctypes
import functools
import importlib
import importlib.util
import os
import shutil
import subprocess
import tempfile
from collections import defaultdict
from collections.abc import Callable
from pathlib import Path
from types import ModuleType

# The constructors of a module with CUDA kernels call some functions, which return an address. Any other call ends the
# process.
_HEAD = """
#include <stdio.h>
#include <stdlib.h>
static char kept[64];
static void *Absent(const char *name) {
  fprintf(stderr, "%s: a stand-in without CUDA\\n", name);
  abort();
}
"""
_FUNCTION = '__attribute__((visibility("default"))) void *{0}(void) {{ return {1}; }}\n'
_DATA = '__attribute__((visibility("default"))) void *{0}[64];\n'
# Prefixes of vtables, type infos and their names, which are data. Other variables have names like functions and become
# functions; nothing reads them without CUDA.
_DATA_NAMES = ("_ZTV", "_ZTI", "_ZTS")


@functools.cache
def import_torchvision() -> ModuleType:
    """Imports torchvision with its CPU kernels, whether it and torch were built for CUDA or not.

    Raises:
        ImportError: torchvision is not installed, or it needs stand-in libraries and there is no C compiler
    """
    import torch  # noqa: F401  torchvision needs its libraries

    spec = importlib.util.find_spec("torchvision")
    if spec is None or spec.origin is None:
        raise ImportError("torchvision is not installed: pip install --no-deps torchvision==0.28.0")
    load_stand_ins(sorted(Path(spec.origin).parent.glob("*.so")))
    return importlib.import_module("torchvision")


@functools.cache
def mmcv_function(module: str, name: str) -> Callable:
    """A function of mmcv.ops that is written with torch alone. `import mmcv.ops` needs mmcv's compiled operators, which
    mmcv-lite has not, so this compiles the function's own source.

    Raises:
        ImportError: mmcv is not installed
    """
    import torch

    spec = importlib.util.find_spec("mmcv")
    if spec is None or spec.origin is None:
        raise ImportError("mmcv is not installed: pip install mmcv-lite==2.2.0")
    path = Path(spec.origin).parent / "ops" / f"{module}.py"
    tree = ast.parse(path.read_text(encoding="utf-8"))
    tree.body = [node for node in tree.body if isinstance(node, ast.FunctionDef) and node.name == name]
    names = {"torch": torch, "F": torch.nn.functional}
    exec(compile(tree, str(path), "exec"), names)
    return names[name]


def load_stand_ins(modules: list[Path]) -> list[str]:
    """Loads a stand-in for each library that the modules need and that is not installed; returns their names.

    The stand-ins define every symbol of the modules that no installed library defines.
    """
    missing: dict[str, None] = {}
    absent: dict[str, dict[str, None]] = defaultdict(dict)  # symbols by their version, '' without one
    for module in modules:
        handles = []
        for name in needed(module):
            try:
                handles.append(ctypes.CDLL(_beside(module, name)))
            except OSError:
                missing[name] = None
        for symbol, version in undefined(module):
            if not any(hasattr(handle, symbol) for handle in handles):
                absent[version][symbol] = None
    names = list(missing)
    # glibc looks for a versioned symbol in the library whose name is the version. The last library gets the symbols
    # without a version.
    for name in names:
        versions = [version for version in absent if version == name or (not version and name == names[-1])]
        _load(name, {version: list(absent[version]) for version in versions})
    return names


def needed(library: Path) -> list[str]:
    """Returns the names of the libraries that a library is linked with."""
    lines = _output("readelf", "-dW", str(library)).splitlines()
    return [line.split("[")[1].split("]")[0] for line in lines if "(NEEDED)" in line]


def undefined(library: Path) -> list[tuple[str, str]]:
    """Returns the symbols that a library needs from others, each with its version or an empty text."""
    rows = (line.split() for line in _output("nm", "-D", "--undefined-only", str(library)).splitlines())
    return [(symbol, version) for kind, text in rows if kind == "U"
            for symbol, _, version in [text.partition("@")]]  # fmt: skip


def _beside(module: Path, name: str) -> str:
    """Returns the path of a copy inside the wheel, or the bare name, for which the loader searches."""
    copy = module.parent.with_name(f"{module.parent.name}.libs") / name
    return str(copy) if copy.exists() else name


def _load(name: str, symbols: dict[str, list[str]]) -> None:
    """Compiles a library of this name, with these symbols by version, and loads it into the process."""
    compiler = next(filter(None, map(shutil.which, (os.environ.get("CC", "cc"), "gcc", "clang"))), None)
    if compiler is None:
        raise ImportError(
            f"{name} is not installed, and there is no C compiler to make a stand-in (CC names one)"
        )
    source, versions = _HEAD, ""
    for version, listed in symbols.items():
        for symbol in listed:
            value = "kept" if symbol.startswith("__cuda") else f'Absent("{symbol}")'
            source += (
                _DATA.format(symbol) if symbol.startswith(_DATA_NAMES) else _FUNCTION.format(symbol, value)
            )
        if version:
            versions += f"{version} {{ {'; '.join([*listed, ''])} }};\n"
    with tempfile.TemporaryDirectory() as folder:
        files = {"source": Path(folder, "stand_in.c"), "versions": Path(folder, "versions.map")}
        files["source"].write_text(source)
        files["versions"].write_text(versions)
        library = Path(folder, name)
        script = [f"-Wl,--version-script={files['versions']}"] if versions else []
        command = [compiler, "-shared", "-fPIC", "-w", f"-Wl,-soname,{name}", *script]
        _output(*command, "-o", str(library), str(files["source"]))
        ctypes.CDLL(str(library))


def _output(*command: str) -> str:
    try:
        return subprocess.run(command, capture_output=True, text=True, check=True).stdout
    except (OSError, subprocess.CalledProcessError) as error:
        detail = getattr(error, "stderr", "") or error
        raise ImportError(f"{command[0]} failed, which makes stand-ins for libraries: {detail}") from error
