# SPDX-License-Identifier: Apache-2.0
"""`python -m ascend_vision_ops.opgen`: render, check, list and new."""

from __future__ import annotations

import argparse
import sys
from pathlib import Path

from .load import SpecError, load_specs
from .render import TARGETS, write_files

ROOT = Path(__file__).resolve().parents[3]


def render(arguments: argparse.Namespace) -> int:
    """Writes the generated files of one target."""
    unfinished: list[str] = []
    specs = load_specs(arguments.root, unfinished)
    for name in unfinished:
        print(f"opgen: {name} left out: op_kernel/{name}_tiling.h is not there yet")
    out = arguments.out or arguments.root / "build" / arguments.target / "gen"
    result = write_files(out, TARGETS[arguments.target](specs, arguments.root))
    print(
        f"opgen: {len(specs)} operators, {len(result.written)} files written, {len(result.unchanged)} unchanged, "
        f"{len(result.removed)} removed"
    )
    return 0


def check(arguments: argparse.Namespace) -> int:
    """Validates every contract."""
    specs = load_specs(arguments.root)
    print(f"opgen: {len(specs)} contracts are valid")
    return 0


def main(argv: list[str] | None = None) -> int:
    parser = argparse.ArgumentParser(prog="opgen", description="Code generation from operator contracts.")
    parser.add_argument("--root", type=Path, default=ROOT, help="source tree (default: the one this module is in)")
    commands = parser.add_subparsers(required=True, metavar="COMMAND")

    def command(function, name: str) -> argparse.ArgumentParser:
        sub = commands.add_parser(name, help=function.__doc__, description=function.__doc__)
        sub.add_argument("--root", type=Path, default=argparse.SUPPRESS, help=argparse.SUPPRESS)
        sub.set_defaults(run=function)
        return sub

    sub = command(render, "render")
    sub.add_argument("--target", choices=sorted(TARGETS), default="sim")
    sub.add_argument("--out", type=Path, help="output folder (default: build/<target>/gen)")
    command(check, "check")
    arguments = parser.parse_args(argv)
    arguments.root = arguments.root.resolve()
    try:
        return arguments.run(arguments)
    except SpecError as error:
        print(error, file=sys.stderr)
        return 1


if __name__ == "__main__":
    sys.exit(main())
