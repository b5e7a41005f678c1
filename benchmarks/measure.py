# SPDX-License-Identifier: Apache-2.0
"""One process of a run. It times all contestants of all workloads at one number of threads and prints a line of JSON
for each.

Before a contestant is timed, its result must agree with ours. Rounds are interleaved, so that a busy machine slows all
contestants alike and the ratio stays the same.
"""

from __future__ import annotations

import argparse
import inspect
import json
import os
import statistics
import sys
import time
from dataclasses import asdict
from pathlib import Path

import torch

from ascend_vision_ops import ops
from ascend_vision_ops.testing.run import as_tuple
from benchmarks import limits, peers
from benchmarks.workload import OURS, OUT, TURN, Workload, workloads

# Seconds that all rounds of a workload may take, and the number of rounds. A contestant that needs more than SLOW
# seconds for a call makes only the call that was compared with ours and one round.
BUDGET, ROUNDS, SLOW = 4.0, (5, 15), 1.0
CLOCKS = {"wall": time.perf_counter, "cpu": time.process_time}


def near(ours, theirs, name: str) -> None:
    """Raises where a result differs from ours, because a contestant that computes something else is no peer.

    Floats may differ much, because peers compute positions in float32 and half types in half types. Other values must
    be equal. None stands for a result that a peer does not compute.
    """
    for our, their in zip(as_tuple(ours), as_tuple(theirs), strict=True):
        if their is None:
            continue
        their, wide = torch.as_tensor(their).to(our.dtype), our.dtype.is_floating_point
        tolerance = {"rtol": 2e-2, "atol": 2e-2} if wide else {"rtol": 0, "atol": 0}
        torch.testing.assert_close(
            their, our, **tolerance, equal_nan=True, msg=lambda text: f"{name}: {text}"
        )


def read(contestant, result):
    """Extracts the results of the operator from what a contestant returned."""
    return contestant.read(result) if isinstance(contestant, peers.Peer) else result


def our_contestants(operator: str, work: Workload) -> dict:
    function = getattr(ops, operator)
    found = {OURS: lambda: function(**work.arguments)}
    if "out" in inspect.signature(function).parameters:
        given = tuple(torch.empty_like(result) for result in as_tuple(found[OURS]()))
        given = given if len(given) > 1 else given[0]
        found[OURS + OUT] = lambda: function(**work.arguments, out=given)
    return found


def assemble(operator: str, work: Workload, clock) -> tuple[dict, dict[str, float], dict[str, str]]:
    """Finds the contestants that agree with us and the seconds that a call of each takes; and for the others the reason
    why they are absent, '' for not installed."""
    contestants, seconds, absent = {}, {}, {}
    own = our_contestants(operator, work)
    right = own[OURS]()
    for name, function in (own | work.peers).items():
        begin = clock()
        try:
            result = function()
            first = clock() - begin
            near(right, read(function, result), f"{name} on {work.name}")
            # The first of two calls may touch new memory for its result; the second one gets this memory again.
            seconds[name] = first if first >= SLOW else min(once(function, clock) for _ in range(2))
        except ImportError:
            absent[name] = ""
        except Exception as error:  # the result differs, or the library raises an error of its own kind
            kind = "differs" if isinstance(error, AssertionError) else "fails"
            absent[name] = f"{kind}: {' '.join(str(error).split())}"
        else:
            contestants[name] = function
    return contestants, seconds, absent


def once(function, clock) -> float:
    begin = clock()
    function()
    return clock() - begin


def race(
    contestants: dict, seconds: dict[str, float], clock, turn: float = TURN, budget: float = BUDGET
) -> dict[str, list[float]]:
    """Measures seconds per call in each round, by contestant. A turn takes `turn` milliseconds, or one call."""
    calls = {name: max(1, int(turn / 1e3 / max(seconds[name], 1e-9))) for name in contestants}
    whole = sum(seconds[name] * calls[name] for name in contestants if seconds[name] < SLOW)
    fewest, most = ROUNDS
    rounds = max(fewest, min(most, int(budget / max(whole, 1e-9))))
    times: dict[str, list[float]] = {name: [] for name in contestants}
    for i in range(rounds):
        for name, function in contestants.items():
            if seconds[name] >= SLOW and i > 0:
                continue
            begin = clock()
            for _ in range(calls[name]):
                function()
            times[name].append((clock() - begin) / calls[name])
    return times


def moved(operator: str, work: Workload) -> int:
    """Adds up the bytes of all arguments and results."""
    arrays = (*as_tuple(getattr(ops, operator)(**work.arguments)), *work.arguments.values())
    return sum(array.nbytes for array in arrays if isinstance(array, torch.Tensor))


def spread(times: list[float]) -> float:
    """Half the distance between the quartiles, divided by the median."""
    if len(times) < 2:
        return 0.0
    low, _, high = statistics.quantiles(times, n=4)
    return (high - low) / 2 / statistics.median(times)


def seconds_of(
    operator: str, work: Workload, clock, turn: float = TURN, budget: float = BUDGET
) -> tuple[dict[str, list[float]], dict[str, str]]:
    """Measures a workload: the seconds of a call in each round, by contestant; and why others are absent."""
    contestants, seconds, absent = assemble(operator, work, clock)
    return race(contestants, seconds, clock, turn, budget), absent


def result(operator: str, work: Workload, times: dict[str, list[float]], **fields) -> dict:
    """Gives a line of a workload that was measured."""
    medians = {name: statistics.median(values) for name, values in times.items()}
    return {
        "operator": operator, "workload": work.name, "seconds": medians, "target": work.target,
        "spread": spread(times[OURS]), "limit": work.limit,
        "handed": {name: peer.handed for name, peer in work.peers.items() if getattr(peer, "handed", "")}, **fields,
    }  # fmt: skip


def measure_drawn(path: str, clock, say) -> None:
    """Measures the workloads of a file of drawn lines, each for about a second."""
    from benchmarks import drawn

    for line in Path(path).read_text(encoding="utf-8").splitlines():
        operator, work = drawn.workload(line)
        say("begin", operator=operator, workload=work.name)
        times, absent = seconds_of(operator, work, clock, drawn.TURN, drawn.BUDGET)
        say("result", **result(operator, work, times, least=0.0, absent=absent))
        say("end", operator=operator)


def main() -> int:
    parser = argparse.ArgumentParser(prog="python -m benchmarks.measure", description=__doc__.splitlines()[0])
    parser.add_argument("operators", nargs="*", metavar="OP")
    parser.add_argument("--threads", type=int, default=1)
    parser.add_argument("--clock", choices=CLOCKS, default="wall")
    parser.add_argument("--turn", type=float, default=TURN)
    parser.add_argument("--only", default="")
    parser.add_argument("--drawn", default="", metavar="FILE", help="lines of benchmarks/drawn.py")
    options = parser.parse_args()
    clock = CLOCKS[options.clock]
    torch.set_num_threads(options.threads)
    # Standard output is for lines of JSON, but libraries print there too.
    channel = os.fdopen(os.dup(1), "w", buffering=1)
    os.dup2(2, 1)

    def say(kind: str, **fields) -> None:
        print(json.dumps({"kind": kind, "threads": options.threads, **fields}), file=channel)

    say("versions", versions=peers.versions())
    if options.drawn:
        measure_drawn(options.drawn, clock, say)
        return 0
    most = limits.measure(lambda function: once(function, clock))
    say("limits", **asdict(most))
    for operator in options.operators:
        for work in workloads(operator):
            if options.only not in work.name:
                continue
            say("begin", operator=operator, workload=work.name)
            times, absent = seconds_of(operator, work, clock, options.turn)
            kind = next(value.dtype for value in work.arguments.values() if isinstance(value, torch.Tensor))
            least = {
                "copy": lambda w=work, o=operator: (n := moved(o, w)) / most.copy_rate(n),
                "product": lambda w=work, k=kind: w.flops / most.product[str(k).removeprefix("torch.")],
                "": lambda: 0.0,
            }[work.limit]()
            say("result", **result(operator, work, times, least=least, absent=absent))
        say("end", operator=operator)
    return 0


if __name__ == "__main__":
    sys.exit(main())
