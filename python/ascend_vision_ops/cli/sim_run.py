# SPDX-License-Identifier: Apache-2.0
"""`avo sim run` and `avo sim build`: programs for CANN, with kernels and launches in them, on the simulated device."""

from __future__ import annotations

import argparse
import os
import subprocess
import sys
import tempfile
from pathlib import Path

from ascend_vision_ops import ascend_headers
from ascend_vision_ops.cli import Failure
from ascend_vision_ops.sim.compile import CompileError
from ascend_vision_ops.sim.operator_definition import DTYPES
from ascend_vision_ops.sim.program import Built, Settings, build, compile_source

# Who gets an option of -X; the others are those of the compiler alone.
_LINKER_ALONE = ("-l", "-L", "-Wl,", "-shared", "-static", "-rdynamic")
_BOTH = ("-f", "-m", "-pthread")


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
    files = [Path(file) for file in options.files]
    try:
        built = build(files, target, _settings(options), _link_words(options))
    except CompileError as error:
        raise _failure(error) from error
    if built.kernels and not built.launches:
        names = ", ".join(kernel.name for kernel in built.kernels)
        print(
            f"avo: nothing launches {names}: no source has {built.kernels[0].name}<<<…>>>(…)", file=sys.stderr
        )
    return built


def _link_words(options: argparse.Namespace) -> list[str]:
    return [word for word in options.compiler_options if word.startswith((*_LINKER_ALONE, *_BOTH))]


def _settings(options: argparse.Namespace) -> Settings:
    words = [f"-I{folder}" for folder in options.include]
    words += [f"-D{definition}" for definition in options.define]
    for entry in options.dtype:
        words += _dtype_macros(entry)
    # CANN's headers define these themselves: those of 8.1 as macros, those of 9.x as enumerators of programs.
    if options.dtype and not (options.ascend_headers or os.environ.get(ascend_headers.VARIABLE)):
        words += [f"-DDT_{one.name}={one.number}" for one in DTYPES.values()]
    words += [word for word in options.compiler_options if not word.startswith(_LINKER_ALONE)]
    return Settings(tuple(words), options.ascend_headers)


def _dtype_macros(entry: str) -> list[str]:
    """The macros that CANN defines for a tensor of an operator: DTYPE_X, ORIG_DTYPE_X and FORMAT_X."""
    name, _, given = entry.partition("=")
    by_name = {dtype.numpy.name: dtype for dtype in DTYPES.values()}
    if not name.isidentifier() or given not in by_name:
        raise Failure(f"--dtype: expected NAME=DTYPE with one of {', '.join(by_name)}, got {entry}")
    dtype, upper = by_name[given], name.upper()
    return [f"-DDTYPE_{upper}={dtype.kernel}", f"-DORIG_DTYPE_{upper}={dtype.number}", f"-DFORMAT_{upper}=2"]


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
