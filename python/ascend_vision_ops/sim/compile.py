# SPDX-License-Identifier: Apache-2.0
"""Compiles kernels that this package did not write, for the simulated device.

    back_end(None)   the hand-written AscendC API: one object serves all cores
    back_end(DIR)    CANN's own headers in DIR:    one object for vector cores, one for cube cores

    back_end(…).compile(source, object, side) ──▶ .link([objects], library)

Both steps do nothing where the result is newer than all that it is made of.
"""

from __future__ import annotations

import hashlib
import os
import re
import shutil
from collections.abc import Iterable, Sequence
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

from ..ascend_headers import VARIABLE, HeadersError
from ..ascend_headers import compiler as headers_compiler
from ..ascend_headers.compiler import SOURCES, first_error, intrinsic_of, is_newer, newer_than_all
from ..ascend_headers.roots import find
from ..opgen.kernel_headers import PROCESSOR_FLAGS, SIDES
from ..paths import library_dir
from .errors import CompileError

# The kernel types of CANN (KERNEL_TYPE_…) by the cores that start in a block.
CORES = {
    "AIV_ONLY": "vector", "AIC_ONLY": "cube", "MIX_AIV_1_0": "vector", "MIX_AIC_1_0": "cube",
    "MIX_AIC_1_1": "mixed11", "MIX_AIC_1_2": "mixed12", "AICORE": "mixed12", "VECTORCORE": "vector",
    "MIX_AICORE": "mixed12", "MIX_VECTOR_CORE": "vector",
}  # fmt: skip
# The object that runs on all cores; CANN's headers have one for each of SIDES.
ALL_CORES = "all"
_SIDES_OF_CORES = {"vector": ("vector",), "cube": ("cube",)}
_TASK_TYPE = re.compile(r"\bKERNEL_TASK_TYPE\s*\(\s*(\w+)\s*,\s*KERNEL_TYPE_(\w+)\s*\)")
_DEFAULT_TASK_TYPE = re.compile(r"\bKERNEL_TASK_TYPE_DEFAULT\s*\(\s*KERNEL_TYPE_(\w+)\s*\)")

_PRODUCT = re.compile(r"\bMatmul(?:Impl)?\s*<|\bREGIST_MATMUL_OBJ\b|\bMmad\s*\(")


@dataclass(frozen=True)
class BackEnd:
    """A compiler with the options for one way to AscendC.

    command: the program and the options of every compilation, among them the folders of headers.
    version: the first line of what the compiler says about itself.
    text: what kernels are compiled against, for people.
    sides: the options of each kind of object.
    """

    command: tuple[str, ...]
    version: str
    text: str
    sides: dict[str, tuple[str, ...]]

    @property
    def own_headers(self) -> bool:
        """Says whether it is the hand-written API."""
        return ALL_CORES in self.sides

    @property
    def digest(self) -> str:
        """A short text that differs where objects of another compiler, other options or other headers differ."""
        parts = (*self.command, self.version, str(library_dir()))
        return hashlib.sha256("\0".join(parts).encode()).hexdigest()[:12]

    def sides_of(self, cores: str) -> tuple[str, ...]:
        """The objects that a kernel needs which starts on "vector", "cube", "mixed11" or "mixed12"."""
        return (ALL_CORES,) if self.own_headers else _SIDES_OF_CORES.get(cores, ("vector", "cube"))

    def compile(self, source: Path, target: Path, side: str, options: Sequence[str] = ()) -> None:
        """Compiles a source into an object; `options` come before those of the back end."""
        depends = target.with_suffix(".d")
        if newer_than_all(target, depends):
            return
        program, *own = self.command
        words = (*options, *own, *self.sides[side], "-MMD", "-MF", str(depends), "-MT", "object")
        target.parent.mkdir(parents=True, exist_ok=True)
        failed = f"{source.name} does not compile against {self.text}"
        run([program, *words, "-c", str(source)], failed, target)

    def preprocess(self, name: str, text: str, options: Sequence[str]) -> str:
        """The text of a source after the preprocessor; `name` is for messages."""
        program, *own = self.command
        side = next(iter(self.sides.values()))
        words = [program, *options, *own, *side, "-E", "-P", "-x", "c++", "-"]
        return run(words, f"{name} does not compile against {self.text}", given=text)

    def link(
        self,
        objects: Iterable[Path],
        target: Path,
        options: Sequence[str] = ("-shared", "-Wl,-z,defs"),
        libraries: Sequence[str] = ("ascendc_sim",),
    ) -> None:
        """Links objects with libraries of this package into a library, or, with other options, into a program."""
        given = list(objects)
        if is_newer(target, [*given, *(library_dir() / f"lib{name}.so" for name in libraries)]):
            return
        linked = (f"-L{library_dir()}", *(f"-l{name}" for name in libraries), f"-Wl,-rpath,{library_dir()}")
        words = (*options, *map(str, given), *linked)
        run([self.command[0], *words], f"{target.name} does not link", target)


def back_end(ascend_headers: str | Path | None = None) -> BackEnd:
    """The hand-written API, or CANN's headers in a folder (default: the one that AVO_ASCEND_HEADERS names).

    Raises:
        CompileError: there is no compiler, or the folder has not the headers
    """
    folder = ascend_headers or os.environ.get(VARIABLE)
    try:
        if folder:
            compiler = headers_compiler.choose(find(folder))
            return BackEnd(compiler.command, compiler.version, compiler.headers.text, SIDES)
        command, version = headers_compiler.program()
    except HeadersError as error:
        raise CompileError(str(error)) from error
    ascendc = (SOURCES / "sim" / "ascendc" / "compiler").resolve().parent
    folders = (f"-I{ascendc / 'include'}", f"-I{ascendc}", f"-I{ascendc / 'engine'}")
    words = (*command, *headers_compiler.COMMON_FLAGS, *PROCESSOR_FLAGS, *folders)
    return BackEnd(words, version, "the simulated device's own AscendC headers", {ALL_CORES: ()})


def cache_folder() -> Path:
    """Where objects of other projects lie: in the user's cache."""
    cache = os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache"
    return Path(cache) / "ascend-vision-ops" / "sim"


def cores_of_type(kernel: str, kind: str) -> str:
    """The cores of a kernel type; raises CompileError where there is no KERNEL_TYPE of that name."""
    if kind not in CORES:
        raise CompileError(f"kernel {kernel}: there is no kernel type KERNEL_TYPE_{kind}")
    return CORES[kind]


def without_comments(text: str) -> str:
    return re.sub(r"//[^\n]*|/\*.*?\*/", "", text, flags=re.DOTALL)


def cores_of(kernel: str, text: str, key: int = 0) -> str:
    """The cores that a kernel starts on: "vector", "cube", "mixed11" or "mixed12".

    text: that of the kernel, without comments. KERNEL_TASK_TYPE of the tiling key counts before
    KERNEL_TASK_TYPE_DEFAULT. Without either, CANN's compiler looks for products; here a text that names Matmul or Mmad
    is mixed, any other one vector. A kernel may include Matmul's header and use other names of it alone.
    """
    for name, kind in _TASK_TYPE.findall(text):
        if _number(name, text) == key:
            return cores_of_type(kernel, kind)
    if found := _DEFAULT_TASK_TYPE.search(text):
        return cores_of_type(kernel, found[1])
    return "mixed12" if _PRODUCT.search(text) else "vector"


def _number(word: str, text: str) -> int | None:
    """The value of a literal, or of a macro or constant of that name in the text."""
    found = re.search(rf"\b{word}\b\s*=?\s*\(?(\d\w*)", text) if not word[0].isdigit() else None
    digits = re.match(r"0[xX][0-9a-fA-F]+|\d+", found[1] if found else word)
    return int(digits[0], 0 if digits[0][:2] in ("0x", "0X") else 10) if digits else None


def run(words: Sequence[str], failed: str, target: Path | None = None, given: str | None = None) -> str:
    """Runs a program of the compiler and returns what it prints.

    target: the file that it makes (-o). given: what the program reads from stdin.

    Raises:
        CompileError: it failed; the message begins with the text `failed`
    """
    printed, output = headers_compiler.run(words, target, given)
    if output:
        raise CompileError(f"{failed}: {_reason(output)}", f"{output}\n")
    return printed


def forget_old(entries: Iterable[Path], most: int) -> None:
    """Removes files or folders of a cache but for those that were touched last. Other processes may do so too."""
    touched = {}
    for path in entries:
        with suppress(FileNotFoundError):
            touched[path] = path.stat().st_mtime
    for old in sorted(touched, key=lambda path: touched[path], reverse=True)[most:]:
        if old.is_dir():
            shutil.rmtree(old, ignore_errors=True)
        else:
            old.unlink(missing_ok=True)


def _reason(output: str) -> str:
    """The first error, or, where the linker misses intrinsics alone, their names."""
    symbols = dict.fromkeys(headers_compiler.UNDEFINED.findall(output))
    names = [intrinsic_of(symbol) for symbol in symbols]
    if names and None not in names:
        return f"the simulated device does not model {', '.join(sorted({name for name in names if name}))}"
    return first_error(output)
