# SPDX-License-Identifier: Apache-2.0
"""Builds programs for CANN, with kernels and launches `kernel<<<…>>>` in them, for the simulated device.

    add.asc ──preprocessor──▶ ──translate (program_text.py)──▶ ──compiler──▶ object ─┐
    host.cpp ───────────────────────compiler──────────────────────────────▶ object ─┴─▶ program

On CANN's own headers a source with kernels for cube cores is compiled twice, and both objects become one: the second
one keeps its names to itself.
"""

from __future__ import annotations

import hashlib
import os
import re
import shutil
import tempfile
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass, field, replace
from pathlib import Path

from ..ascend_headers.compiler import SOURCES
from ..paths import include_dir, library_dir
from .compile import ALL_CORES, BackEnd, CompileError, back_end, cache_folder, forget_old, run
from .program_text import KernelText, Translated, launch_header, translate

KERNEL_SUFFIXES = {".asc"}
HOST_SUFFIXES = {".c", ".cc", ".cpp", ".cxx", ".cce"}
_KERNEL_WORDS = re.compile(r"__global__|<<<|kernel_operator\.h")
# Where other sources of the program call functions of this one, they must see them.
_OPTIONS = ("-fvisibility=default", "-fno-gnu-unique", "-DSIM_PROGRAM")
_STRONGER = ("-O", "-std=", "-g")  # the user's count, and not those of the back end
_MOST_OBJECTS = 400  # in the cache
_HEADER_FOLDERS = "-DSIM_HEADER_FOLDERS="
_LIBRARIES = ("op_framework", "nnopbase", "ascendcl", "ascendc_sim")


@dataclass(frozen=True)
class Settings:
    """How the sources of a program are compiled.

    options: more words for the compiler, such as -I and -D. ascend_headers: the folder with CANN's own headers.
    depends: where the preprocessor writes the rule of make with the files that it read. depends_target: the words that
    give this rule its target, such as -MT and a name. launch_headers: the folder for aclrtlaunch_KERNEL.h, if there
    shall be such headers.
    """

    options: tuple[str, ...] = ()
    ascend_headers: str | None = None
    depends: Path | None = None
    depends_target: tuple[str, ...] = ()
    launch_headers: Path | None = None


@dataclass
class Built:
    """A built program.

    kernels: those that its sources define. launches: how many places start a kernel.
    """

    program: Path
    kernels: list[KernelText] = field(default_factory=list)
    launches: int = 0


def build(sources: Sequence[Path], target: Path, settings: Settings, link: Sequence[str] = ()) -> Built:
    """Builds a program of sources, objects and libraries.

    link: more words for the linker, such as -lm; with -shared the result is a library.

    Raises:
        CompileError: a source is missing or does not compile, or there is no compiler
    """
    compiler = back_end(settings.ascend_headers)
    built = Built(target)
    with tempfile.TemporaryDirectory(prefix="avo-program-") as scratch:
        objects = []
        for number, source in enumerate(sources):
            if not source.is_file():
                raise CompileError(f"{source}: there is no such file")
            if source.suffix not in KERNEL_SUFFIXES | HOST_SUFFIXES:
                objects.append(source)
                continue
            objects.append(Path(scratch) / f"{number}.o")
            translated = compile_source(source, objects[-1], settings, compiler)
            built.kernels += [kernel for kernel in translated.kernels if kernel.defined]
            built.launches += translated.launches
        link_objects(objects, target, compiler, link)
    return built


def compile_source(
    source: Path, target: Path, settings: Settings, compiler: BackEnd | None = None
) -> Translated:
    """Compiles one source into an object. Objects that were made before come from the user's cache."""
    compiler = compiler or back_end(settings.ascend_headers)
    raw = source.read_text(encoding="utf-8", errors="replace")
    if source.suffix not in KERNEL_SUFFIXES and not _KERNEL_WORDS.search(raw):
        _compile_host(source, target, settings, compiler)
        return Translated("", (), 0)
    sides = list(compiler.sides)
    cube_only = "ASCENDC_CUBE_ONLY" in raw
    translated = _translated(source, settings, compiler, sides[0], cube_only)
    objects = [_object(source, translated.text, settings, compiler, sides[0])]
    if len(sides) == 2 and translated.needs_cubes():
        first = settings.depends
        second = first.with_name(f"{first.name}.{sides[1]}") if first else None
        other = _translated(source, replace(settings, depends=second), compiler, sides[1], cube_only)
        if first and second:
            _join_depends(first, second)
        objects.append(_object(source, other.text, settings, compiler, sides[1]))
    _join(objects, target, compiler)
    if settings.launch_headers:
        _write_launch_headers(settings.launch_headers, translated)
    return translated


def _join_depends(first: Path, second: Path) -> None:
    """Adds the files of the second rule to the first one, as both make the same object."""
    more = second.read_text(encoding="utf-8").partition(": ")[2]
    joined = f"{first.read_text(encoding='utf-8').rstrip()} \\\n {more}"
    first.write_text(joined, encoding="utf-8")
    second.unlink()


def _depends_words(settings: Settings) -> list[str]:
    return ["-MD", "-MF", str(settings.depends), *settings.depends_target] if settings.depends else []


def _write_launch_headers(folder: Path, translated: Translated) -> None:
    folder.mkdir(parents=True, exist_ok=True)
    for kernel in translated.kernels:
        path = folder / f"aclrtlaunch_{kernel.name}.h"
        text = launch_header(kernel)
        if kernel.defined and not kernel.template and (not path.is_file() or path.read_text() != text):
            path.write_text(text)


def link_objects(objects: Sequence[Path], target: Path, compiler: BackEnd, link: Sequence[str] = ()) -> None:
    """Links objects and libraries with the simulated device."""
    folder = library_dir()
    libraries = [
        f"-L{folder}",
        *(f"-l{name}" for name in _LIBRARIES),
        f"-Wl,-rpath,{folder}",
        "-ldl",
        "-lpthread",
    ]
    # CANN's headers define variables in each source that includes them.
    own = [] if compiler.own_headers else ["-Wl,-z,muldefs"]
    words = [compiler.command[0], *map(str, objects), *link, *own, *libraries]
    run([*words, "-Wl,-z,defs"], f"{target.name} does not link", target)


def _framework() -> Path:
    """The folder of register/ and graph/, which tilings of the host include."""
    return (SOURCES / "sim" / "operators" / "include").resolve()


def _include_options(settings: Settings) -> list[str]:
    return [*settings.options, f"-I{include_dir()}", f"-I{_framework()}"]


def _compile_host(source: Path, target: Path, settings: Settings, compiler: BackEnd) -> None:
    words = [
        compiler.command[0],
        "-std=c++17",
        "-O1",
        "-g1",
        "-fPIC",
        *_include_options(settings),
        *_depends_words(settings),
    ]
    run([*words, "-c", str(source)], f"{source.name} does not compile", target)


def _words(settings: Settings, compiler: BackEnd, side: str) -> list[str]:
    program, *own = compiler.command
    stronger = [word for word in settings.options if word.startswith(_STRONGER)]
    return [program, *_include_options(settings), *own, *compiler.sides[side], *_OPTIONS, *stronger]


def _translated(
    source: Path, settings: Settings, compiler: BackEnd, side: str, cube_only: bool
) -> Translated:
    """The preprocessed and translated text of a source, for one kind of core."""
    end = "" if side == ALL_CORES else '#include "sim/program_end.h"\n'
    wrapper = f'#include "{source.resolve()}"\n{end}'
    words = [
        *_words(settings, compiler, side),
        "-include",
        "sim/program.h",
        *_depends_words(settings),
        "-E",
        "-x",
        "c++",
        "-",
    ]
    text = run(words, f"{source.name} does not compile", given=wrapper)
    folder = source.resolve().parent
    launchers = settings.launch_headers is not None
    return translate(text, folder, _header_folders(compiler), side != ALL_CORES, cube_only, launchers)


def _header_folders(compiler: BackEnd) -> list[Path]:
    """The folders of headers, which no user wrote."""
    named = next((word for word in compiler.command if word.startswith(_HEADER_FOLDERS)), _HEADER_FOLDERS)
    cann = [Path(folder) for folder in named[len(_HEADER_FOLDERS) :].strip('"').split(":") if folder]
    return [
        *cann,
        (SOURCES / "sim" / "ascendc" / "include").resolve().parent,
        _framework(),
        include_dir(),
        include_dir().resolve(),
    ]


def _object(source: Path, text: str, settings: Settings, compiler: BackEnd, side: str) -> Path:
    """The object of a translated text, from the cache where it is there."""
    words = _words(settings, compiler, side)
    key = hashlib.sha256("\0".join([*words, compiler.version, text]).encode()).hexdigest()[:24]
    folder = cache_folder() / "objects"
    made = folder / f"{key}.o"
    with suppress(FileNotFoundError):
        os.utime(made)
        return made
    folder.mkdir(parents=True, exist_ok=True)
    run([*words, "-x", "c++-cpp-output", "-c", "-"], f"{source.name} does not compile", made, text)
    forget_old(folder.glob("*.o"), _MOST_OBJECTS)
    return made


def _join(objects: list[Path], target: Path, compiler: BackEnd) -> None:
    """Makes one object of that for vector cores, which has the host code, and that for cube cores."""
    if len(objects) == 1:
        shutil.copyfile(objects[0], target)
        return
    with tempfile.TemporaryDirectory(prefix="avo-join-") as scratch:
        cubes = Path(scratch) / "cube.o"
        joined = [compiler.command[0], "-r", "-nostdlib"]
        # Functions of templates are in both: the linker must not take one for the other.
        run([*joined, "-Wl,--force-group-allocation", str(objects[1])], "the code of cube cores", cubes)
        run(["objcopy", "--keep-global-symbol=sim_no_symbol", str(cubes)], "the code of cube cores")
        run([*joined, str(objects[0]), str(cubes)], f"{target.name} does not link", target)
