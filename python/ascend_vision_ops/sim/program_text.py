# SPDX-License-Identifier: Apache-2.0
"""Translates a preprocessed source with kernels and launches into C++, line by line.

    __global__ __vector__ void add(…) { … }     void add(…) { … } and behind it a definition (sim/program.h)
    add<<<8, nullptr, stream>>>(x, y);          ::sim::program::Launch<add>("add", 8, nullptr, stream)(x, y);
    printf(…), assert(…)                        those of the simulated device, where a kernel calls them
    __ubuf__ float row[64];                     ::sim::program::UbArray<float[64]> …; auto &row = ….get();

Nothing moves to another line, so that messages of the compiler and faults name the lines of the user's files. Macros,
comments and templates in macros are no matter, as the text is preprocessed already.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path

from .compile import CompileError, cores_of_type
from .launches import blanked, callee_start, matching, settings_end
from .template_launch import chooser_of, deduction, template_parameters

# `# 12 "file.h" 1 3`: where the lines that follow come from; a 3 stands for the compiler's own headers.
_MARKER = re.compile(r'^# \d+ "((?:[^"\\]|\\.)*)"([ \d]*)$', re.MULTILINE)
_WORDS = re.compile(r"\b__(?:global|vector|cube|ubuf)__\b|\b__(?:mix|schedmode)__\b(?:\s*\([^()]*\))?")
# `__ubuf__ float row[64];` in a function: memory of UB.
_UB_ARRAY = re.compile(
    r"\b__ubuf__\s+((?:unsigned\s+)?[\w:]+(?:\s*<[^;{}]*?>)?)\s+(\w+)\s*((?:\[[^\[\];]*\]\s*)+);"
)
_MIX = re.compile(r"\b__mix__\s*\(\s*(\w+)\s*,\s*(\w+)\s*\)")
_MIXED = {("1", "2"): "mixed12", ("1", "1"): "mixed11", ("1", "0"): "cube", ("0", "1"): "vector"}
# What KERNEL_TASK_TYPE_DEFAULT becomes; in KERNEL_TASK_TYPE an `if` stands before it.
_TASK_TYPE = re.compile(r"(if\s*\([^;{}]*)?::sim::Set(?:TaskType|CoresAlone)\(\(?\s*KERNEL_TYPE_(\w+)")
_NAME = re.compile(r"\b([A-Za-z_]\w*)\s*(<[^(){};]*>)?\s*\(")
_NO_NAMES = {"__attribute__", "__mix__", "__launch_bounds__", "__schedmode__", "alignas", "noexcept"}
_PRINT = re.compile(r"(?<![\w.>:])(?:(?:::\s*)?(?:AscendC|std)\s*::\s*|::\s*)?(?:printf|PRINTF)(?=\s*\()")
_WORD_BEFORE = re.compile(r"([A-Za-z_]\w*)\s+$")
_BEFORE_CALLS = {"return", "else", "do", "and", "or", "not", "throw", "case"}
_DUMP = re.compile(r"(?<![\w.>:])(?:(?:::\s*)?AscendC\s*::\s*)?(DumpTensor|DumpAccChkPoint)(?=\s*\()")
_DUMP_ADDRESS = re.compile(r"(?<![\w.>:])asc_dump_(?:gm|ubuf|cbuf|l1buf)\b")
_ASSERT = re.compile(r"\b__assert_fail(?:_msg)?\b(?=\s*\()")
# The struct of GET_TILING_DATA, which REGISTER_TILING_DEFAULT names.
_TILING = "AscendcDefaultTiling"
_TILING_STRUCT = re.compile(r"\bstruct\s+(?:alignas\s*\([^()]*\)\s*)?(\w*[Tt]iling\w*)\s*\{")
# Those of BEGIN_TILING_DATA_DEF, and the fields of one in another.
_TILING_CLASS = re.compile(r"\bclass\s+(\w+)\s*:\s*public ::optiling::TilingDef\b")
_TILING_PART = re.compile(r"\bAddStruct\(\s*\"([^\"]*)\"")
_NAMESPACE = re.compile(r"\bnamespace\s+([\w:]+)\s*(?=\{)")
_CPU_RUN = "::sim::program::RunOnCpu("  # what ICPU_RUN_KF becomes
# What a kernel without a type says about its cores.
_PRODUCTS = re.compile(r"\b(?:Mmad|LoadData\w*|Fixpipe|Gemm|mad|A1|B1|CO1)\b")
_MATMUL = re.compile(r"\b(?:Matmul|MatmulImpl|Conv3D\w*)\b")
_VECTORS = re.compile(r"\b(?:VECIN|VECOUT|VECCALC)\b|g_coreType\s*==\s*AscendC::AIV")
_BODY = re.compile(
    r"\b(?:class|struct)\s+([A-Za-z_]\w*)[^;{}()]*(?=\{)|\b([A-Za-z_]\w*)\s*\([^;{}]*\)[^;{}()]*(?=\{)"
)


@dataclass(frozen=True)
class KernelText:
    """A kernel of a source.

    cores: "vector", "cube", "mixed11" or "mixed12". parameters: the text between the parentheses. type_parameters:
    those of a template.
    """

    name: str
    cores: str
    template: bool
    defined: bool
    parameters: str
    type_parameters: tuple[str, ...] = ()


@dataclass(frozen=True)
class Translated:
    text: str
    kernels: tuple[KernelText, ...]
    launches: int

    def needs_cubes(self) -> bool:
        return any(kernel.cores != "vector" for kernel in self.kernels if kernel.defined)


@dataclass(frozen=True)
class _Edit:
    """deduced: the kernel template whose arguments the compiler deduces for this launch."""

    start: int
    end: int
    text: str
    deduced: str = ""


def translate(
    text: str,
    own_folder: Path,
    header_folders: Iterable[Path],
    cann: bool,
    cube_only: bool = False,
    launchers: bool = False,
) -> Translated:
    """Translates a preprocessed source.

    header_folders: lines from below them are left as they are, unless they come from own_folder, that of the source,
    and own_folder lies below them, as sources and headers may lie in one checkout. cann: the source includes CANN's
    own headers.
    cube_only: the source asks for Matmul on cube cores alone (ASCENDC_CUBE_ONLY). launchers: each kernel gets the
    function that ACLRT_LAUNCH_KERNEL calls.

    Raises:
        CompileError: the source says something about a kernel that cannot be
    """
    # The source may ask for it under a condition that does not hold.
    cube_only = cube_only and "using Matmul = MatmulClient<" not in text
    parts = list(_parts(text, f"{own_folder}/", [f"{folder}/" for folder in header_folders]))
    plain = [blanked(part) if own else "" for part, own in parts]
    bodies = _bodies(plain)
    found: dict[str, KernelText] = {}
    definitions: list[list[tuple[int, KernelText]]] = []
    for one in plain:
        definitions.append(list(_kernels(one, lambda body: _inferred(body, bodies, cube_only))))
        for _, kernel in definitions[-1]:
            if kernel.defined or kernel.name not in found:
                found[kernel.name] = kernel
    tiling = _tiling_struct([part for part, own in parts if own], plain)
    result, launches, number = [], 0, 0
    started = [list(_launches(part, code, found)) for (part, _), code in zip(parts, plain, strict=True)]
    deduced = {edit.deduced for edits in started for edit in edits}
    for (part, own), code, defined, starts in zip(parts, plain, definitions, started, strict=True):
        if not own:
            result.append(_WORDS.sub("", part))
            continue
        edits = list(_replaced_calls(code, cann))
        if tiling:
            edits += [_Edit(*found.span(), tiling) for found in re.finditer(rf"\b{_TILING}\b", code)]
        for end, kernel in defined:
            if kernel.defined and not kernel.template:
                number += 1
                launcher = _launcher(kernel) if launchers else ""
                edits.append(_Edit(end, end, _definition(kernel, number) + launcher))
            elif kernel.defined and kernel.name in deduced:
                edits.append(_Edit(end, end, deduction(kernel)))
        launches += len(starts) // 2 + code.count(_CPU_RUN)
        result.append(_edited(part, edits + starts))
    return Translated("".join(result), tuple(found.values()), launches)


def _parts(text: str, own_folder: str, folders: list[str]) -> Iterator[tuple[str, bool]]:
    """Pieces of the text, each with whether it is the user's own: the longest of the folders above a file says it."""
    start, own = 0, True
    for marker in _MARKER.finditer(text):
        file, flags = marker[1], marker[2].split()
        nearest = max((len(folder) for folder in folders if file.startswith(folder)), default=0)
        foreign = "3" in flags or file.startswith("<") or nearest > 0
        now = not foreign or (file.startswith(own_folder) and len(own_folder) > nearest)
        if now != own:
            yield text[start : marker.start()], own
            start, own = marker.start(), now
    yield text[start:], own


def _kernels(code: str, infer: Callable[[str], str]) -> Iterator[tuple[int, KernelText]]:
    """Kernels that are declared or defined, each with where the definition ends."""
    for word in re.finditer(r"\b__global__\b", code):
        start = max(code.rfind(mark, 0, word.start()) for mark in ";{}") + 1
        name = _name_after(code, word.end())
        if name is None:
            continue
        opened = name.end() - 1
        closed = matching(code, opened, "()")
        rest = re.compile(r"\s*(?:noexcept\s*)?").match(code, closed + 1)
        begin = rest.end() if rest else closed + 1
        words = code[start : name.start()]
        type_parameters = template_parameters(words)
        template = bool(type_parameters)
        if code[begin : begin + 1] != "{":
            yield begin, KernelText(name[1], "vector", template, False, code[opened + 1 : closed])
            continue
        end = matching(code, begin, "{}")
        cores = _named_cores(name[1], words, code[begin:end]) or infer(code[opened:end])
        yield (
            end + 1,
            KernelText(name[1], cores, template, True, code[opened + 1 : closed], tuple(type_parameters)),
        )


def _name_after(code: str, position: int) -> re.Match[str] | None:
    """The name of the function whose declaration stands here, with the parenthesis of its parameters."""
    while found := _NAME.search(code, position):
        if found[1] not in _NO_NAMES:
            return found
        position = matching(code, found.end() - 1, "()")
    return None


def _named_cores(name: str, words: str, body: str) -> str:
    """The cores that the source gives a kernel; empty where it gives none."""
    if mix := _MIX.search(words):
        cores = _MIXED.get((mix[1], mix[2]))
        if cores is None:
            raise CompileError(
                f"kernel {name}: expected __mix__(1, 2), (1, 1), (1, 0) or (0, 1), got {mix[0]}: this device has two "
                "vector cores for each cube core"
            )
        return cores
    for word, cores in (("__mix__", "mixed12"), ("__cube__", "cube"), ("__vector__", "vector")):
        if re.search(rf"\b{word}\b", words):
            return cores
    for condition, kind in _TASK_TYPE.findall(body):
        if not condition:
            return cores_of_type(name, kind)
    return ""


def _bodies(codes: Iterable[str]) -> dict[str, list[str]]:
    """The bodies of functions and classes, by name."""
    bodies: dict[str, list[str]] = {}
    for code in codes:
        for found in _BODY.finditer(code):
            end = matching(code, found.end(), "{}")
            bodies.setdefault(found[1] or found[2], []).append(code[found.start() : end])
    return bodies


def _inferred(body: str, bodies: dict[str, list[str]], cube_only: bool) -> str:
    """The cores of a kernel that does not name them: what it calls, and what these call, says it."""
    seen: set[str] = set()
    pending, reached = [body], []
    while pending:
        text = pending.pop()
        reached.append(text)
        for name in set(re.findall(r"[A-Za-z_]\w*", text)) - seen:
            seen.add(name)
            pending += bodies.get(name, [])
    text = "\n".join(reached)
    if _MATMUL.search(text):
        return "cube" if cube_only else "mixed12"
    if _PRODUCTS.search(text):
        return "mixed12" if _VECTORS.search(text) else "cube"
    return "vector"


def _definition(kernel: KernelText, number: int) -> str:
    cores = f"::sim::program::Cores::k{kernel.cores.capitalize()}"
    type_name = f"::sim::program::Definition<&{kernel.name}, {cores}>"
    return f" [[maybe_unused]] static const {type_name} sim_definition_{number};"


def launch_header(kernel: KernelText) -> str:
    """The header aclrtlaunch_NAME.h with the function that ACLRT_LAUNCH_KERNEL(NAME) names."""
    parameters = "".join(f", {_on_host(one)}" for one in _parameters(kernel))
    return (
        "#pragma once\n#include <cstdint>\n"
        "#ifndef ACLRT_LAUNCH_KERNEL\n#define ACLRT_LAUNCH_KERNEL(kernel_func) aclrtlaunch_##kernel_func\n#endif\n"
        f'extern "C" uint32_t aclrtlaunch_{kernel.name}(uint32_t numBlocks, void *stream{parameters});\n'
    )


def _launcher(kernel: KernelText) -> str:
    given = [" ".join(one.split()) for one in _parameters(kernel)]
    names = ", ".join(_last_word(one) for one in given)
    parameters = "".join(f", {one}" for one in given)
    return (
        f' extern "C" uint32_t aclrtlaunch_{kernel.name}(uint32_t sim_blocks, void *sim_stream{parameters}) '
        f'{{ ::sim::program::Launch<{kernel.name}>("{kernel.name}", sim_blocks, sim_stream)({names}); return 0; }}'
    )


def _parameters(kernel: KernelText) -> list[str]:
    return [one for one in (part.strip() for part in kernel.parameters.split(",")) if one and one != "void"]


def _on_host(parameter: str) -> str:
    """A parameter as host code knows it, which has no pointers to the memories of a core."""
    return f"void *{_last_word(parameter)}" if "*" in parameter else " ".join(parameter.split())


def _last_word(parameter: str) -> str:
    found = re.search(r"([A-Za-z_]\w*)\s*$", parameter)
    return found[1] if found else ""


def _launches(text: str, code: str, kernels: dict[str, KernelText]) -> Iterator[_Edit]:
    """Two edits for each launch: what stands before its settings, and what ends them."""
    for mark in re.finditer("<<<", code):
        start = callee_start(code, mark.start())
        if start is None:
            continue
        callee = text[start : mark.start()].rstrip()
        name = re.split(r"<", re.sub(r"\s", "", callee))[0].split("::")[-1]
        end = settings_end(code, mark.end())
        kernel = kernels.get(name)
        chooser = chooser_of(callee, kernel) if kernel and kernel.template and kernel.defined else ""
        launch = f"{_launch(callee, name, kernel, chooser)}{_newlines(text[start : mark.end()], callee)}"
        yield _Edit(start, mark.end(), launch, name if chooser else "")
        yield _Edit(end, end + 3, ")")


def _launch(callee: str, name: str, kernel: KernelText | None, chooser: str) -> str:
    if kernel is None:
        return f'::sim::program::LaunchPointer({callee}, "{name}", '
    if kernel.template and kernel.defined:
        cores = f"::sim::program::Cores::k{kernel.cores.capitalize()}"
        if chooser:
            return f'::sim::program::LaunchDeduced<{cores}>({chooser}, "{name}", '
        return f'::sim::program::LaunchInstance<{callee}, {cores}>("{name}", '
    return f'::sim::program::Launch<{callee}>("{name}", '


def _newlines(whole: str, part: str) -> str:
    return "\n" * (whole.count("\n") - part.count("\n"))


def _replaced_calls(code: str, cann: bool) -> Iterator[_Edit]:
    arrays = {found.start(): found for found in _UB_ARRAY.finditer(code)}
    for found in _WORDS.finditer(code):
        array = arrays.get(found.start())
        if array:
            yield _ub_array(array)
        else:
            yield _Edit(found.start(), found.end(), "\n" * found[0].count("\n"))
    for found in _PRINT.finditer(code):
        before = _WORD_BEFORE.search(code, max(0, found.start() - 200), found.start())
        if before and before[1] not in _BEFORE_CALLS:
            continue  # a member of that name is declared
        yield _Edit(found.start(), found.end(), "::sim::program::Print")
    for found in _ASSERT.finditer(code):
        yield _Edit(found.start(), found.end(), "::sim::program::FailAssertion")
    if not cann:  # the hand-written API has these
        return
    for found in _DUMP.finditer(code):
        yield _Edit(found.start(), found.end(), f"::sim::program::{found[1]}")
    for found in _DUMP_ADDRESS.finditer(code):
        yield _Edit(found.start(), found.end(), f"::sim::{found[0]}")


def _tiling_struct(parts: list[str], codes: list[str]) -> str:
    """The struct that GET_TILING_DATA takes where nothing registers one: the only one whose name says tiling.

    Without such a struct it is the only class of BEGIN_TILING_DATA_DEF that is no part of another. `parts` have the
    literals that `codes` lack. Empty where the source registers one, or has no GET_TILING_DATA.
    """
    if not any(_TILING in code for code in codes) or any(f"using {_TILING}" in code for code in codes):
        return ""
    inner = {name for part in parts for name in _TILING_PART.findall(part)}
    structs = [(code, one) for code in codes for one in _TILING_STRUCT.finditer(code)]
    classes = [(code, one) for code in codes for one in _TILING_CLASS.finditer(code) if one[1] not in inner]
    names = sorted({_with_namespaces(code, one) for code, one in structs or classes})
    if len(names) != 1:
        raise CompileError(
            "GET_TILING_DATA: expected REGISTER_TILING_DEFAULT(STRUCT) before it, one struct with tiling in its "
            f"name, or one class of BEGIN_TILING_DATA_DEF, found {', '.join(names) or 'none'}"
        )
    return names[0]


def _with_namespaces(code: str, name: re.Match[str]) -> str:
    """The name that a match has, behind the namespaces around it."""
    around = [
        one[1]
        for one in _NAMESPACE.finditer(code, 0, name.start())
        if matching(code, one.end(), "{}") > name.end()
    ]
    return "::".join(["", *around, name[1]] if around else [name[1]])


def _ub_array(found: re.Match[str]) -> _Edit:
    """An array that its function has in UB as long as it runs."""
    kind, name, sizes = (" ".join(part.split()) for part in found.groups())
    array = f"::sim::program::UbArray<{kind}{sizes}> sim_array_{name}; auto &{name} = sim_array_{name}.get();"
    return _Edit(found.start(), found.end(), array + "\n" * found[0].count("\n"))


def _edited(text: str, edits: list[_Edit]) -> str:
    result, position = [], 0
    for edit in sorted(edits, key=lambda one: (one.start, one.end)):
        result += [text[position : edit.start], edit.text]
        position = edit.end
    return "".join([*result, text[position:]])
