# SPDX-License-Identifier: Apache-2.0
"""`avo list`, `avo tiling`, `avo config`, `avo new`."""

from __future__ import annotations

import argparse
from shlex import quote

from ascend_vision_ops import ascend_headers, operators, paths
from ascend_vision_ops.cli import Failure
from ascend_vision_ops.cli.call import call_of
from ascend_vision_ops.tables import console, table
from ascend_vision_ops.testing.cases import Array
from ascend_vision_ops.testing.run import TARGETS, missing, spec_of


def run_list(options: argparse.Namespace) -> int:
    rows = table("operator", "dtypes", "aclnn", "what it does")
    for name in operators():
        spec = spec_of(name)
        dtypes = ", ".join(dict.fromkeys(dtype for names in spec.dtypes.values() for dtype in names))
        rows.add_row(name, dtypes, spec.reached_by(), spec.summary)
    out = console()
    out.print(rows)
    out.print()
    targets = table("target", "here", "what runs")
    for target, text in TARGETS.items():
        targets.add_row(target, missing(target) or "yes", text)
    out.print(targets)
    return 0


def run_tiling(options: argparse.Namespace) -> int:
    from ascend_vision_ops import tiling

    case = call_of(options)
    spec = spec_of(case.operator)
    if spec.composite:
        raise Failure(
            f"{case.operator} has no tiling of its own, because it calls {spec.composite}; see the tiling of that"
        )
    # The tiling sees only shapes and dtypes, so the arrays are described and not made.
    arguments = {
        name: (value.shape, case.dtypes[name]) if isinstance(value, Array) else value
        for name, value in case.case.args.items()
    }
    plan = getattr(tiling, case.operator)(
        **arguments, soc=options.soc, cores=options.cores, ub_bytes=options.ub
    )
    out = console()
    out.print(case.text)
    for name, value in plan.items():
        if not isinstance(value, (dict, list)):
            out.print(f"{name} = {value}")
    rows = table("field", ">value", "meaning")
    for field in plan["fields"]:
        rows.add_row(field["name"], str(field["value"]), field.get("comment", ""))
    out.print(rows)
    return 0


def run_config(options: argparse.Namespace) -> int:
    include, libraries = paths.include_dir(), paths.library_dir()
    parts = []
    if options.cflags:
        parts.append(f"-I{quote(str(include))}")
    if options.libs:
        folder = quote(str(libraries))
        parts.append(f"-L{folder} -Wl,-rpath,{folder} -lcust_opapi -lascendcl -lnnopbase")
    if options.includedir:
        parts.append(str(include))
    if options.libdir:
        parts.append(str(libraries))
    if options.cmakedir:
        parts.append(str(paths.cmake_dir()))
    if options.kernels:
        if not (listed := ascend_headers.prepare()):
            raise Failure(
                "config --kernels: expected --ascend-headers DIR, or AVO_ASCEND_HEADERS in the environment"
            )
        parts.append(listed)
    if options.onnxruntime:
        parts.append(str(paths.onnxruntime_library()))
    if not parts:
        raise Failure("config: expected what to print, such as --cflags --libs, got no option")
    if not libraries.is_dir():
        raise Failure(f"the libraries are not built: there is no folder {libraries}")
    print(" ".join(parts))
    return 0


def run_new(options: argparse.Namespace) -> int:
    from ascend_vision_ops.opgen.__main__ import main

    command = ["new", options.schema, "--family", options.family, "--root", options.root]
    command += [f"--shape={shape}" for shape in options.shape]
    return main(command + [f"--dtype={dtype}" for dtype in options.dtype])
