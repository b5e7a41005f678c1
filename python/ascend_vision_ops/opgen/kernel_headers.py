# SPDX-License-Identifier: Apache-2.0
"""Type-checks kernel sources against CANN's own AscendC headers with g++, as its CPU debugging mode reads them.

The headers call compiler intrinsics. An installed CANN declares them for CPU debugging in stub_fun.h. Where that file
is missing, each name that g++ does not know is declared as a template that takes any arguments. So calls of AscendC
are checked in full: names, and number, order and kinds of arguments. Intrinsics behind them are not, nor are address
spaces.
"""

from __future__ import annotations

import re
import subprocess
from collections.abc import Callable
from pathlib import Path

from .model import DTYPES, Spec

KEYS = ("kernel_operator.h", "stub_def.h")
OPTIONAL = ("stub_fun.h", "kernel_tiling/kernel_tiling.h")
FLAGS = [
    "-std=c++17", "-fsyntax-only", "-fpermissive", "-fmax-errors=0", "-DASCENDC_CPU_DEBUG=1",
    "-D__NPU_ARCH__=2201", "-D__DAV_C220__", "-D__DAV_C220_VEC__", "-D__CCE_AICORE__=220",
]  # fmt: skip
UNKNOWN = re.compile(
    r"(?:error: |)‘([a-z]\w*)’ was not declared in this scope|there are no arguments to ‘([a-z]\w*)’ that depend"
)

# Enumerations that are built into CANN's compiler.
ENUMERATIONS = {
    "pipe_t": "PIPE_S PIPE_V PIPE_M PIPE_MTE1 PIPE_MTE2 PIPE_MTE3 PIPE_ALL PIPE_MTE4 PIPE_MTE5 PIPE_V2 PIPE_FIX",
    "event_t": "EVENT_ID0 EVENT_ID1 EVENT_ID2 EVENT_ID3 EVENT_ID4 EVENT_ID5 EVENT_ID6 EVENT_ID7",
    "mem_dsb_t": "DSB_ALL DSB_DDR DSB_UB DSB_SEQ",
    "mem_t": "L1 L0A L0B L0C UB BT",
    "pad_t": "PAD_NONE PAD_MODE1 PAD_MODE2 PAD_MODE3 PAD_MODE4 PAD_MODE5 PAD_MODE6 PAD_MODE7 PAD_MODE8",
    "addr_cal_mode_t": "INC DEC",
    "atomic_type_t": "ATOMIC_NONE ATOMIC_F32 ATOMIC_F16 ATOMIC_S16 ATOMIC_S32 ATOMIC_S8 ATOMIC_BF16",
    "cache_line_t": "SINGLE_CACHE_LINE ENTIRE_DATA_CACHE",
    "dcci_dst_t": "CACHELINE_ALL CACHELINE_UB CACHELINE_OUT CACHELINE_ATOMIC",
    "QuantMode_t": "NoQuant F322F16 F322BF16 DEQF16 VDEQF16 QF322B8_PRE VQF322B8_PRE REQ8 VREQ8 DEQS16 VDEQS16 "
    "QF162S4_PRE VQF162S4_PRE QF162B8_PRE VQF162B8_PRE REQ4 VREQ4",
    "ub_addr8_t": "VA0 VA1 VA2 VA3 VA4 VA5 VA6 VA7",
    "vpart_t": "L128 H128",
}
DRIVER_MACROS = """\
#undef GET_TILING_DATA_WITH_STRUCT
#undef REGISTER_TILING_DEFAULT
#undef KERNEL_TASK_TYPE_DEFAULT
#undef TILING_KEY_IS
#define GET_TILING_DATA_WITH_STRUCT(type, name, address) type name{}
#define REGISTER_TILING_DEFAULT(type)
#define KERNEL_TASK_TYPE_DEFAULT(type)
#define TILING_KEY_IS(key) true
"""


def include_folders(roots: dict[str, Path]) -> list[Path]:
    """The include folders of AscendC's headers: below and beside the one with kernel_operator.h."""
    root = roots["kernel_operator.h"]
    names = ("", "..", "basic_api", "utils", "adv_api", "interface", "impl", "../impl", "../impl/basic_api")
    folders = [path for key, path in roots.items() if key != "kernel_operator.h"]
    return folders + [root / name for name in names if (root / name).is_dir()]


def write_stubs(folder: Path, roots: dict[str, Path], names: set[str]) -> None:
    """Writes the headers for CPU debugging that an installed CANN has and the given folder lacks.

    names: intrinsics to declare.
    """
    if "kernel_tiling/kernel_tiling.h" not in roots:
        (folder / "kernel_tiling").mkdir(exist_ok=True)
        (folder / "kernel_tiling" / "kernel_tiling.h").write_text("#pragma once\n", encoding="utf-8")
    if "stub_fun.h" in roots:
        return
    lines = ["#pragma once", '#include "stub_def.h"', "struct AnyValue {"]
    lines += ["  template <typename T>", "  operator T() const { return T(); }", "};"]
    lines += [f"enum {name} {{ {', '.join(words.split())} }};" for name, words in ENUMERATIONS.items()]
    lines += [
        f"template <typename... A>\ninline AnyValue {name}(A &&...) {{ return {{}}; }}"
        for name in sorted(names)
    ]
    (folder / "stub_fun.h").write_text("\n".join(lines) + "\n", encoding="utf-8")


def unit(spec: Spec, stem: str) -> str:
    """A source that includes a kernel entry once for each combination of dtypes and instantiates every tiling key."""
    lines = ['#include "kernel_operator.h"', DRIVER_MACROS]
    for number, instance in enumerate(spec.instances):
        lines += [
            f"#define DTYPE_{tensor.upper()} {DTYPES[name].kernel}" for tensor, name in instance.items()
        ]
        lines += [f"#define {stem} {stem}_{number}", f'#include "{stem}.cpp"', f"#undef {stem}"]
        lines += [f"#undef DTYPE_{tensor.upper()}" for tensor in instance]
    return "\n".join(lines) + "\n"


def own_errors(text: str, own: tuple[str, ...]) -> list[str]:
    """The lines about errors in files below `own`, and about errors that stop the compiler.

    Errors that g++ only permits count too. Other errors inside CANN's headers come from parts that the stubs leave out.
    """
    wrong = ("error:", "[-fpermissive]")
    return [
        line
        for line in text.splitlines()
        if "fatal error:" in line or (line.startswith(own) and any(word in line for word in wrong))
    ]


def checker(
    project: Path, roots: dict[str, Path], scratch: Path, stem: Callable[[Spec], str]
) -> Callable[[Spec], list[str]]:
    """Makes a function that gives the errors of a kernel entry."""
    folders = [project / "op_kernel", project, scratch, *include_folders(roots)]
    command = ["g++", *FLAGS, *(f"-I{folder}" for folder in folders)]

    def compile_text(text: str, name: str = "unit") -> str:
        source = scratch / f"{name}.cpp"
        source.write_text(text, encoding="utf-8")
        return subprocess.run([*command, str(source)], capture_output=True, text=True, check=False).stderr

    names: set[str] = set()
    write_stubs(scratch, roots, names)
    while "stub_fun.h" not in roots:
        found = {a or b for a, b in UNKNOWN.findall(compile_text('#include "kernel_operator.h"\n'))}
        found = {name for name in found if not name.endswith("_t")} - names
        if not found:
            break
        names |= found
        write_stubs(scratch, roots, names)

    def errors_of(spec: Spec) -> list[str]:
        text = compile_text(unit(spec, stem(spec)), f"unit_{stem(spec)}")
        return own_errors(text, (str(project), str(scratch / "unit_")))

    return errors_of
