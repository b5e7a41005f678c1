# SPDX-License-Identifier: Apache-2.0
"""`./build.sh soak`: calls operators from many threads at a time, on a simulated device with little memory.

A round:

    draws calls ──▶ makes each one alone ──▶ threads make all of them, in any order ──▶ compares, looks at memory

A call must give the same bits as alone, or the error that says that device memory is used up. Behind each round all
device memory is free again. The memory of the process may grow by `GROWTH` after the first part of the time. A round
after which it has grown much is made again: what calls keep once, in the heap of each thread, is there then, while a
leak goes on.
"""

from __future__ import annotations

import argparse
import ctypes
import dataclasses
import gc
import os
import random
import sys
import threading
import time
from collections.abc import Iterator

import numpy as np

from ascend_vision_ops.paths import library_dir
from ascend_vision_ops.testing.cases import LAYOUTS, BoundCase, numpy_dtype
from ascend_vision_ops.testing.compare import POISON_BYTE, poisoned
from ascend_vision_ops.testing.fuzz import draw
from ascend_vision_ops.testing.random_runs import add_length, add_operator, operators_of, seed_of
from ascend_vision_ops.testing.run import rerun_line, run, spec_of, takes

MEMORY = 512 << 10  # bytes of the device, where the environment does not say AVO_SIM_MEMORY_BYTES
MOST = 256 << 10  # most bytes of the arguments of a call, so that it fits alone
OUT_OF_MEMORY = 207001  # ACL_ERROR_RT_MEMORY_ALLOCATION
DRAWN = 24  # calls of a round
TIMES = 8  # how often the threads make each of them
WARM_UP = 0.25  # the part of the time after which the memory of the process is first looked at
GROWTH = 64 << 20  # most bytes by which it may grow from then on
STEP = 4 << 20  # bytes by which a round may grow it without being made again
AGAIN = 16  # how often a round is made again at most
HANGING = 600.0  # seconds after which a round that does not end is a fault


@dataclasses.dataclass
class Outcome:
    """What a run has found.

    same: calls that gave the same bits as alone.
    refused: calls that device memory was used up for.
    faults: what is wrong, one text for each.
    grown: bytes by which the memory of the process grew behind the warm-up.
    """

    same: int = 0
    refused: int = 0
    rounds: int = 0
    grown: int = 0
    faults: list[str] = dataclasses.field(default_factory=list)


class OutOfMemory(Exception):
    """The device has not enough memory left for the call."""


@dataclasses.dataclass
class Known:
    """A call, and the bytes of its results when it was made alone; shapes: those of the results."""

    case: BoundCase
    shapes: list[tuple[int, ...]] = dataclasses.field(default_factory=list)
    results: list[bytes] = dataclasses.field(default_factory=list)


def small_calls(operator: str, count: int, seed: int) -> list[BoundCase]:
    """Draws calls of an operator that the device supports and whose arguments are small."""
    drawn = (case for case in draw(operator, count, seed) if takes("aclnn", case))
    return [case for case in drawn if _bytes(case.arguments().values()) <= MOST]


def _bytes(values) -> int:
    arrays = (value for value in values if isinstance(value, np.ndarray))
    return sum(array.nbytes for array in arrays)


def _views(known: Known) -> list[np.ndarray]:
    """Makes the poisoned results of a call in the layout and the dtypes that it asks for."""
    case, spec = known.case, spec_of(known.case.operator)
    layout = LAYOUTS[case.case.out or "dense"]
    dtypes = [numpy_dtype(spec.dtype_of(name, case.dtypes)) for name in spec.outputs]
    return [layout(poisoned(shape, dtype)) for shape, dtype in zip(known.shapes, dtypes, strict=True)]


def make(known: Known) -> list[bytes]:
    """Makes a call and returns the bytes of its results. Raises OutOfMemory, with results untouched."""
    arguments, views = known.case.arguments(), []
    if known.shapes:
        views = _views(known)
        arguments["out"] = tuple(views) if len(views) > 1 else views[0]
    try:
        results = run(known.case.operator, "aclnn", arguments)
    except RuntimeError as error:
        if getattr(error, "code", None) != OUT_OF_MEMORY:
            raise
        if any((np.ascontiguousarray(view).view(np.uint8) != POISON_BYTE).any() for view in views):
            raise AssertionError("a call without memory wrote results") from None
        raise OutOfMemory from None
    known.shapes = known.shapes or [result.shape for result in results]
    return [result.tobytes() for result in results]


def alone(case: BoundCase) -> Known | None:
    """Makes a call alone; returns None where even then the device's memory is not enough."""
    known = Known(case)
    try:
        make(known)  # to learn the shapes
        known.results = make(known)
    except OutOfMemory:
        return None
    return known


def device_memory() -> int:
    """Returns how many bytes of the device's memory are allocated."""
    runtime = ctypes.CDLL(str(library_dir() / "libascendcl.so"))
    free, total = ctypes.c_size_t(), ctypes.c_size_t()
    if status := runtime.aclrtGetMemInfo(1, ctypes.byref(free), ctypes.byref(total)):
        raise RuntimeError(f"aclrtGetMemInfo returns {status}")
    return total.value - free.value


def process_memory() -> int:
    """Returns the bytes of memory that the process has, without what it keeps only for later use."""
    gc.collect()
    ctypes.CDLL(None).malloc_trim(0)
    with open("/proc/self/statm", encoding="ascii") as file:
        return int(file.read().split()[1]) * os.sysconf("SC_PAGESIZE")


def _turns(known: list[Known], rng: random.Random) -> Iterator[Known]:
    turns = known * TIMES
    rng.shuffle(turns)
    return iter(turns)


def round_of(known: list[Known], threads: int, rng: random.Random, outcome: Outcome) -> None:
    """Lets threads make calls until each was made `TIMES` times, and writes what they found to the outcome.

    A thread whose call found no memory waits until another call has given its memory back. Otherwise, while one call
    holds the memory, the others would use up all turns without memory.
    """
    turns, ended = _turns(known, rng), threading.Condition()
    running: dict[int, Known] = {}  # the call of each thread that makes one
    before = outcome.same + outcome.refused + len(outcome.faults)

    def judged(call: Known) -> tuple[str, str]:
        try:
            wrong = sum(a != b for a, b in zip(make(call), call.results, strict=True))
        except OutOfMemory:
            return "refused", ""
        except Exception as error:
            return "faults", f"{type(error).__name__}: {error}"
        return ("faults", f"{wrong} results have other bits than alone") if wrong else ("same", "")

    def done() -> int:
        return outcome.same + len(outcome.faults)

    def work(number: int) -> None:
        while True:
            with ended:
                call = next(turns, None)
                if call is None:
                    return
                running[number] = call
            kind, message = "lost", ""
            try:
                kind, message = judged(call)
            finally:
                with ended:
                    del running[number]
                    if kind == "faults":
                        outcome.faults.append(f"{message}\n  {rerun_line(call.case, 'aclnn')}")
                    elif kind != "lost":
                        setattr(outcome, kind, getattr(outcome, kind) + 1)
                    ended.notify_all()
            if kind == "refused":
                with ended:
                    seen = done()
                    ended.wait_for(lambda seen=seen: not running or done() != seen)

    workers = [threading.Thread(target=work, args=(n,), daemon=True) for n in range(threads)]
    for worker in workers:
        worker.start()
    end = time.monotonic() + HANGING
    for worker in workers:
        worker.join(max(0.0, end - time.monotonic()))
        if worker.is_alive():
            with ended:
                hanging = [rerun_line(call.case, "aclnn") for call in running.values()]
            outcome.faults.append("\n  ".join([f"no end within {HANGING:g} s", *hanging]))
            return
    lost = len(known) * TIMES - (outcome.same + outcome.refused + len(outcome.faults) - before)
    if lost:
        outcome.faults.append(f"{lost} calls were lost")


def soak(seconds: float, seed: int, threads: int, names: list[str]) -> Outcome:
    """Makes rounds until the time is over or something is wrong."""
    outcome, rng = Outcome(), random.Random(seed)
    start = time.monotonic()
    at_start = None
    while not outcome.faults and (time.monotonic() < start + seconds or outcome.rounds < 2):
        drawn = [
            case
            for name in rng.sample(names, len(names))
            for case in small_calls(name, 2, rng.randrange(2**31))
        ]
        # What hypothesis keeps of the calls that it draws is not counted.
        warm, before = outcome.rounds > 0 and time.monotonic() >= start + WARM_UP * seconds, process_memory()
        known = [call for call in map(alone, rng.sample(drawn, min(DRAWN, len(drawn)))) if call is not None]
        at_start = device_memory() if at_start is None else at_start
        round_of(known, threads, rng, outcome)
        grown = process_memory() - before
        for _ in range(AGAIN):
            if not warm or grown <= STEP or outcome.faults:
                break
            before = process_memory()
            round_of(known, threads, rng, outcome)
            grown = min(grown, process_memory() - before)
        outcome.rounds += 1
        del known
        if kept := device_memory() - at_start:
            outcome.faults.append(f"{kept} bytes of device memory were not freed")
        outcome.grown += grown if warm else 0
    if outcome.grown > GROWTH:
        outcome.faults.append(f"the process grew by {outcome.grown} bytes, expected at most {GROWTH}")
    return outcome


def main(arguments: list[str] | None = None) -> int:
    parser = argparse.ArgumentParser(
        prog="./build.sh soak --",
        description="Random calls of all kernels from many threads, on a simulated device with little memory. A call "
        "gives the same bits as alone, or the error for used up memory. Status 1 where something is wrong.",
    )
    add_operator(parser)
    add_length(parser, "calls")
    parser.add_argument("--threads", type=int, default=8, help="threads that call (default: 8)")
    options = parser.parse_args(arguments)
    os.environ.setdefault("AVO_SIM_MEMORY_BYTES", str(MEMORY))
    names, seed = operators_of(parser, options.operator, on_device=True), seed_of(options)
    memory = os.environ["AVO_SIM_MEMORY_BYTES"]
    print(
        f"seed {seed}, {options.seconds:g} s, {options.threads} threads, {memory} bytes of device memory",
        flush=True,
    )
    outcome = soak(options.seconds, seed, options.threads, names)
    print(
        f"{outcome.rounds} rounds: {outcome.same} calls as alone, {outcome.refused} without memory; "
        f"the process grew by {outcome.grown / 2**20:.1f} MiB"
    )
    for fault in outcome.faults:
        print(fault)
    print(f"{len(outcome.faults)} faults" if outcome.faults else "no fault found", flush=True)
    return 1 if outcome.faults else 0


if __name__ == "__main__":
    sys.exit(main())
