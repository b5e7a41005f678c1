# SPDX-License-Identifier: Apache-2.0
"""`python -m ascend_vision_ops.opgen`: render, check, check-headers, list and new."""

from __future__ import annotations

import argparse
import sys
import tempfile
from pathlib import Path

from . import headers
from .calls import unprovoked
from .load import SpecError, load_specs
from .model import with_own_names
from .render import TARGETS, only, write_files
from .scaffold import ScaffoldError, new_operator

ROOT = Path(__file__).resolve().parents[3]


def render(arguments: argparse.Namespace) -> int:
    """Writes the generated files of one target."""
    unfinished: list[str] = []
    specs = load_specs(arguments.root, unfinished)
    for name in unfinished:
        files = f"op_kernel/*/{name}_tiling.h, op_cpu/*/{name}.cpp or composite/{name}.py"
        print(f"opgen: {name} left out: what it is made of is not there yet ({files})")
    if arguments.only:
        specs = only(specs, arguments.only.split(";"))
    if arguments.own_names:
        specs = with_own_names(specs)
    out = arguments.out or arguments.root / "build" / arguments.target / "gen"
    result = write_files(out, TARGETS[arguments.target](specs, arguments.root))
    print(
        f"opgen: {len(specs)} operators, {len(result.written)} files written, {len(result.unchanged)} unchanged, "
        f"{len(result.removed)} removed"
    )
    return 0


def check(arguments: argparse.Namespace) -> int:
    """Validates every contract, and checks that the sweep of bad calls violates each of its conditions."""
    specs = load_specs(arguments.root)
    problems = [
        f"{spec.path.name}:1: require: expected `bad` values for `{check.expression.text}`, "
        "got none that the sweep finds by itself"
        for spec in specs
        for check in unprovoked(spec)
    ]
    if problems:
        raise SpecError(problems)
    print(f"opgen: {len(specs)} contracts are valid")
    return 0


def check_headers(arguments: argparse.Namespace) -> int:
    """Type-checks the npu project against the headers of a CANN toolkit."""
    if arguments.headers is None:
        print("opgen check-headers: skipped, no folder of CANN headers given (--ascend-headers DIR)")
        return 0
    with tempfile.TemporaryDirectory(prefix="avo-headers-") as folder:
        project = Path(folder)
        specs = load_specs(arguments.root)
        write_files(project, TARGETS["npu"](specs, arguments.root))
        simulator = arguments.root / "sim" / "ascendc"
        return headers.report(specs, project, arguments.headers.resolve(), simulator)


def show_list(arguments: argparse.Namespace) -> int:
    """Lists the operators with their dtypes and entry points."""
    for spec in load_specs(arguments.root, []):
        dtypes = "; ".join(f"{tensor}: {', '.join(names)}" for tensor, names in spec.dtypes.items())
        print(f"{spec.name}  {dtypes}  {spec.reached_by()}")
    return 0


def new(arguments: argparse.Namespace) -> int:
    """Writes the files of a new operator, as stubs that build and run."""
    written = new_operator(
        arguments.root, arguments.schema, arguments.family, arguments.shape, arguments.dtype
    )
    for path in written:
        print(path.relative_to(arguments.root))
    return 0


def new_options(sub: argparse.ArgumentParser) -> None:
    """Adds what `new` takes; `avo new` takes the same."""
    sub.add_argument(
        "schema",
        metavar="SCHEMA",
        help="the signature as torch writes it, such as 'box_iou(Tensor boxes1, Tensor boxes2) -> Tensor'; or the name "
        "of an operator that has a contract: then only the files that it lacks are written",
    )
    sub.add_argument(
        "--family",
        default="",
        help="the folder of the operators that it shares helpers with, such as boxes; it may be a new one",
    )
    shape = (
        "the dimensions of tensor NAME, or of the first tensor if there is no NAME; repeat it for each tensor "
        "(default: N,L for the first tensor, and its shape for all others)"
    )
    sub.add_argument("--shape", action="append", default=[], metavar="[NAME=]N,…", help=shape)
    dtype = (
        "the dtypes of tensor NAME, or of the first tensor if there is no NAME; or the tensor whose dtype it has "
        "(default: float32,float16,bfloat16 for the first tensor, and its dtype for all others)"
    )
    sub.add_argument("--dtype", action="append", default=[], metavar="[NAME=]A,…", help=dtype)


def main(argv: list[str] | None = None) -> int:
    parser = argparse.ArgumentParser(prog="opgen", description="Code generation from operator contracts.")
    parser.add_argument(
        "--root", type=Path, default=ROOT, help="source tree (default: the one this module is in)"
    )
    commands = parser.add_subparsers(required=True, metavar="COMMAND")

    def command(name: str, function) -> argparse.ArgumentParser:
        sub = commands.add_parser(name, help=function.__doc__, description=function.__doc__)
        sub.add_argument("--root", type=Path, default=argparse.SUPPRESS, help=argparse.SUPPRESS)
        sub.set_defaults(run=function)
        return sub

    sub = command("render", render)
    sub.add_argument("--target", choices=sorted(TARGETS), default="sim")
    sub.add_argument("--out", type=Path, help="output folder (default: build/<target>/gen)")
    sub.add_argument("--only", metavar="OP[;OP…]", help="operators to render (default: all)")
    own_names = "gives entry points that have a name of CANN's another one: aclnnVisionX for aclnnX"
    sub.add_argument("--own-names", action="store_true", help=own_names)
    command("check", check)
    sub = command("check-headers", check_headers)
    sub.add_argument("--ascend-headers", "--headers", dest="headers", type=Path, metavar="DIR")
    command("list", show_list)
    sub = command("new", new)
    new_options(sub)
    arguments = parser.parse_args(argv)
    arguments.root = arguments.root.resolve()
    try:
        return arguments.run(arguments)
    except (SpecError, ScaffoldError) as error:
        print(error, file=sys.stderr)
        return 1


if __name__ == "__main__":
    sys.exit(main())
