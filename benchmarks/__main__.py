# SPDX-License-Identifier: Apache-2.0
"""CPU kernels against the best peer on this machine: `./build.sh bench [op]`; `bench overhead` is overhead.py.

Files benchmarks/workloads/<op>.py yield workloads: `workloads()` -> (name, arguments, {peer: function}); arguments
are those of the torch operator, a peer takes none and returns what the operator returns, or raises ImportError.
Their `device()` is for the simulated device, whose time is modelled: tools/performance.py.
Rounds of all contestants are interleaved, so that a busy machine slows all of them; what counts is the ratio.
"""

from __future__ import annotations

import argparse
import importlib
import os
import statistics
import sys
import time
from pathlib import Path

from ascend_vision_ops.testing.run import as_tuple

FOLDER = Path(__file__).parent / "workloads"


def copy_bandwidth(rounds: int) -> float:
    """Bytes a second, in and out, of copying 256 MB within memory."""
    import torch

    source = torch.ones(64 << 20)
    target = torch.empty_like(source)
    times = [timed(lambda: target.copy_(source)) for _ in range(rounds)]
    return 2 * source.nbytes / statistics.median(times)


def timed(function) -> float:
    begin = time.perf_counter()
    function()
    return time.perf_counter() - begin


def near(ours, theirs, name: str) -> None:
    """A contestant that computes something else is no peer; wide, since peers take positions in float32."""
    import torch

    for our, their in zip(as_tuple(ours), as_tuple(theirs), strict=True):
        their = torch.as_tensor(their).to(our.dtype)
        torch.testing.assert_close(their, our, rtol=2e-2, atol=2e-2, msg=lambda text: f"{name}: {text}")


def race(contestants: dict, rounds: int) -> dict[str, float]:
    """Median seconds of each, after one warm-up; enough calls a round that the clock's grain does not matter."""
    calls = {name: max(1, int(2e-3 / max(timed(function), 1e-9))) for name, function in contestants.items()}
    times: dict[str, list[float]] = {name: [] for name in contestants}
    for _ in range(rounds):
        for name, function in contestants.items():
            repeat = calls[name]
            times[name].append(timed(lambda f=function, n=repeat: [f() for _ in range(n)]) / repeat)
    return {name: statistics.median(values) for name, values in times.items()}


def main() -> int:
    parser = argparse.ArgumentParser(prog="./build.sh bench", description=__doc__.splitlines()[0])
    subjects = sorted(path.stem for path in FOLDER.glob("*.py"))
    parser.add_argument("operator", nargs="?", choices=[*subjects, "overhead"], metavar="OP")
    parser.add_argument("--threads", type=int, default=1)
    parser.add_argument("--rounds", type=int, default=15)
    options = parser.parse_args()
    # Before any library makes its pool.
    os.environ["OMP_NUM_THREADS"] = str(options.threads)

    import torch

    from ascend_vision_ops import ops
    from ascend_vision_ops.cli.show import console, table

    torch.set_num_threads(options.threads)
    if options.operator == "overhead":
        from benchmarks import overhead

        overhead.run(options.rounds)
        return 0
    out, bandwidth = console(), copy_bandwidth(options.rounds)
    out.print(
        f"{options.threads} threads, medians of {options.rounds} interleaved rounds; torch {torch.__version__}"
    )
    out.print(
        f"copy bandwidth in this run: {bandwidth / 1e9:.1f} GB/s in and out; results are allocated in each call\n"
    )
    rows = table(
        "operator",
        "workload",
        ">ours ms",
        "best peer",
        ">ms",
        ">ratio",
        ">of copy bandwidth",
        "others ms",
        "absent",
    )
    for path in sorted(FOLDER.glob("*.py")):
        operator = path.stem
        if options.operator not in (None, operator):
            continue
        module = importlib.import_module(f"benchmarks.workloads.{operator}")
        if not hasattr(module, "workloads"):
            continue
        for name, arguments, peers in module.workloads():

            def ours(operator=operator, arguments=arguments):
                return getattr(ops, operator)(**arguments)

            right, contestants, absent = ours(), {"ours": ours}, []
            for peer, function in peers.items():
                try:
                    near(right, function(), f"{peer} on {name}")
                    contestants[peer] = function
                except ImportError:
                    absent.append(peer)
            times = race(contestants, options.rounds)
            mine = times.pop("ours")
            best = min(times, key=times.get)
            arrays = (*as_tuple(right), *arguments.values())
            moved = sum(array.nbytes for array in arrays if hasattr(array, "nbytes"))
            others = ", ".join(f"{peer} {1e3 * t:.3g}" for peer, t in times.items() if peer != best)
            rows.add_row(
                operator, name, f"{1e3 * mine:.3g}", best, f"{1e3 * times[best]:.3g}", f"{times[best] / mine:.2f}",
                f"{moved / mine / bandwidth:.0%}", others or "–", ", ".join(absent) or "–"
            )  # fmt: skip
    out.print(rows)
    return 0


if __name__ == "__main__":
    sys.exit(main())
