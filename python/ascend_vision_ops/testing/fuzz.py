# SPDX-License-Identifier: Apache-2.0
"""`./build.sh fuzz`: random calls of the CPU kernels for a bounded time, judged as the tests judge their cases.

Shapes and attributes are drawn from the case file's `strategy()` and its cases; then dtypes, layouts of inputs and
results, and values of the kinds that the case file gives an input anywhere.
"""

from __future__ import annotations

import argparse
import dataclasses
import os
import random
import signal
import sys
import tempfile
import time
import traceback
from collections.abc import Callable, Iterator
from contextlib import contextmanager

import hypothesis
from hypothesis import strategies as st
from rich.progress import BarColumn, Progress, TextColumn, TimeRemainingColumn

from ascend_vision_ops import operators
from ascend_vision_ops.cli.call import known
from ascend_vision_ops.testing.cases import LAYOUTS, VALUES, Array, BoundCase, Case, cases_module
from ascend_vision_ops.testing.run import cases_of, combinations_of, judge, rerun_line, spec_of

BATCH = 20  # calls between looks at the clock that hypothesis draws from one seed
SHRINKING = 20.0  # seconds at most to make a failing call smaller
LARGEST = 20_000  # elements of a case that calls are made from
RESULTS = ("", *(layout for layout in LAYOUTS if layout != "broadcast"))  # whose elements share memory


@dataclasses.dataclass
class Outcome:
    """What calls of one operator came to: how many, and the smallest that is wrong, with what is wrong."""

    operator: str
    calls: int = 0
    wrong: BoundCase | None = None
    message: str = ""
    seed: int = 0


def _elements(case: Case) -> int:
    from math import prod

    return sum(prod(value.shape) for value in case.args.values() if isinstance(value, Array))


def calls(operator: str) -> st.SearchStrategy[BoundCase]:
    """Calls of an operator."""
    spec, module = spec_of(operator), cases_module(operator)
    cases = list({bound.case.id: bound.case for bound in cases_of(operator)}.values())
    small = [case for case in cases if _elements(case) <= LARGEST]
    # Values that mean something to the operator: each kind that its cases give an input.
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
            # What a file's own generator makes may have to go with another input: not the first slice again and again.
            layouts = [layout for layout in LAYOUTS if plain or layout != "broadcast"]
            args[name] = Array(*value.shape, values=values, layout=draw(st.sampled_from(layouts)))
        chosen = {name: dtype for name, dtype in dtypes.items() if name in spec.outputs or name in args}
        given_arrays = {n: d for n, d in chosen.items() if n in spec.outputs or isinstance(args[n], Array)}
        return BoundCase(operator, Case("fuzz", args, out=draw(st.sampled_from(RESULTS))), given_arrays)

    return call()


def wrong_with(case: BoundCase) -> str:
    """What is wrong with a call, empty where nothing is."""
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
    """Calls an operator until the time is over, `most` calls are made, or one is wrong; that is then made smaller.

    begin: is told of each call before it is made.
    tell: is called after each that is right.
    """
    outcome, strategy = Outcome(operator), calls(operator)
    end = time.monotonic() + seconds  # from now: some case files take seconds to load, for they import torch
    # Hypothesis runs a seed's calls in one go; a batch that the clock cuts short costs nothing.
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
            # A sanitizer tells of a place once: made again, the call seems right, which hypothesis calls flaky.
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
    """Called with each outcome: a bar on a terminal, nothing in a pipe."""
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
    """Fuzzes operators one after the other, says how each went, and gives the number of those that failed."""
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


def survives(work: Callable[[Callable[[BoundCase], None]], int]) -> int:
    """What `work` gives, done in a process of its own; 1 where that dies, and the call that it died of is printed."""
    with tempfile.TemporaryFile("w+") as note:

        def begin(case: BoundCase) -> None:
            note.seek(0)
            note.write(rerun_line(case, "cpu"))
            note.truncate()
            note.flush()

        sys.stdout.flush()
        child = os.fork()
        if child == 0:
            status = 1
            try:
                status = work(begin)
            except BaseException:
                traceback.print_exc()
            sys.stdout.flush()
            os._exit(min(status, 100))
        ended = os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])
        if ended < 0:
            note.seek(0)
            print(f"died with {signal.Signals(-ended).name} in\n  {note.read()}", flush=True)
            return 1
        return ended


def main(arguments: list[str] | None = None) -> int:
    parser = argparse.ArgumentParser(
        prog="./build.sh fuzz --",
        description="Random calls of the CPU kernels, with every instruction set, on one thread and on all, against "
        "the reference. Status 1 where one is wrong; it is printed as the line that makes it again.",
    )
    parser.add_argument("operator", nargs="?", help="all of them by default")
    parser.add_argument("--seconds", type=float, default=60.0, help="for all operators together (60)")
    parser.add_argument("--seed", type=int, help="the same calls as another run, as far as the time goes")
    options = parser.parse_args(arguments)
    names = [known(options.operator)] if options.operator else operators()
    names = [name for name in names if not spec_of(name).composite]
    if not names:
        parser.error(f"{options.operator} has no kernel of its own, but calls other operators: fuzz these")
    seed = random.randrange(2**31) if options.seed is None else options.seed
    print(f"seed {seed}, {options.seconds:g} s for {len(names)} operators", flush=True)
    failed = survives(lambda begin: fuzz_all(names, options.seconds, seed, begin))
    print(f"{failed} of {len(names)} operators failed" if failed else "no fault found")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
