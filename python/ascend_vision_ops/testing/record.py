# SPDX-License-Identifier: Apache-2.0
"""Records what the simulated device's cores do in a call, in a process with the chosen back end."""

from __future__ import annotations

import multiprocessing
import os
from concurrent.futures import Future, ProcessPoolExecutor
from dataclasses import dataclass

from ascend_vision_ops.ascend_headers import LIST_VARIABLE, VARIABLE
from ascend_vision_ops.testing.cases import parse_case


@dataclass(frozen=True)
class Recorded:
    """error: why the call failed; empty where it did not."""

    kernels: list[dict]
    error: str = ""

    @property
    def cycles(self) -> float:
        return sum(kernel["cycles"] for kernel in self.kernels)


def record(text: str, with_calls: bool = False) -> Recorded:
    """Runs the call that `text` describes, and returns what its kernels did."""
    from ascend_vision_ops._native import sim
    from ascend_vision_ops.testing.run import run

    case = parse_case(text)
    sim.record(2 if with_calls else 1)
    error = ""
    try:
        run(case.operator, "aclnn", case.arguments())
    except (RuntimeError, ValueError) as failure:
        error = str(failure)
    finally:
        sim.record(0)
    return Recorded(sim.take_recordings(), error)


class BackEnd:
    """A process that records calls. kernels: the libraries to run; empty for the package's own headers."""

    def __init__(self, kernels: str) -> None:
        before = {name: os.environ.pop(name, None) for name in (VARIABLE, LIST_VARIABLE)}
        if kernels:
            os.environ[LIST_VARIABLE] = kernels
        self._pool = ProcessPoolExecutor(1, mp_context=multiprocessing.get_context("spawn"))
        self._pool.submit(os.getpid).result()  # starts the process, which has this environment from now on
        os.environ.pop(LIST_VARIABLE, None)
        os.environ.update({name: value for name, value in before.items() if value is not None})

    def record(self, text: str, with_calls: bool = False) -> Future[Recorded]:
        return self._pool.submit(record, text, with_calls)

    def __enter__(self) -> BackEnd:
        return self

    def __exit__(self, *_: object) -> None:
        self._pool.shutdown(cancel_futures=True)
