# SPDX-License-Identifier: Apache-2.0
"""What benchmarks/workloads/<family>/<op>.py yield of `workloads()`: calls of the torch operator on CPU tensors.

A workload is judged against the limit that stands in its file: "copy", where moving its arguments and results once is
what cannot be avoided, "product", where it is `flops` at the rate of a matrix product, or "" for neither.
"""

from __future__ import annotations

import importlib
from collections.abc import Callable, Iterator
from pathlib import Path
from types import ModuleType
from typing import NamedTuple

FILES = {path.stem: path for path in Path(__file__).parent.glob("workloads/*/*.py")}
# Names of contestants: ours, and what follows the name of one whose result goes to memory that is there.
OURS, OUT = "ours", " out="
# Milliseconds that a contestant goes on in its turn. Caches then hold what its own calls leave there, not what the
# others' left: with one call a turn, the time of a pool is that of fetching its image from memory.
TURN = 90


class Workload(NamedTuple):
    """One call.

    Attributes:
        name: tells it from the operator's others
        arguments: of the torch operator
        peers: contestants by the names of their projects, `benchmarks.peers.Peer` or functions that return what the
            operator returns; " out=" behind a name marks one whose result goes to memory that is there
        target: times as fast as the best peer that it ought to be at one thread; 0 for no target
    """

    name: str
    arguments: dict[str, object]
    peers: dict[str, Callable[[], object]]
    target: float = 0
    limit: str = "copy"
    flops: float = 0


def operators() -> list[str]:
    """Names of the operators that have workloads on CPUs."""
    return [name for name, path in sorted(FILES.items()) if "\ndef workloads(" in path.read_text()]


def module_of(operator: str) -> ModuleType | None:
    """The module that knows what to measure of an operator, None where nobody wrote one."""
    path = FILES.get(operator)
    return path and importlib.import_module(f"benchmarks.workloads.{path.parent.name}.{operator}")


def workloads(operator: str) -> Iterator[Workload]:
    """An operator's workloads, of the same values every time."""
    import torch

    torch.manual_seed(0)
    return module_of(operator).workloads()


def size(shape, dtype: object = "float32") -> str:
    """A shape as workloads name it, with its dtype unless that is float32: 8x64x112x112 bfloat16."""
    text, kind = "x".join(map(str, shape)), str(dtype).removeprefix("torch.")
    return text if kind == "float32" else f"{text} {kind}"


def threaded(threads: int) -> str:
    """A number of threads, in words."""
    return f"{threads} thread{'s' * (threads > 1)}"
