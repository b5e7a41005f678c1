# SPDX-License-Identifier: Apache-2.0
"""`./build.sh fuzz`: calls the CPU kernels at random for a limited time, and compares them as the tests do.

Shapes and attributes come from the case file: from its `strategy()` and from its cases. Dtypes, layouts of inputs and
results, and values are then drawn; an input gets only kinds of values that some case of the file gives it.
"""

from __future__ import annotations

import argparse
import dataclasses
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager

import hypothesis
from hypothesis import strategies as st
from rich.progress import BarColumn, Progress, TextColumn, TimeRemainingColumn

from ascend_vision_ops.testing.cases import LAYOUTS, VALUES, Array, BoundCase, Case, cases_module
from ascend_vision_ops.testing.random_runs import add_length, add_operator, operators_of, seed_of, survives
from ascend_vision_ops.testing.run import cases_of, combinations_of, judge, rerun_line, spec_of

BATCH = 20  # calls that hypothesis draws from one seed; the clock is read after them
SHRINKING = 20.0  # most seconds for making a failing call smaller
LARGEST = 20_000  # most elements of a case that calls are made from
# Layouts of results. The elements of a broadcast array share memory, so it cannot be a result.
RESULTS = ("", *(layout for layout in LAYOUTS if layout != "broadcast"))


@dataclasses.dataclass
class Outcome:
    """What fuzzing one operator has found.

    calls: the number of calls.
    wrong: the smallest call that is wrong, None if all are right.
    message: says what is wrong with it.
    seed: the seed that the last calls were drawn from.
    """

    operator: str
    calls: int = 0
    wrong: BoundCase | None = None
    message: str = ""
    seed: int = 0


def _elements(case: Case) -> int:
    from math import prod

    return sum(prod(value.shape) for value in case.args.values() if isinstance(value, Array))


def calls(operator: str) -> st.SearchStrategy[BoundCase]:
    """Makes a strategy that draws calls of an operator."""
    spec, module = spec_of(operator), cases_module(operator)
    cases = list({bound.case.id: bound.case for bound in cases_of(operator)}.values())
    small = [case for case in cases if _elements(case) <= LARGEST]
    # For each input, the kinds of values that the cases give it, which mean something to the operator.
    kinds: dict[str, list[str]] = {}
    for case in cases:
        for name, value in case.args.items():
            if isinstance(value, Array) and value.values in VALUES:
                kinds.setdefault(name, sorted({*kinds.get(name, []), value.values}))
    given = st.sampled_from(small)
    if hasattr(module, "strategy"):
        given = st.one_of(given, module.strategy().map(lambda args: Case("random", args)))

    @st.composite
    def call(draw) -> BoundCase:
        case = draw(given)
        first = next(name for name, value in case.args.items() if isinstance(value, Array))
        fitting = [c for c in combinations_of(spec) if not case.dtypes or c[first] in case.dtypes]
        dtypes, args = draw(st.sampled_from(fitting)), dict(case.args)
        for name, value in case.args.items():
            if not isinstance(value, Array):
                continue
            plain = value.values in VALUES
            values = value.values if plain else value.generator
            if plain and "float" in dtypes[name] and not case.dtypes:
                values = draw(st.sampled_from(kinds[name]))
            # Values of the file's own generators may have to fit another input, which a repeated first slice would not.
            layouts = [layout for layout in LAYOUTS if plain or layout != "broadcast"]
            args[name] = Array(*value.shape, values=values, layout=draw(st.sampled_from(layouts)))
        chosen = {name: dtype for name, dtype in dtypes.items() if name in spec.outputs or name in args}
        given_arrays = {n: d for n, d in chosen.items() if n in spec.outputs or isinstance(args[n], Array)}
        return BoundCase(operator, Case("fuzz", args, out=draw(st.sampled_from(RESULTS))), given_arrays)

    return call()


def draw(operator: str, count: int, seed: int) -> list[BoundCase]:
    """Draws calls of an operator, always the same ones for a seed."""
    drawn: list[BoundCase] = []

    def keep(case: BoundCase) -> None:
        drawn.append(case)

    settings = hypothesis.settings(
        max_examples=count, deadline=None, database=None, phases=[hypothesis.Phase.generate],
        suppress_health_check=list(hypothesis.HealthCheck),
    )  # fmt: skip
    hypothesis.seed(seed)(settings(hypothesis.given(case=calls(operator))(keep)))()
    return drawn


def wrong_with(case: BoundCase) -> str:
    """Says what is wrong with a call; empty if it is right."""
    verdicts = judge(case, "cpu").items()
    return "; ".join(f"{name}: {verdict.message}" for name, verdict in verdicts if not verdict.ok)


def fuzz(
    operator: str,
    *,
    seconds: float = float("inf"),
    most: int = sys.maxsize,
    seed: int = 0,
    begin: Callable[[BoundCase], None] = lambda case: None,
    tell: Callable[[Outcome], None] = lambda outcome: None,
) -> Outcome:
    """Calls an operator until the time is over, `most` calls are made, or a call is wrong.

    A wrong call is made smaller before the function returns.

    begin: is called with each call before it is made.
    tell: is called with the outcome so far after each call that is right.
    """
    outcome, strategy = Outcome(operator), calls(operator)
    # The time starts here, because loading a case file may take seconds: some import torch.
    end = time.monotonic() + seconds
    # Hypothesis runs all calls of a seed in one go. After the end of the time, the remaining calls return at once.
    settings = hypothesis.settings(
        max_examples=BATCH, deadline=None, database=None, report_multiple_bugs=False, print_blob=False,
        phases=[hypothesis.Phase.generate, hypothesis.Phase.shrink], verbosity=hypothesis.Verbosity.quiet,
        suppress_health_check=list(hypothesis.HealthCheck),
    )  # fmt: skip

    def over() -> bool:
        return time.monotonic() >= end or outcome.calls >= most

    def agree(case: BoundCase) -> None:
        nonlocal end
        if outcome.wrong is None and over():
            return
        if outcome.wrong is not None and time.monotonic() >= end:
            if case.text == outcome.wrong.text:
                raise AssertionError(outcome.message)
            return
        outcome.calls += 1
        begin(case)
        message = wrong_with(case)
        if message and outcome.wrong is None:
            end = time.monotonic() + SHRINKING
        if message:
            outcome.wrong, outcome.message = case, message
            raise AssertionError(message)
        tell(outcome)

    for outcome.seed in _seeds(seed):
        if over():
            break
        try:
            hypothesis.seed(outcome.seed)(settings(hypothesis.given(case=strategy)(agree)))()
        except Exception:
            # A sanitizer reports a place only once. When hypothesis repeats the call, it seems right, which hypothesis
            # calls flaky.
            if outcome.wrong is None:
                raise
            break
    return outcome


def _seeds(first: int) -> Iterator[int]:
    while True:
        yield first
        first += 1


@contextmanager
def _progress(seconds: float):
    """Yields a function that shows an outcome: as a bar on a terminal, and not at all in a pipe."""
    if not sys.stdout.isatty():
        yield lambda outcome: None
        return
    columns = (TextColumn("{task.description}"), BarColumn(), TimeRemainingColumn())
    with Progress(*columns, transient=True) as progress:
        task, begin = progress.add_task("fuzz", total=seconds), time.monotonic()

        def show(outcome: Outcome) -> None:
            text = f"{outcome.operator}: {outcome.calls} calls"
            progress.update(task, completed=time.monotonic() - begin, description=text)

        yield show


def fuzz_all(names: list[str], seconds: float, seed: int, begin: Callable[[BoundCase], None]) -> int:
    """Fuzzes operators one after the other and prints how each went; returns the number of operators that failed."""
    failed, end = 0, time.monotonic() + seconds
    with _progress(seconds) as tell:
        for index, name in enumerate(names):
            share = (end - time.monotonic()) / (len(names) - index)
            outcome = fuzz(name, seconds=share, seed=seed, begin=begin, tell=tell)
            if outcome.wrong is None:
                print(f"{name}: {outcome.calls} calls, all right", flush=True)
                continue
            failed += 1
            print(f"{name}: wrong after {outcome.calls} calls, with seed {outcome.seed}: {outcome.message}")
            print(f"  {rerun_line(outcome.wrong, 'cpu')}", flush=True)
    return failed


def main(arguments: list[str] | None = None) -> int:
    parser = argparse.ArgumentParser(
        prog="./build.sh fuzz --",
        description="Random calls of the CPU kernels, with every instruction set, on one thread and on all, against "
        "the reference. Status 1 where one is wrong; it is printed as the line that makes it again.",
    )
    add_operator(parser)
    add_length(parser, "calls")
    options = parser.parse_args(arguments)
    names, seed = operators_of(parser, options.operator), seed_of(options)
    print(f"seed {seed}, {options.seconds:g} s for {len(names)} operators", flush=True)
    failed = survives(
        lambda begin: fuzz_all(names, options.seconds, seed, begin), lambda case: rerun_line(case, "cpu")
    )
    print(f"{failed} of {len(names)} operators failed" if failed else "no fault found")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
