# SPDX-License-Identifier: Apache-2.0
"""Compiles kernels against the headers that AVO_ASCEND_HEADERS names, and prints the list of the libraries.

python -m ascend_vision_ops.ascend_headers [OP…]
"""

from __future__ import annotations

import sys

from ascend_vision_ops.ascend_headers import VARIABLE, HeadersError, prepare


def main(operators: list[str]) -> int:
    try:
        listed = prepare(operators or None)
    except HeadersError as error:
        print(f"ascend_headers: {error}", file=sys.stderr)
        return 1
    if not listed:
        print(
            f"ascend_headers: {VARIABLE} is not set, it names a folder with CANN's headers", file=sys.stderr
        )
        return 2
    print(listed)
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
