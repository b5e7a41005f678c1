# SPDX-License-Identifier: Apache-2.0
"""Compiles kernel entries against CANN's own AscendC headers, along the path that its device compiler takes.

What the device compiler has built in is declared by the simulator (sim/ascendc/compiler). So every error counts,
wherever it lies: a static assertion about a dtype fails inside CANN's headers, and the fault is the kernel's. Clang
17 or later also tells the memories of a core apart: a pointer to the Unified Buffer has another type than one to
global memory.
"""

from __future__ import annotations

import os
import re
import shlex
import shutil
import subprocess
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from .model import DTYPES, Spec

# The API, the part of it that a compiler of device code reads for this processor, and the tiling structs of Matmul.
API = "kernel_operator.h"
PROCESSOR = "dav_c220/kernel_operator_vec_binary_impl.h"
TILING = "kernel_tiling/kernel_tiling.h"
KEYS = (API, PROCESSOR, TILING)
# The last one as CANN's own builds have it: a GlobalTensor tells copies whether they bypass the L2 cache.
PROCESSOR_FLAGS = ("-D__CCE_AICORE__=220", "-D__NPU_ARCH__=2201", "-D__DAV_C220__", "-DL2_CACHE_HINT")
# A mixed kernel is compiled once for each kind of core.
SIDES = {
    "vector": ("-D__DAV_C220_VEC__", "-D__DAV_VEC__"),
    "cube": ("-D__DAV_C220_CUBE__", "-D__DAV_CUBE__"),
}
SIDES_OF_KERNEL = {"vector": ("vector",), "cube": ("cube",), "mixed": ("vector", "cube")}
ONE_ADDRESS_SPACE = "-DSIM_ONE_ADDRESS_SPACE"

LEAST_CLANG, LATEST_CLANG = 17, 30  # before 17, clang converts no number to bfloat16
CLANG = re.compile(r"clang version (\d+)")
ERROR = re.compile(r"(?:error|required from|in instantiation of)\b")
MOST_LINES = 20  # of the messages about one kernel


def include_folders(roots: dict[str, Path]) -> list[Path]:
    """The include folders of AscendC's headers: below and beside the one with kernel_operator.h."""
    root = roots[API]
    names = ("", "..", "basic_api", "utils", "adv_api", "interface", "impl", "../impl", "../impl/basic_api")
    folders = [path for key, path in roots.items() if key != API]
    return folders + [root / name for name in names if (root / name).is_dir()]


@dataclass(frozen=True)
class Compiler:
    """A compiler that reads kernels.

    memories: whether it tells pointers to different memories apart.
    """

    command: tuple[str, ...]
    memories: bool

    @property
    def text(self) -> str:
        if self.memories:
            return f"{self.command[0]}, pointers to different memories have different types"
        return (
            f"{self.command[0]}, all pointers have one type (clang {LEAST_CLANG} or later tells memories apart, "
            "CXX may name it)"
        )


def clang_version(words: Sequence[str]) -> int:
    """The major version of a compiler that is clang; 0 for another one."""
    done = subprocess.run([*words, "--version"], capture_output=True, text=True, check=False)
    found = CLANG.search(done.stdout)
    return int(found[1]) if found else 0


def choose() -> Compiler | None:
    """The compiler that CXX names, else clang that tells memories apart, else g++; None where there is none."""
    named = shlex.split(os.environ.get("CXX", ""))
    newest = range(LATEST_CLANG, LEAST_CLANG - 1, -1)
    candidates = [["clang++"], *([f"clang++-{number}"] for number in newest)]
    for words in [named] if named else candidates:
        if shutil.which(words[0]) is None:
            continue
        clang = clang_version(words)
        if clang >= LEAST_CLANG:
            return Compiler(tuple(words), True)
        if named:
            return Compiler((*words, *([ONE_ADDRESS_SPACE] if clang else [])), False)
    return Compiler(("g++",), False) if not named and shutil.which("g++") else None


def unit(spec: Spec, stem: str) -> str:
    """A source that includes a kernel entry once for each combination of dtypes, with all of its tiling keys."""
    lines = [f'#include "{API}"']
    for number, instance in enumerate(spec.instances):
        lines += [
            f"#define DTYPE_{tensor.upper()} {DTYPES[name].kernel}" for tensor, name in instance.items()
        ]
        lines += [f"#define {stem} {stem}_{number}", f'#include "{stem}.cpp"', f"#undef {stem}"]
        lines += [f"#undef DTYPE_{tensor.upper()}" for tensor in instance]
    return "\n".join(lines) + "\n"


@dataclass(frozen=True)
class Check:
    """Compiles kernel entries of the npu project.

    roots: where the headers of KEYS lie. simulator: sim/ascendc of this project. scratch: where units are written.
    """

    compiler: Compiler
    project: Path
    roots: dict[str, Path]
    simulator: Path
    scratch: Path

    def command(self, side: str) -> list[str]:
        builtin = self.simulator / "compiler"
        # CANN's headers come before ours, which have files of the same names. The first folder is a wrapper.
        folders = [builtin / "include", *include_folders(self.roots), self.project / "op_kernel"]
        folders += [self.simulator, self.simulator / "engine"]
        return [
            *self.compiler.command, "-std=c++17", "-fsyntax-only", "-w", *PROCESSOR_FLAGS, *SIDES[side],
            "-include", str(builtin / "builtin.h"), *(f"-I{folder}" for folder in folders),
        ]  # fmt: skip

    def errors_of(self, spec: Spec, stem: str) -> list[str]:
        """What the compiler finds in a kernel entry, for each kind of core that runs it; nothing where it compiles."""
        source = self.scratch / f"unit_{stem}.cpp"
        source.write_text(unit(spec, stem), encoding="utf-8")
        found: list[str] = []
        for side in SIDES_OF_KERNEL[spec.kernel]:
            done = subprocess.run(
                [*self.command(side), str(source)], capture_output=True, text=True, check=False
            )
            if done.returncode:
                lines = [line for line in done.stderr.splitlines() if ERROR.search(line)]
                found += [
                    f"{side} cores: {line}" for line in lines[:MOST_LINES] or done.stderr.splitlines()[-3:]
                ]
        return found
