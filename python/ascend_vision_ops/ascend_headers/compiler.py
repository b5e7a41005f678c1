# SPDX-License-Identifier: Apache-2.0
"""Compiles libraries of kernels against CANN's headers, along the path that its device compiler takes through them."""

from __future__ import annotations

import hashlib
import os
import re
import shlex
import shutil
import subprocess
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from ascend_vision_ops.opgen.kernel_headers import ONE_ADDRESS_SPACE, PROCESSOR_FLAGS, SIDES
from ascend_vision_ops.paths import PACKAGE, library_dir

from . import HeadersError
from .roots import Headers

SOURCES = PACKAGE / "_kernel_sources"
COMMON_FLAGS = (
    "-std=c++17", "-O1", "-g1", "-fPIC", "-w",
    # Faults name the calls that led to them, as for the package's own kernels.
    "-fno-omit-frame-pointer", "-fno-optimize-sibling-calls",
    # Kernels of several libraries have functions of the same names.
    "-fvisibility=hidden", "-fvisibility-inlines-hidden",
    # Results are those of the package's own kernels, whatever instructions the host has.
    "-ffp-contract=off", "-fno-trapping-math", "-fno-math-errno",
)  # fmt: skip
FLAGS = (
    *COMMON_FLAGS,
    # An access of several elements at once would be judged as one.
    "-fno-tree-vectorize",
    *PROCESSOR_FLAGS,
)  # fmt: skip
# Address 0 is the start of the Unified Buffer: an access there is no error that may become a trap. With the option that
# clang has for it, g++ takes no comparison of a function with null as a constant, as headers of 9.x have it for Matmul.
ADDRESS_ZERO = {"clang": "-fno-delete-null-pointer-checks", "g++": "-fno-isolate-erroneous-paths-dereference"}
UNDEFINED = re.compile(r"undefined (?:reference to [`‘']|symbol: )(.+?)['’]?$", re.MULTILINE)
# `long vec_dup<float, int>(float, int)`: a template outside all namespaces, which is what intrinsics are.
INTRINSIC = re.compile(r"^(long|void) (\w+)(<.*>)?\(")
ERROR = re.compile(r"^.*(?:error: |undefined reference to |undefined symbol: ).*$", re.MULTILINE)


@dataclass(frozen=True)
class Library:
    """A library to be made: of the kernels in a source that ends in SIM_KERNEL_LIBRARY, for one kind of core.

    kernels: what the kernels are called together, for messages: the operator.
    """

    kernels: str
    source: Path
    side: str

    @property
    def file(self) -> str:
        return f"{self.kernels}.{self.side}.so"


@dataclass(frozen=True)
class Compiler:
    """A compiler with all its options but those of one library."""

    command: tuple[str, ...]
    version: str
    headers: Headers

    @property
    def digest(self) -> str:
        """A short text that differs where objects of another compiler, other options or other headers differ."""
        parts = (*self.command, self.version, self.headers.text, str(PACKAGE))
        return hashlib.sha256("\0".join(parts).encode()).hexdigest()[:12]

    def make(self, library: Library, folder: Path) -> tuple[bool, str]:
        """Makes a library in a folder where it is missing or older than what it is made of.

        Returns whether there was anything to do, and why there is no library; that is empty where there is one.
        """
        target = folder / library.file
        target_object, depends = target.with_suffix(".o"), target.with_suffix(".d")
        fresh = newer_than_all(target_object, depends)
        if fresh and is_newer(target, [target_object, library_dir() / "libascendc_sim.so"]):
            return False, ""
        target.unlink(missing_ok=True)
        if not fresh:
            options = (
                "-MMD",
                "-MF",
                str(depends),
                "-MT",
                "object",
                *SIDES[library.side],
                "-c",
                str(library.source),
            )
            if output := run((*self.command, *options), target_object)[1]:
                return (
                    True,
                    f"{library.kernels} does not compile against {self.headers.text}: {first_error(output)}",
                )
        libraries = (f"-L{library_dir()}", "-lascendc_sim", f"-Wl,-rpath,{library_dir()}")
        options = ("-shared", "-Wl,-z,defs", str(target_object), *libraries)
        return True, self._linked(library, run((*self.command, *options), target)[1])

    def _linked(self, library: Library, output: str) -> str:
        """Says in one sentence what the linker misses."""
        if not output:
            return ""
        names = dict.fromkeys(intrinsic_of(symbol) for symbol in UNDEFINED.findall(output))
        absent = [name for name in names if name]
        if not absent or None in names:
            return f"{library.kernels} does not link: {first_error(output)}"
        return (
            f"{library.kernels} calls, on {library.side} cores, {'intrinsics' if absent[1:] else 'the intrinsic'} "
            f"that the simulated device does not model: {', '.join(sorted(absent))}"
        )


def run(words: Sequence[str], target: Path | None = None, given: str | None = None) -> tuple[str, str]:
    """Runs a program of the compiler; returns what it prints, and its messages where it failed.

    target: the file that it makes (-o); an interrupt leaves no half of it. given: what the program reads from stdin.
    """
    half = target.with_name(f"{target.name}.{os.getpid()}") if target else None
    command = [*words, "-o", str(half)] if half else list(words)
    try:
        done = subprocess.run(
            command, input=given, capture_output=True, text=True, check=False, errors="replace"
        )
        if done.returncode:
            return done.stdout, done.stderr.strip() or f"{words[0]} ended with status {done.returncode}"
        if half and target and half.is_file():
            os.replace(half, target)
        return done.stdout, ""
    except FileNotFoundError:
        return "", f"there is no program {words[0]}"
    finally:
        if half:
            half.unlink(missing_ok=True)


def choose(headers: Headers) -> Compiler:
    """The compiler that CXX names, else c++ or the first of g++ and clang++ that is installed."""
    words, version = program()
    # The intrinsics of the simulated device take ordinary pointers; clang tells the memories of a core apart.
    kind = "clang" if "clang" in version else "g++"
    flat = [ONE_ADDRESS_SPACE] if kind == "clang" else []
    return Compiler((*words, *FLAGS, ADDRESS_ZERO[kind], *flat, *source_options(headers)), version, headers)


def program() -> tuple[list[str], str]:
    """The words that start the compiler, and the first line of what it says about its version."""
    named = shlex.split(os.environ.get("CXX", ""))
    candidates = [named] if named else [["c++"], ["g++"], ["clang++"]]
    found = next((words for words in candidates if shutil.which(words[0])), None)
    if found is None:
        raise HeadersError(
            f"there is no compiler {' or '.join(words[0] for words in candidates)} (CXX names one)"
        )
    done = subprocess.run([*found, "--version"], capture_output=True, text=True, check=False)
    return found, done.stdout.partition("\n")[0]


def source_options(headers: Headers) -> list[str]:
    """Where sources and headers lie. In a source tree they are the files that the package links to."""
    if not (SOURCES / "op_kernel").is_dir():
        raise HeadersError(
            f"the package is not built: there is no folder {SOURCES}; ./build.sh build builds it"
        )
    ascendc = (SOURCES / "sim" / "ascendc" / "compiler").resolve().parent
    op_kernel = (SOURCES / "op_kernel").resolve()
    # CANN's headers come before ours, which have folders and files of the same names. The first folder is a wrapper.
    folders = [ascendc / "compiler" / "include", *headers.folders]
    folders += [generated().parent, op_kernel.parent, op_kernel, ascendc, ascendc / "engine"]
    own = ":".join(map(str, headers.own_folders))  # a fault names the line outside of them
    options = [f'-DSIM_HEADER_FOLDERS="{own}"', "-include", str(ascendc / "compiler" / "builtin.h")]
    return [*options, *(f"-I{folder}" for folder in folders)]


def generated() -> Path:
    """The folder with the kernel sources that opgen wrote."""
    return (SOURCES / "gen" / "op_kernel").resolve()


def intrinsic_of(symbol: str) -> str | None:
    """The intrinsic that a symbol is, with its types where it is there for others; None for other symbols."""
    found = INTRINSIC.match(symbol)
    if found is None:
        return None
    result, name, types = found.groups()
    return name if result == "long" else f"{name}{types or ''}"


def first_error(output: str) -> str:
    found = ERROR.search(output)
    return found[0] if found else output.strip().splitlines()[-1]


def newer_than_all(path: Path, depends: Path) -> bool:
    """Whether a file is newer than all that a depfile of the compiler names."""
    if not path.is_file() or not depends.is_file():
        return False
    words = depends.read_text(encoding="utf-8").replace("\\\n", " ").partition(":")[2]
    names = re.findall(r"(?:\\ |\S)+", words)
    return is_newer(path, [Path(name.replace("\\ ", " ")) for name in names])


def is_newer(path: Path, others: list[Path]) -> bool:
    try:
        made = path.stat().st_mtime_ns
        return all(other.stat().st_mtime_ns <= made for other in others)
    except FileNotFoundError:
        return False
