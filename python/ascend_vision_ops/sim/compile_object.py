# SPDX-License-Identifier: Apache-2.0
"""The compiler of .asc sources that CMake calls, with the options of a C++ compiler and some of CANN's.

python -m ascend_vision_ops.sim.compile_object [OPTION …] -o OBJECT -c SOURCE
"""

from __future__ import annotations

import argparse
import sys
from pathlib import Path

from .compile import CompileError
from .program import Settings, compile_source

# What CANN's device compiler takes and g++ does not: the processor, how device code is linked, ordered and watched, and
# which g++ it takes libraries from.
_OF_CANN = (
    "--npu-arch", "--cce-", "-dc", "-xasc", "-xcce", "--run-mode", "--npu-soc", "--sanitizer", "--gcc-toolchain",
)  # fmt: skip


def main(argv: list[str] | None = None) -> int:
    """Compiles one source and returns 0, or 1 where it does not compile."""
    parser = argparse.ArgumentParser(prog="compile_object", allow_abbrev=False, description=main.__doc__)
    parser.add_argument("-o", dest="output", required=True, type=Path)
    parser.add_argument("-c", dest="source", required=True, type=Path)
    parser.add_argument("--ascend-headers")
    parser.add_argument("--launch-headers", type=Path)
    parser.add_argument("-MT")
    parser.add_argument("-MQ")
    parser.add_argument("-MF", dest="depends", type=Path)
    known, others = parser.parse_known_args(argv)
    words = [word for word in others if not word.startswith(_OF_CANN) and word != "-MD"]
    target = ("-MT", known.MT) if known.MT else ("-MQ", known.MQ or str(known.output))
    settings = Settings(
        tuple(words), known.ascend_headers or None, known.depends, target, known.launch_headers
    )
    try:
        compile_source(known.source, known.output, settings)
    except CompileError as error:
        sys.stderr.write(error.output or f"{error}\n")
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
