# SPDX-License-Identifier: Apache-2.0
"""Runs functions as the ranks of a job, each in a process of its own, which ends within a time limit."""

from __future__ import annotations

import contextlib
import multiprocessing
import os
import signal
import time
import traceback
from collections.abc import Callable

LIMIT = 300.0  # seconds for all processes of a test, which take some 5 where nothing else runs


def _run(function: Callable, arguments: tuple, environment: dict, pipe) -> None:
    os.environ.update(environment)
    try:
        pipe.send(("result", function(*arguments)))
    except BaseException:
        pipe.send(("error", traceback.format_exc()))


class Job:
    """The processes of a job. A process gets (rank, ranks, info, *arguments) and returns something that pickles."""

    def __init__(self, function: Callable, ranks: int, *arguments, **environment: str):
        """environment: of all processes; the root info is made by rank 0's process and handed to the others."""
        context = multiprocessing.get_context("spawn")
        self.deadline = time.monotonic() + LIMIT
        self.pipes, self.processes = [], []
        environment = {"AVO_SIM_DEVICES": str(ranks), **environment}
        hands = [context.Pipe() for _ in range(ranks)]  # for the root info
        for rank in range(ranks):
            here, there = context.Pipe()
            call = (function, rank, ranks, hands[rank][1], *arguments)
            self.processes.append(
                context.Process(target=_run, args=(_start, call, environment, there), daemon=True)
            )
            self.processes[-1].start()
            there.close()
            hands[rank][1].close()  # so that the end of the process is the end of its pipe
            self.pipes.append(here)
        self.hands = [hand[0] for hand in hands]
        if self._wait(self.hands[0]):
            with contextlib.suppress(EOFError, BrokenPipeError):  # `results` says which process ended
                info = self.hands[0].recv()
                for hand in self.hands[1:]:
                    hand.send(info)

    def _wait(self, pipe) -> bool:
        return pipe.poll(max(0.0, self.deadline - time.monotonic()))

    def kill(self, rank: int) -> None:
        os.kill(self.processes[rank].pid, signal.SIGKILL)

    def results(self, expect_killed: tuple[int, ...] = ()) -> list:
        """What each rank returned, None for those that were killed; a rank that raised or hung is an error."""
        results = []
        try:
            for rank, pipe in enumerate(self.pipes):
                if not self._wait(pipe):
                    raise TimeoutError(f"rank {rank} was not done after {LIMIT} s")
                try:
                    kind, value = pipe.recv()
                except EOFError:
                    if rank not in expect_killed:
                        raise RuntimeError(f"rank {rank} ended without a result") from None
                    kind, value = "killed", None
                if kind == "error":
                    raise RuntimeError(f"rank {rank} failed:\n{value}")
                results.append(value)
        finally:
            for process in self.processes:
                process.kill()
                process.join(10)
        return results


def _start(function: Callable, rank: int, ranks: int, hand, *arguments):
    from tests.hccl import library

    if rank == 0:
        info = library.root_info()
        hand.send(info)
    else:
        if not hand.poll(LIMIT):
            raise TimeoutError("rank 0 made no root info")
        info = hand.recv()
    return function(rank, ranks, info, *arguments)


def run(function: Callable, ranks: int, *arguments, **environment: str) -> list:
    return Job(function, ranks, *arguments, **environment).results()
