# SPDX-License-Identifier: Apache-2.0
"""Calls every operator through one face while allocations of the package's libraries fail, one after the other.

`python refused_calls.py FACE` runs with the library refuse_memory preloaded. It prints a line for each call before it
makes it, so that the last line names the call in which a process ended, and a line `wrong …` for each wrong answer.
"""

from __future__ import annotations

import ctypes
import functools
import sys
from collections.abc import Callable, Iterator

import numpy as np

from ascend_vision_ops import operators
from ascend_vision_ops.testing.cases import BoundCase
from ascend_vision_ops.testing.run import cases_of, run, spec_of, takes

CASES = 5  # of an operator, spread over its cases
MOST_ELEMENTS = 200_000
PLACES = 12  # allocations of a call that fail, spread over all of them

# What a face raises, and what the message has to contain.
ANSWERS = {
    "cpu": (MemoryError, ""),
    "torch": (RuntimeError, "out of memory"),
    "onnxruntime": (Exception, "out of memory"),
}


def spread(values: list, count: int) -> list:
    """Some of the values, the first and the last among them."""
    step = max(1, (len(values) - 1) / max(1, count - 1))
    return [values[min(len(values) - 1, round(i * step))] for i in range(min(count, len(values)))]


def small(cases: list[BoundCase]) -> list[BoundCase]:
    """Some of the cases that can be called many times."""
    sizes = [sum(getattr(v, "size", 0) for v in case.arguments().values()) for case in cases]
    return spread([case for case, size in zip(cases, sizes, strict=True) if 0 < size < MOST_ELEMENTS], CASES)


def calls(face: str) -> Iterator[tuple[str, Callable[[], list[np.ndarray]]]]:
    """Yields calls and what repeats them: cases of each operator, or of each node."""
    if face == "onnxruntime":
        yield from node_calls()
        return
    for operator in operators():
        if spec_of(operator).composite:
            continue
        for case in small([case for case in cases_of(operator) if takes(face, case) and not case.case.out]):
            arguments = case.arguments()
            yield case.text, lambda name=operator, given=arguments: run(name, face, dict(given))


def node_calls() -> Iterator[tuple[str, Callable[[], list[np.ndarray]]]]:
    from ascend_vision_ops.onnx import nodes
    from tests.onnx.node_models import cases_in_turn, node_model
    from tests.onnx.test_onnxruntime import session

    for node in nodes():
        for case in small(cases_in_turn(node.operator)):
            made = node_model(node, case)
            if made is not None:
                # One thread: the allocations of a call come in one order.
                runner = session(made.model, intra_op_num_threads=1)
                yield f"{node.qualified} {case.text}", functools.partial(runner.run, None, made.feeds)


def wrong_answer(face: str, call) -> str:
    """Makes a call in which an allocation fails. Returns what is wrong with the answer, if anything is."""
    kind, part = ANSWERS[face]
    try:
        call()
    except MemoryError:
        return ""  # of the part that takes the arguments
    except kind as error:
        return "" if part in str(error) else f"an error without {part!r}: {error}"
    except Exception as error:
        return f"{type(error).__name__}: {error}"
    return ""  # the allocation was in a part that can do without, or was not reached


def main(face: str) -> None:
    refuse = ctypes.CDLL(None).refuse_memory
    refuse.restype = ctypes.c_long
    failures = 0
    for text, call in calls(face):
        first = call()
        refuse(0, 0)
        call()
        count = refuse(0, 0)
        for at in spread(list(range(1, count + 1)), PLACES):
            for every in (0, 1):
                print(f"{text} refuse {at} of {count}{' and all behind it' * every}", flush=True)
                refuse(at, every)
                wrong = wrong_answer(face, call)
                refuse(0, 0)
                failures += 1
                if wrong:
                    print(f"wrong {wrong}", flush=True)
        again = call()
        if any(a.tobytes() != b.tobytes() for a, b in zip(first, again, strict=True)):
            print("wrong results after memory was refused", flush=True)
    print(f"made {failures} calls", flush=True)


if __name__ == "__main__":
    np.seterr(all="ignore")
    main(sys.argv[1])
