# SPDX-License-Identifier: Apache-2.0
"""Workloads: the calls of a torch operator on CPU tensors that `workloads()` of benchmarks/workloads/<family>/<op>.py
yields.

A workload is compared with a limit that its file names. "copy" is the time to move its arguments and results once,
which cannot be avoided. "product" is the time for `flops` at the rate of a matrix product. "" means that there is no
limit.
"""

from __future__ import annotations

import importlib
from collections.abc import Callable, Iterator
from pathlib import Path
from types import ModuleType
from typing import NamedTuple

FILES = {path.stem: path for path in Path(__file__).parent.glob("workloads/*/*.py")}
# Names of contestants: our own, and the ending for a contestant that writes to a result whose memory exists.
OURS, OUT = "ours", " out="
# Milliseconds of a contestant's turn. Its calls then find in the caches what its own earlier calls left there. With one
# call in a turn, a pool would spend its time on fetching its image from memory behind the others.
TURN = 90


class Workload(NamedTuple):
    """One call.

    Attributes:
        name: distinguishes it from the other workloads of the operator
        arguments: the arguments of the torch operator, by name
        peers: contestants by the names of their projects; each is a `benchmarks.peers.Peer` or a function that returns
            what the operator returns. A name that ends with " out=" belongs to a contestant that writes to a result
            whose memory exists
        target: the ratio to the best peer that we want at one thread; 0 for no target
    """

    name: str
    arguments: dict[str, object]
    peers: dict[str, Callable[[], object]]
    target: float = 0
    limit: str = "copy"
    flops: float = 0


def operators() -> list[str]:
    """Gives the names of the operators that have workloads on CPUs."""
    return [name for name, path in sorted(FILES.items()) if "\ndef workloads(" in path.read_text()]


def module_of(operator: str) -> ModuleType | None:
    """Imports the module that says what to measure of an operator; None where nobody wrote one."""
    path = FILES.get(operator)
    return path and importlib.import_module(f"benchmarks.workloads.{path.parent.name}.{operator}")


def workloads(operator: str) -> Iterator[Workload]:
    """Gives the workloads of an operator, with the same values every time."""
    import torch

    torch.manual_seed(0)
    return module_of(operator).workloads()


def beside_channels_last(contestants: Callable[..., dict], call: dict[str, object]) -> dict[str, Callable]:
    """Gives the contestants of a call, and those of the same call with channels-last tensors. contestants: makes them
    from the arguments.
    """
    import torch

    last = {
        name: value.contiguous(memory_format=torch.channels_last)
        if isinstance(value, torch.Tensor)
        else value
        for name, value in call.items()
    }
    of_last = {f"{name} channels-last": peer for name, peer in contestants(**last).items()}
    return contestants(**call) | of_last


def size(shape, dtype: object = "float32") -> str:
    """Writes a shape as names of workloads have it, with the dtype unless it is float32: 8x64x112x112 bfloat16."""
    text, kind = "x".join(map(str, shape)), str(dtype).removeprefix("torch.")
    return text if kind == "float32" else f"{text} {kind}"


def threaded(threads: int) -> str:
    """Writes a number of threads in words."""
    return f"{threads} thread{'s' * (threads > 1)}"
