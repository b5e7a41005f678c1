# SPDX-License-Identifier: Apache-2.0
"""What programs that make random calls for a while share: options, a process that may die, limits."""

from __future__ import annotations

import argparse
import os
import random
import resource
import signal
import sys
import tempfile
import traceback
from collections.abc import Callable
from typing import Any

from ascend_vision_ops import operators
from ascend_vision_ops.cli.call import known
from ascend_vision_ops.testing.run import spec_of


def add_operator(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("operator", nargs="?", help="the operator to call (default: all with a kernel)")


def operators_of(parser: argparse.ArgumentParser, operator: str | None, on_device: bool = False) -> list[str]:
    """The operators to call: those that compute on their own; with on_device, those with an AscendC kernel."""
    names = [known(operator)] if operator else operators()
    names = [name for name in names if not spec_of(name).composite]
    if not names:
        parser.error(f"{operator} has no kernel of its own, because it calls another operator; name that one")
    if on_device:
        names = [name for name in names if spec_of(name).has_kernel]
        if not names:
            parser.error(f"{operator} has no AscendC kernel yet")
    return names


def add_length(parser: argparse.ArgumentParser, drawn: str) -> None:
    """Adds the options of how long to draw, and what. drawn: what a run draws, "calls"."""
    parser.add_argument("--seconds", type=float, default=60.0, help="the time of the run (default: 60)")
    parser.add_argument("--seed", type=int, help=f"repeat the {drawn} of the run that printed this seed")


def seed_of(options: argparse.Namespace) -> int:
    return random.randrange(2**31) if options.seed is None else options.seed


def survives(work: Callable[[Callable[[Any], None]], int], text_of: Callable[[Any], str]) -> int:
    """Does `work` in a process of its own and returns its result.

    If the process dies, it prints the call that the process died of, and returns 1.

    work: gets a function that it calls with each call before it makes it.
    text_of: gives the line that repeats a call.
    """
    with tempfile.TemporaryFile("w+") as note:

        def begin(call: Any) -> None:
            note.seek(0)
            note.write(text_of(call))
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


def limit_time(seconds: float) -> None:
    """Ends the process if it computes for so many seconds from now on, or has not gone on after ten times as many.

    The first limit counts the processor's time, so that a busy machine is no fault; the second finds what waits for
    ever. 0 ends both.
    """
    signal.setitimer(signal.ITIMER_PROF, seconds)
    signal.setitimer(signal.ITIMER_REAL, 10 * seconds)


def limit_memory(more: int) -> None:
    """Lets the process get this many bytes of addresses beyond what it has."""
    with open("/proc/self/statm", encoding="ascii") as file:
        now = int(file.read().split()[0]) * resource.getpagesize()
    resource.setrlimit(resource.RLIMIT_AS, (now + more, resource.getrlimit(resource.RLIMIT_AS)[1]))
