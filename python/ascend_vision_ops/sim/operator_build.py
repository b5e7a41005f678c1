# SPDX-License-Identifier: Apache-2.0
"""Builds the libraries of an operator folder: its host sources, and a kernel for the dtypes of a call.

    op_host/*.cpp ──────────────────────────▶ host.so     definitions, tiling, inference
    op_kernel/X.cpp ◀── generated wrapper ──▶ kernel.so   DTYPE_*, tiling structs, registration

Objects lie in the user's cache and are made again when a source, a header or an option has changed. What was not used
for the longest time is removed from it.
"""

from __future__ import annotations

import ctypes
import hashlib
import os
import re
import shutil
from collections.abc import Iterable, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path

from ..ascend_headers.compiler import SOURCES, UNDEFINED, is_newer
from ..ascend_headers.libraries import alone
from ..paths import include_dir
from .compile import BackEnd, cache_folder, cores_of, cores_of_type, forget_old, run, without_comments
from .errors import CompileError
from .launches import without_launches
from .operator_definition import DTYPES, Definition
from .template_arguments import Chosen, is_template, read_lists

# Structs that kernel_tiling.h has, itself or by its own headers.
LIBRARY_STRUCT = re.compile(r"\b(?:struct\s+(?:alignas\(\d+\)\s*)?|TILING\()(\w+)")
ENTRY = re.compile(r"__global__\s+(?:__aicore__\s+)?(?:__\w+__\s+)*void\s+(\w+)\s*\(")
LOCAL_INCLUDE = re.compile(r'^\s*#\s*include\s+"([^"]+)"', re.MULTILINE)
# What host code says of an operator type: that it is defined; that its tiling or inference are here.
DEFINED = re.compile(r"\bOP_ADD\s*\(\s*(\w+)\s*[,)]")
REGISTERED = re.compile(r"\bIMPL_OP(?:_OPTILING|_INFERSHAPE)?\s*\(\s*(\w+)\s*\)")
# What the cache keeps: folders of operators, kernels of each, and versions of each library.
MOST_OPERATORS, MOST_KERNELS, MOST_VERSIONS = 100, 200, 8
PARENTS = 4  # how far above an operator's folder its project's include folders are looked for
HOST_FLAGS = ("-std=c++17", "-O0", "-g1", "-fPIC", "-w", "-fvisibility=hidden", "-fno-gnu-unique")
# Functions of sources for other devices may be missing, as long as nothing calls them.
HOST_LINK = ("-shared", "-Wl,-z,lazy", "-Wl,-Bsymbolic")


@dataclass
class OperatorFolder:
    """The sources of a folder, and where their headers lie.

    include: folders of the user, which come first. host_sources: sources besides those of op_host.
    """

    path: Path
    back_end: BackEnd
    include: Sequence[Path] = ()
    host_sources: Sequence[Path] = ()
    failed: dict[Path, CompileError] = field(default_factory=dict)

    @property
    def cache(self) -> Path:
        return (
            cache_folder()
            / "operators"
            / f"{self.path.name}-{digest_of(str(self.path))}"
            / self.back_end.digest
        )

    def include_options(self, first: Path, part: str) -> list[str]:
        """The folders of the project: the first one, the operator's own, and what usually lies above it.

        part: "op_host" or "op_kernel", the side whose sources are compiled. Operators of a project may share headers
        of one side in common/op_host and common/op_kernel, which may have the same names.
        """
        above = [self.path, *list(self.path.parents)[:PARENTS]]
        found = [first, *self.include, self.path / "op_host", self.path / "op_kernel"]
        inner = ("", "include", "common/inc", "common", f"common/{part}")
        found += [parent / folder for parent in above for folder in inner]
        return [f"-I{folder}" for folder in dict.fromkeys(found) if folder.is_dir()]

    def host_library(self) -> Path:
        """Builds the library of the host sources. A source that does not compile is left out and kept in `failed`."""
        sources = sorted((self.path / "op_host").glob("*.cpp")) + list(self.host_sources)
        sources += [source for source in self._registered_elsewhere(sources) if source not in sources]
        if not sources:
            raise CompileError(f"{self.path}: expected host sources in op_host/*.cpp, got none")
        program = self.back_end.command[0]
        framework = (SOURCES / "sim" / "operators" / "include").resolve()
        # kernel_tiling.h has the structs that host and kernel share.
        structs = (SOURCES / "sim" / "ascendc" / "include").resolve()
        ours = (f"-I{framework}", f"-I{include_dir()}", f"-I{structs}")
        compiler = BackEnd(
            (program, *HOST_FLAGS), self.back_end.version, "the simulated device's framework", {"": ()}
        )
        with locked(self.cache):
            os.utime(self.cache.parent)
            forget_old(self.cache.parent.parent.iterdir(), MOST_OPERATORS)
            objects = self._host_objects(sources, compiler, ours)
            if not objects:
                raise next(iter(self.failed.values()))
            objects += self._shared_host_code(compiler, ours)
            # A library of other sources has another name, so that one that has gone is not linked any more.
            library = self.cache / f"host-{digest_of(*map(str, objects))}.so"
            self._link_host(compiler, objects, library)
            return named_by_content(library)

    def _registered_elsewhere(self, sources: Sequence[Path]) -> list[Path]:
        """Host sources of neighbours that have the tiling or inference of an operator which these sources define."""
        defined = {
            name for source in sources if source.is_file() for name in DEFINED.findall(code_of(source))
        }
        others = sorted(self.path.parent.glob("*/op_host/*.cpp")) if defined else []
        return [source for source in others if defined & set(REGISTERED.findall(code_of(source)))]

    def _host_objects(self, sources: Sequence[Path], compiler: BackEnd, ours: Sequence[str]) -> list[Path]:
        objects = []
        for source in sources:
            options = [*self.include_options(source.parent, "op_host"), *ours]
            target = self.cache / "host" / f"{source.stem}.{digest_of(str(source), *options)}.o"
            try:
                compiler.compile(source, target, "", options)
                objects.append(target)
            except CompileError as error:
                self.failed[source] = error
        return objects

    def _shared_host_code(self, compiler: BackEnd, ours: Sequence[str]) -> list[Path]:
        """An archive of what all operators of a project share: the linker takes from it what the operator lacks."""
        above = list(self.path.parents)[:PARENTS]
        sources = sorted(source for parent in above for source in parent.glob("common/src/op_host/**/*.cpp"))
        if not (objects := self._host_objects(sources, compiler, ours)):
            return []
        archive = self.cache / f"shared-{digest_of(*map(str, objects))}.a"
        if not is_newer(archive, objects):
            archive.unlink(missing_ok=True)
            run(["ar", "rcs", str(archive), *map(str, objects)], f"{archive.name} cannot be made")
        return [archive]

    def _link_host(self, compiler: BackEnd, objects: Sequence[Path], library: Path) -> None:
        """Links the host library. A function that no source has is an error where it is called, and not before."""
        libraries = ("op_framework", "nnopbase", "ascendcl")
        try:
            compiler.link(objects, library, (*HOST_LINK, "-Wl,-z,defs", "-Wl,--no-demangle"), libraries)
        except CompileError as error:
            missing = library.with_suffix(".cpp")
            missing.write_text(missing_functions(error.output, self.failed), encoding="utf-8")
            last = library.with_suffix(".o")
            compiler.compile(missing, last, "")
            compiler.link([*objects, last], library, HOST_LINK, libraries)

    def kernel_source(self, definition: Definition) -> tuple[Path, str]:
        """The source of an operator's kernel, and the kernel's name in it.

        It lies in the operator's own folder, or beside it in that of a neighbour which has a file of its name.
        """
        wanted = plain(definition.kernel_file or definition.type)
        # Kernels for other devices may have the same name: in a folder of theirs, or in a file of another name.
        sources = sorted(
            (self.path / "op_kernel").glob("**/*.cpp"),
            key=lambda source: (plain(source.stem) != wanted, len(source.parts), source),
        )
        neighbours = sorted(self.path.parent.glob("*/op_kernel/*.cpp"))
        sources += [source for source in neighbours if plain(source.stem) == wanted and source not in sources]
        entries = {source: ENTRY.findall(code_of(source)) for source in sources}
        for source, names in entries.items():
            for name in names:
                if plain(name) in (wanted, plain(definition.type)):
                    return source, name
        listed = ", ".join(name for names in entries.values() for name in names) or "no kernels"
        raise CompileError(
            f"{self.path}: expected a kernel of the operator {definition.type} in op_kernel, found {listed}"
        )

    def kernel_library(
        self, definition: Definition, dtypes: dict[str, tuple[int, int]], structs: dict, key: int
    ) -> KernelLibrary:
        """Builds the kernel for dtypes and formats of its tensors, and for one tiling key where it must know that."""
        source, name = self.kernel_source(definition)
        neighbours = self.neighbours()
        text = whole_text(source, neighbours)
        keyed = "TILING_KEY_VAR" in text or any(entry.startswith(f"{definition.type}_") for entry in structs)
        defines = [f"-DTILING_KEY_VAR={key}"] if keyed else []
        framework = (SOURCES / "sim" / "operators" / "include").resolve()  # for the headers of ASCENDC_TPL_*
        options = [
            *defines,
            *self.include_options(source.parent, "op_kernel"),
            f"-I{neighbours}",
            "-idirafter",
            str(framework),
        ]
        own = self.back_end.own_headers
        defined = defined_structs(text)
        wrapper, chosen = wrapper_text(source, name, definition, dtypes, structs, key, own, defined), None
        if is_template(name, code_of(source)):
            lists = self.back_end.preprocess(source.name, wrapper, [*options, "-DASCENDC_TPL_PRE"])
            chosen = read_lists(name, lists).chosen(name, key)
            wrapper = wrapper_text(source, name, definition, dtypes, structs, key, own, defined, chosen)
        kernel_type = chosen.kernel_type if chosen else ""
        cores = cores_of_type(name, kernel_type) if kernel_type else cores_of(name, text, key)
        folder = self.cache / f"{name}-{digest_of(wrapper, cores, *options)}"
        with locked(self.cache):
            folder.mkdir(parents=True, exist_ok=True)
            os.utime(folder)
            forget_old(self.cache.glob(f"{name}-*"), MOST_KERNELS)
            unit = folder / "kernel.cpp"
            if copy := copy_without_launches(source):
                copied = folder / "copy" / source.name  # not beside the unit, which may have its name
                copied.parent.mkdir(exist_ok=True)
                write_changed(copied, copy)
                wrapper = wrapper.replace(f'#include "{source}"', f'#include "{copied}"')
            write_changed(unit, wrapper)
            libraries = [
                self._side_library(unit, folder, side, options) for side in self.back_end.sides_of(cores)
            ]
        return KernelLibrary(name, cores, libraries)

    def neighbours(self) -> Path:
        """A folder from which "../other_operator/x.h" and "x.h" are headers of another operator's kernel.

        CANN's builds put the kernels of a project side by side, each in a folder with the name of its operator, or all
        in one folder. Headers of the operator itself come first.
        """
        folder = self.cache / "neighbours" / "this"
        folder.mkdir(parents=True, exist_ok=True)
        for kernels in self.path.parent.glob("*/op_kernel"):
            link = folder.parent / kernels.parent.name
            with suppress(FileExistsError):
                link.symlink_to(kernels)
        for header in sorted(self.path.parent.glob("*/op_kernel/*.h")):
            with suppress(FileExistsError):
                (folder / header.name).symlink_to(header)
        return folder

    def _side_library(self, unit: Path, folder: Path, side: str, options: Sequence[str]) -> Path:
        target = folder / f"{side}.o"
        self.back_end.compile(unit, target, side, options)
        library = folder / f"{side}.so"
        self.back_end.link([target], library)
        return named_by_content(library)


@dataclass
class KernelLibrary:
    """A kernel's libraries, one for each kind of core where it is compiled against CANN's headers."""

    kernel: str
    cores: str
    files: list[Path]

    def register(self) -> None:
        """Makes these the kernels of that name; a library of other dtypes may have been it before."""
        for file in self.files:
            ctypes.CDLL(str(file)).avo_register_kernels()


def missing_functions(output: str, left_out: Iterable[Path]) -> str:
    """A source with the functions that a linker does not find: each of them raises an error that names it."""
    symbols = sorted({symbol for symbol in UNDEFINED.findall(output) if symbol.startswith("_Z")})
    names = run(["c++filt"], "c++filt ended with an error", given="\n".join(symbols)).splitlines()
    files = ", ".join(sorted(path.name for path in left_out))
    why = f"; left out, as they do not compile: {files}" if files else ""
    lines = ["#include <stdexcept>"]
    for number, (symbol, name) in enumerate(zip(symbols, names, strict=True)):
        if "(" in name:  # variables have none
            text = f"no host source of the operator has {name}; host_sources= takes others{why}"
            lines += [
                f'extern "C" void missing_{number}() __asm__("{symbol}");',
                f'extern "C" void missing_{number}() {{ throw std::runtime_error("{text}"); }}',
            ]
    return "\n".join(lines) + "\n"


def locked(folder: Path):
    """Waits until no other process builds in this folder."""
    folder.mkdir(parents=True, exist_ok=True)
    return alone(folder / "lock")


def named_by_content(library: Path) -> Path:
    """A copy whose name differs where the content does: a process loads a library of one name only once."""
    digest = hashlib.sha256(library.read_bytes()).hexdigest()[:12]
    named = library.with_name(f"{library.stem}.{digest}.so")
    if named.is_file():
        os.utime(named)
        return named
    half = named.with_name(f"{named.name}.{os.getpid()}")
    try:
        shutil.copy(library, half)
        os.replace(half, named)
    finally:
        half.unlink(missing_ok=True)
    forget_old(library.parent.glob(f"{library.stem}.*.so"), MOST_VERSIONS)
    return named


def digest_of(*words: str) -> str:
    """A short text that differs where the words differ."""
    return hashlib.sha256("\0".join(words).encode()).hexdigest()[:12]


def plain(name: str) -> str:
    """MyOp2d and my_op2d are the same operator."""
    return name.replace("_", "").lower()


def code_of(source: Path) -> str:
    """The text of a source without its comments."""
    text = source.read_text(encoding="utf-8", errors="replace")
    return without_comments(text)


def whole_text(source: Path, neighbours: Path) -> str:
    """A source and the headers of its project that it includes, directly or not."""
    texts, left, seen = [], [source], set()
    while left:
        path = left.pop()
        if path in seen or not path.is_file():
            continue
        seen.add(path)
        texts.append(code_of(path))
        included = LOCAL_INCLUDE.findall(texts[-1])
        left += [(folder / name).resolve() for name in included for folder in (path.parent, neighbours)]
    return "\n".join(texts)


def copy_without_launches(source: Path) -> str:
    """The text of a source where it launches kernels, with nothing in their place; "" where it launches none."""
    text = source.read_text(encoding="utf-8", errors="replace")
    changed = without_launches(text)
    return "" if changed == text else f'#line 1 "{source}"\n{changed}'


def write_changed(path: Path, text: str) -> None:
    """Writes a file where it has another text: one that is rewritten is compiled again."""
    if not path.is_file() or path.read_text(encoding="utf-8") != text:
        path.write_text(text, encoding="utf-8")


def macros(definition: Definition, dtypes: dict[str, tuple[int, int]]) -> list[str]:
    """DT_*, FORMAT_* and, for each tensor, DTYPE_X, ORIG_DTYPE_X and FORMAT_X."""
    lines = [f"#define DT_{dtype.name} {dtype.number}" for dtype in DTYPES.values()]
    lines += [
        "#define DT_INT4 29",
        "#define FORMAT_NCHW 0",
        "#define FORMAT_NHWC 1",
        "#define FORMAT_ND 2",
        "#define FORMAT_NCDHW 30",
    ]
    for parameter in definition.parameters:
        name, (dtype, number) = parameter.name.upper(), dtypes[parameter.name]
        if dtype in DTYPES:
            lines += [f"#define DTYPE_{name} {DTYPES[dtype].kernel}", f"#define ORIG_DTYPE_{name} {dtype}"]
        lines.append(f"#define FORMAT_{name} {number}")
    return lines


def defined_structs(text: str) -> set[str]:
    """The structs that a kernel's own text defines."""
    return set(re.findall(r"\bstruct\s+(?:alignas\(\d+\)\s*)?(\w+)\s*\{", text))


def struct_lines(structs: list[dict], known: set[str]) -> list[str]:
    """The plain structs of tiling data, without those that kernel_tiling.h or the kernel has."""
    lines, others = [], known | {struct["name"] for struct in structs}
    for struct in structs:
        if struct["name"] in known:
            continue
        fields = []
        whole = False  # a struct begins at a multiple of 8, and so does what follows it
        for type, name, count in struct["fields"]:
            aligned = "alignas(8) " if whole or type in others else ""
            whole = type in others
            fields.append(f"  {aligned}{type} {name}{f'[{count}]' if count else ''};")
        lines += [f"struct alignas(8) {struct['name']} {{", *fields, "};"]
    return lines


def wrapper_text(
    source: Path,
    name: str,
    definition: Definition,
    dtypes: dict,
    structs: dict,
    key: int,
    own_headers: bool,
    defined: set[str],
    template: Chosen | None = None,
) -> str:
    """The source that is compiled in place of a kernel's: what CANN's build puts before it, and its registration.

    defined: the structs that the kernel's own text has. template: what the tiling key chooses for a kernel that is a
    template.
    """
    chosen = structs.get(f"{definition.type}_{key}") or structs.get(definition.type, [])
    every = {struct["name"]: struct for group in structs.values() for struct in group}
    headers = (SOURCES / "sim" / "ascendc" / "include" / "kernel_tiling").glob("*.h")
    known = {name for path in headers for name in LIBRARY_STRUCT.findall(path.read_text(encoding="utf-8"))}
    lines = ["#define ASCENDC_TPL_KERNEL", "#include <cstdint>", '#include "kernel_tiling/kernel_tiling.h"']
    lines += macros(definition, dtypes) + struct_lines(list(every.values()), known | defined)
    if chosen and chosen[-1]["name"] not in defined:
        lines.append(f"using AscendcDefaultTiling [[maybe_unused]] = {chosen[-1]['name']};")
    # A kernel may have the name of a function of the C library.
    if any(hasattr(ctypes.CDLL(library), name) for library in ("libc.so.6", "libm.so.6")):
        lines += ["#include <cmath>", "#include <math.h>", f"#define {name} {name}_kernel"]
    call = name
    if template:
        call = f"{name}<{', '.join(template.arguments)}>"
        if template.struct:
            lines += ['#include "kernel_operator.h"', *struct_of_key(template.struct)]
    lines.append(f'#include "{source}"')
    parameters = re.search(rf"\bvoid\s+{name}\s*\(([^)]*)\)", code_of(source))[1]
    words = ", ".join(f"(GM_ADDR)words[{i}]" for i in range(len(parameters.split(","))))
    lines += [
        '#include "engine/kernel_libraries.h"' if own_headers else '#include "compiler/kernel_library.h"'
    ]
    return (
        "\n".join(lines)
        + CALLS.replace("CALL", call).replace("NAME", name).replace("ARGUMENTS", words)
        + (OWN if own_headers else CANN)
    )


def struct_of_key(struct: str) -> list[str]:
    """Makes GET_TILING_DATA take the struct that ASCENDC_TPL_TILING_STRUCT_SEL names for a tiling key."""
    macro = f"#define GET_TILING_DATA(data, tiling) GET_TILING_DATA_WITH_STRUCT({struct}, data, tiling)"
    return ["#undef GET_TILING_DATA", macro]


# One function calls the kernel, so that faults name the calls from the kernel on.
CALLS = """
namespace {
void Invoke(void *const *words) { ::CALL(ARGUMENTS); }
const sim::Kernel kKernels[] = {{"NAME", Invoke}};
}  // namespace
"""
OWN = """
extern "C" __attribute__((visibility("default"))) void avo_register_kernels() {
  const auto nothing = [](void *) {};
  sim::RegisterKernels({kKernels, 1, false, nothing});
  sim::RegisterKernels({kKernels, 1, true, nothing});
}
"""
CANN = """
SIM_KERNEL_LIBRARY(kKernels)
extern "C" __attribute__((visibility("default"))) void avo_register_kernels() { RegisterKernelsOfLibrary(); }
"""
