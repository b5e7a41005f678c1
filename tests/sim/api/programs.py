# SPDX-License-Identifier: Apache-2.0
"""Compiles sim_api against CANN's own headers: a program for each kind of core, as CANN compiles kernels."""

from __future__ import annotations

import os
import subprocess
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

from ascend_vision_ops.ascend_headers import compiler, roots
from ascend_vision_ops.paths import library_dir

HERE = Path(__file__).parent


def compile_all(folder: str, factory) -> list[Path]:
    """The programs for vector and for cube cores."""
    headers = roots.find(folder)
    chosen = compiler.choose(headers)
    into = factory.mktemp("sim_api")
    sources = [HERE / "main.cpp", *sorted(HERE.glob("cases_*.cpp"))]
    jobs = [(side, source) for side in compiler.SIDES for source in sources]

    def compile_one(job: tuple[str, Path]) -> Path:
        side, source = job
        target = into / f"{source.stem}.{side}.o"
        run(
            *chosen.command,
            "-DSIM_CANN_HEADERS",
            *compiler.SIDES[side],
            "-c",
            str(source),
            "-o",
            str(target),
        )
        return target

    with ThreadPoolExecutor(os.cpu_count()) as pool:
        objects = list(pool.map(compile_one, jobs))
    programs = []
    for side in compiler.SIDES:
        programs.append(into / side)
        own = [str(target) for target in objects if target.name.endswith(f".{side}.o")]
        # Headers of the high-level API define functions that are not inline.
        libraries = ("-Wl,-z,muldefs", f"-L{library_dir()}", "-lascendc_sim", f"-Wl,-rpath,{library_dir()}")
        run(chosen.command[0], *own, *libraries, "-o", str(programs[-1]))
    return programs


def run(*command: str) -> None:
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
