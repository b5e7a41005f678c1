# SPDX-License-Identifier: Apache-2.0
"""Workloads that nobody listed: calls that the strategies and cases of the tests give, made larger at random.

A drawn workload is a line as the tests print it, which makes the same call again: argmax(self=f32[64,4000],dim=1).
"""

from __future__ import annotations

import math
import random
from collections import Counter
from collections.abc import Callable
from dataclasses import replace

import hypothesis

from ascend_vision_ops import ops
from ascend_vision_ops.testing import Array, fuzz
from ascend_vision_ops.testing.cases import VALUES, BoundCase, parse_case
from ascend_vision_ops.testing.run import as_tuple, to_torch
from benchmarks.report import Row
from benchmarks.workload import Workload, module_of, operators

# Elements of arguments and results together: the fewest and the most, as powers of two. Fewer measure what a call
# costs, which `bench overhead` does. A module of workloads may have other bounds under this name.
ELEMENTS = (17, 22)
TRIES = 40  # draws for each workload that is wanted, of which many have no peers or no elements
# Milliseconds of a contestant's turn, and seconds for all rounds of a workload.
TURN, BUDGET = 8, 0.4
# A workload counts as behind where ours takes longer than its best peer by more than this share, in two runs.
ALLOWANCE = 0.05
# Where the best peer takes fewer seconds, the way from Python to our kernel is much of our time: 3 to 5 us (`bench
# overhead`).
SHORT = 15e-6
# Layouts that a network has; other layouts become dense.
KEPT = ("channels_last",)


def drawable() -> list[str]:
    """Gives the operators whose workloads can be drawn: those whose module has contestants for any call."""
    return [name for name in operators() if hasattr(module_of(name), "contestants")]


def drawn(count: int, seed: int, names: list[str] | None = None) -> list[str]:
    """Draws different workloads, each operator about as often as the others. Equal seeds give equal lines."""
    names = names or drawable()
    lines: list[str] = []
    for place, name in enumerate(names):
        share = count // len(names) + (place < count % len(names))
        generator = random.Random(f"{seed} {name}")
        found: list[str] = []
        cases = _calls(name, share, seed)
        generator.shuffle(cases)  # hypothesis begins with the simplest
        for case in cases:
            if len(found) == share:
                break
            line = _larger(case, generator)
            if line and line not in found:
                found.append(line)
        lines += found
    return lines


def _calls(operator: str, share: int, seed: int) -> list[BoundCase]:
    """Draws calls as `./build.sh fuzz` does, of the same size as in tests."""
    cases: list[BoundCase] = []
    settings = hypothesis.settings(
        max_examples=TRIES * share, deadline=None, database=None, phases=[hypothesis.Phase.generate],
        verbosity=hypothesis.Verbosity.quiet, suppress_health_check=list(hypothesis.HealthCheck),
    )  # fmt: skip

    def keep(case: BoundCase) -> None:
        cases.append(case)

    if share:
        hypothesis.seed(seed)(settings(hypothesis.given(case=fuzz.calls(operator))(keep)))()
    return cases


def workload(line: str) -> tuple[str, Workload]:
    """Makes the operator and the workload of a line. Equal lines give equal values."""
    case = parse_case(line)
    arguments = tensors(case)
    found = module_of(case.operator).contestants(**arguments)
    return case.operator, Workload(line.partition("(")[2].removesuffix(")"), arguments, found, limit="")


def tensors(case: BoundCase) -> dict[str, object]:
    import numpy as np

    made = case.arguments()
    return {name: to_torch(value) if isinstance(value, np.ndarray) else value for name, value in made.items()}


def kind_of(line: str) -> str:
    """Says what class of workloads a line belongs to: operator, dtype, and how its sizes are made."""
    case = parse_case(line)
    first = next(value for value in case.case.args.values() if isinstance(value, Array))
    longest = max(range(len(first.shape)), key=lambda axis: first.shape[axis], default=0)
    dtype = next(iter(case.dtypes.values()))
    flags = [
        f"{name} {value}" for name, value in case.case.args.items()
        if isinstance(value, (bool, str)) or name in ("dim", "mode", "interpolation_mode")
    ]  # fmt: skip
    where = f"{len(first.shape)}-d, longest dim {longest}"
    return ", ".join([case.operator, str(dtype), where, *flags])


def _larger(case: BoundCase, generator: random.Random) -> str:
    """Makes a call larger; returns its line, or '' for a call that has no elements or no peers."""
    args = dict(case.case.args)
    for name, value in args.items():
        if isinstance(value, Array):
            if not math.prod(value.shape):
                return ""
            args[name] = _array(value, value.shape)
    dtypes = {name: dtype for name, dtype in case.dtypes.items() if name in args}
    made = BoundCase(case.operator, replace(case.case, args=args, out=""), dtypes)
    if not module_of(case.operator).contestants(**tensors(made)):
        return ""
    fewest, most = getattr(module_of(case.operator), "ELEMENTS", ELEMENTS)
    wanted = int(2 ** generator.uniform(fewest, most))
    axes = _axes(made)
    while axes and (elements := _elements(made)) < wanted / 2:
        group = generator.choice(axes)
        factor = min(generator.randint(2, 16), math.ceil(wanted / elements))
        beside = generator.randrange(factor) if len(group) == 1 and factor > 2 else 0
        larger = _grown(made, group, factor, beside)
        try:
            if _elements(larger) > 2 ** (most + 1):
                break
        except RuntimeError:  # the contract refuses it: `scales` fits only some lengths
            break
        made = larger
    return made.text if _elements(made) >= 2 ** (fewest - 1) else ""


def _axes(case: BoundCase) -> list[list[tuple[str, int]]]:
    """Gives the axes that may have any length: groups of (argument, axis) that become longer together."""
    module = module_of(case.operator)
    if hasattr(module, "GROWS"):
        return module.GROWS
    name, first = next((name, value) for name, value in case.case.args.items() if isinstance(value, Array))
    return [[(name, axis)] for axis in range(len(first.shape))]


def _grown(case: BoundCase, group: list[tuple[str, int]], factor: int, beside: int) -> BoundCase:
    args = dict(case.case.args)
    for name, axis in group:
        value = args[name]
        shape = list(value.shape if isinstance(value, Array) else value)
        shape[axis] = shape[axis] * factor + beside
        args[name] = _array(value, shape) if isinstance(value, Array) else shape
    return replace(case, case=replace(case.case, args=args))


def _array(like: Array, shape) -> Array:
    """Gives an array with values of the same kind, ordinary ones in the place of extreme ones, in a usual layout."""
    values = like.values if like.values in VALUES else like.generator
    values = "normal" if values in ("special", "constant") else values
    return Array(*shape, values=values, layout=like.layout if like.layout in KEPT else "dense")


def _elements(case: BoundCase) -> int:
    """Counts the elements of arguments and results, without computing these."""
    import torch

    args = {
        name: torch.empty(value.shape, dtype=getattr(torch, case.dtypes[name]), device="meta")
        if isinstance(value, Array)
        else value
        for name, value in case.case.args.items()
    }
    arrays = (*args.values(), *as_tuple(getattr(ops, case.operator)(**args)))
    return sum(value.numel() for value in arrays if isinstance(value, torch.Tensor))


def behind(lines: list[str], rows_of: Callable[[list[str]], list[Row]]) -> tuple[list[Row], list[Row]]:
    """Gives the rows of all workloads, and of those that are behind a peer, the worst first.

    rows_of: measures lines. A row that is behind is measured again, and the better one counts.
    """
    rows = dict(zip(lines, rows_of(lines), strict=True))
    slow = [line for line, row in rows.items() if _slow(row)]
    for line, row in zip(slow, rows_of(slow), strict=True) if slow else ():
        rows[line] = max(rows[line], row, key=lambda each: each.ratio)
    return list(rows.values()), sorted(filter(_slow, rows.values()), key=lambda row: row.ratio)


def _slow(row: Row) -> bool:
    return 0 < row.ratio < 1 - ALLOWANCE


def reason(row: Row) -> str:
    """Says what besides our kernel can put a workload behind, or ''. It is no proof that the kernel is fast."""
    if row.handed and not 0 < row.equal_ratio < 1 - ALLOWANCE:
        return f"{row.best} is handed {row.handed}"
    return f"{row.best} takes less than {1e6 * SHORT:.0f} us" if row.best_seconds < SHORT else ""


def summary(lines: list[str], rows: list[Row], slow: list[Row]) -> list[str]:
    """Says how many workloads are behind and by which reasons, of all operators and of each that has some."""
    compared = [row.ratio for row in rows if row.ratio]
    if not compared:
        return ["no peer could be compared"]
    mean = math.exp(sum(map(math.log, compared)) / len(compared))
    text = [
        f"{len(lines)} drawn, {len(compared)} with a peer: {len(slow)} behind by more than {ALLOWANCE:.0%} "
        f"({len(slow) / len(compared):.1%}); geometric mean of all ratios {mean:.2f} x"
    ]
    reasons = Counter(map(reason, slow))
    others = reasons.pop("", 0)
    text += [f"of these {count} where {why}" for why, count in reasons.most_common()]
    if reasons:
        text.append(f"and {others} others ({others / len(compared):.1%})")
    for operator in dict.fromkeys(row.operator for row in slow):
        own = [row for row in rows if row.operator == operator and row.ratio]
        text.append(f"{operator}: {sum(row.operator == operator for row in slow)} of {len(own)} behind")
    return text
