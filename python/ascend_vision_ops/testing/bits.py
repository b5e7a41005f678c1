# SPDX-License-Identifier: Apache-2.0
"""Compares the results of CPU kernels bit by bit, from one instruction set of the processor to another.

`python -m ascend_vision_ops.testing.bits [OP]` prints a line for each operator.
"""

from __future__ import annotations

import itertools
import sys
from collections.abc import Iterator

import numpy as np

from ascend_vision_ops import operators
from ascend_vision_ops.testing.cases import BoundCase
from ascend_vision_ops.testing.compare import is_float
from ascend_vision_ops.testing.fuzz import draw
from ascend_vision_ops.testing.run import cases_of, run, spec_of


def cases(operator: str, every: int, drawn: int) -> Iterator[BoundCase]:
    """The calls of an operator that are compared: one of `every` of its case file, and random ones."""
    yield from cases_of(operator)[::every]
    yield from draw(operator, drawn, seed=1)


def _bits(result: np.ndarray) -> bytes:
    """The bytes of a result. A NaN has many patterns of bits, of which here it has always the same."""
    if is_float(result.dtype):
        result = np.where(np.isnan(result), result.dtype.type(np.nan), result)
    return result.tobytes()


def differing(case: BoundCase, targets: list[str]) -> list[tuple[str, str]]:
    """The pairs of instruction sets that give other bits in a call."""
    from ascend_vision_ops._native import processor

    found = []
    try:
        for target in targets:
            processor.use(target)
            results = run(case.operator, "cpu", case.arguments())
            found.append((target, [_bits(result) for result in results]))
    finally:
        processor.use(processor.targets()[0])
    return [(a, b) for (a, bits), (b, others) in itertools.combinations(found, 2) if bits != others]


def compared(operator: str, targets: list[str], every: int = 5, drawn: int = 60) -> tuple[int, dict]:
    """Counts the calls; gives, for each pair of instruction sets that differ, the calls in which they do."""
    total, found = 0, {}
    for case in cases(operator, every, drawn):
        total += 1
        for pair in differing(case, targets):
            found.setdefault(pair, []).append(case)
    return total, found


def main(names: list[str]) -> int:
    from ascend_vision_ops._native import processor

    targets = processor.targets()
    for name in names or [name for name in operators() if not spec_of(name).composite]:
        total, found = compared(name, targets)
        told = [
            f"{a} and {b} differ in {len(calls)}, as in {min((case.text for case in calls), key=len)}"
            for (a, b), calls in found.items()
        ]
        print(f"{name}: {total} calls: {'; '.join(told) or 'equal in ' + ', '.join(targets)}", flush=True)
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
