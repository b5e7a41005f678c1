# SPDX-License-Identifier: Apache-2.0
"""`avo sim run` and `avo sim build`: programs for CANN, with kernels and launches in them, on the simulated device."""

from __future__ import annotations

import argparse
import os
import subprocess
import sys
import tempfile
from pathlib import Path

from ascend_vision_ops.cli import Failure
from ascend_vision_ops.sim.compile import CompileError
from ascend_vision_ops.sim.program import Built, Settings, build, compile_source


def run_run(options: argparse.Namespace) -> int:
    """Builds a program, runs it, and says what the judges found. Gives the program's status, or 1 after an error."""
    with tempfile.TemporaryDirectory(prefix="avo-run-") as scratch:
        folder = Path(scratch)
        program = folder / "program" / Path(options.files[0]).stem
        program.parent.mkdir()
        _built(options, program)
        report = Path(options.report) if options.report else folder / "report.json"
        report.unlink(missing_ok=True)
        command = [str(program), *options.arguments]
        status = subprocess.run(command, check=False, env=_environment(options, report, folder)).returncode
        return _judged(options, report, folder) or (status if status >= 0 else 128 - status)


def run_build(options: argparse.Namespace) -> int:
    """Builds a program, a library or, with -c, the object of one source."""
    if not options.object:
        _built(options, Path(options.output))
        return 0
    if len(options.files) != 1:
        raise Failure(f"-c: expected one source, got {len(options.files)}")
    try:
        compile_source(Path(options.files[0]), Path(options.output), _settings(options))
    except CompileError as error:
        raise _failure(error) from error
    return 0


def _built(options: argparse.Namespace, target: Path) -> Built:
    link = [word for word in options.compiler_options if word.startswith(("-l", "-L", "-Wl,", "-shared"))]
    try:
        built = build([Path(file) for file in options.files], target, _settings(options), link)
    except CompileError as error:
        raise _failure(error) from error
    if built.kernels and not built.launches:
        names = ", ".join(kernel.name for kernel in built.kernels)
        print(
            f"avo: nothing launches {names}: no source has {built.kernels[0].name}<<<…>>>(…)", file=sys.stderr
        )
    return built


def _settings(options: argparse.Namespace) -> Settings:
    words = [f"-I{folder}" for folder in options.include]
    words += [f"-D{definition}" for definition in options.define]
    for entry in options.dtype:
        words += _dtype_macros(entry)
    words += [
        word for word in options.compiler_options if not word.startswith(("-l", "-L", "-Wl,", "-shared"))
    ]
    return Settings(tuple(words), options.ascend_headers)


# dtype: its C++ type in a kernel, and its number in ge::DataType.
_DTYPES = {
    "float32": ("float", 0), "float16": ("half", 1), "int8": ("int8_t", 2), "int32": ("int32_t", 3),
    "uint8": ("uint8_t", 4), "int16": ("int16_t", 6), "uint16": ("uint16_t", 7), "uint32": ("uint32_t", 8),
    "int64": ("int64_t", 9), "uint64": ("uint64_t", 10), "double": ("double", 11), "bool": ("bool", 12),
    "bfloat16": ("bfloat16_t", 27),
}  # fmt: skip


def _dtype_macros(entry: str) -> list[str]:
    """The macros that CANN defines for a tensor of an operator: DTYPE_X, ORIG_DTYPE_X and FORMAT_X."""
    name, _, dtype = entry.partition("=")
    if not name.isidentifier() or dtype not in _DTYPES:
        raise Failure(f"--dtype: expected NAME=DTYPE with one of {', '.join(_DTYPES)}, got {entry}")
    kind, number = _DTYPES[dtype]
    upper = name.upper()
    known = [f"-DDT_{text}={value}" for text, value in _DT_NAMES.items()]
    return [f"-DDTYPE_{upper}={kind}", f"-DORIG_DTYPE_{upper}={number}", f"-DFORMAT_{upper}=2", *known]


_DT_NAMES = {
    "FLOAT": 0, "FLOAT16": 1, "INT8": 2, "INT32": 3, "UINT8": 4, "INT16": 6, "UINT16": 7, "UINT32": 8, "INT64": 9,
    "UINT64": 10, "DOUBLE": 11, "BOOL": 12, "BF16": 27,
}  # fmt: skip


def _environment(options: argparse.Namespace, report: Path, folder: Path) -> dict[str, str]:
    variables = {"AVO_SIM_REPORT": str(report), "AVO_SIM_SUMMARY": "0"}
    if options.on_fault:
        variables["AVO_SIM_ON_FAULT"] = options.on_fault
    if options.suppressions:
        variables["AVO_SIM_SUPPRESSIONS"] = str(Path(options.suppressions).resolve())
    if options.html:
        (folder / "timeline").mkdir()
        variables["AVO_SIM_TIMELINE"] = str(folder / "timeline")
    if options.soc:
        variables["AVO_SIM_SOC"] = options.soc
    return os.environ | variables


def _judged(options: argparse.Namespace, report: Path, folder: Path) -> int:
    """Prints what the judges found and writes the files that were asked for. Gives 1 where there is an error."""
    from ascend_vision_ops.testing import judgements

    launches = judgements.read(report) if report.is_file() else []
    if launches:
        from rich.console import Console

        judgements.print_summary(launches, Console(stderr=True, highlight=False))
    else:
        print("avo: the program launched no kernel", file=sys.stderr)
    if options.junit:
        judgements.write_junit(launches, Path(options.junit))
    if options.html:
        from ascend_vision_ops.run_page import write_page

        known = report if report.is_file() else None
        write_page(folder / "timeline", known, Path(options.html), Path(options.files[0]).name)
    return judgements.exit_code(launches)


def _failure(error: CompileError) -> Failure:
    """What the compiler said, and then why there is no program."""
    sys.stderr.write(error.output)
    return Failure(str(error))
