# SPDX-License-Identifier: Apache-2.0
"""`./build.sh fuzz arguments`: gives the first phase of every aclnn function arguments that nobody should trust.

A call begins as the example of the contract. Then some of its values change: shapes, ranks, strides, offsets, dtypes,
formats, attributes, null pointers. The function must answer with a status of `STATUSES`, and with a message where that
is an error. It must not end the process, take long, or want much memory.
"""

from __future__ import annotations

import argparse
import copy
import dataclasses
import json
import random
import sys
import time
from collections import Counter
from collections.abc import Callable

from ascend_vision_ops import operators
from ascend_vision_ops.opgen.calls import BadCall, Call, Shaped, example_call, with_results
from ascend_vision_ops.opgen.model import DTYPES, Entry, Spec
from ascend_vision_ops.testing.random_runs import add_length, limit_memory, limit_time, seed_of, survives
from ascend_vision_ops.testing.run import spec_of

STATUSES = (0, 161001, 161002, 561002)  # success, a null pointer, a wrong parameter, no tiling for it
NO_OBJECT = 100000  # aclCreateTensor refuses
SECONDS = 60  # for one call
MEMORY = 2 << 30  # bytes of addresses that the calls may want beyond what the process has
INTEGERS = [
    0, 1, -1, 2, 3, 5, 16, 100, 255, 4096, 65535, 65536, *(s * 2**n + d for n in (31, 32, 40, 61, 62) for s in (1, -1)
    for d in (-1, 0, 1)), 2**63 - 1, -(2**63),
]  # fmt: skip
SMALL = {"int8_t": 2**7, "int": 2**31, "int64_t": 2**63}
FLOATS = [0.0, -0.0, 1.0, -1.0, 0.5, 1e-300, 1e300, float("inf"), float("-inf"), float("nan")]
WORDS = ["", "nearest", "bilinear", "x" * 5000, "%s%n", "\u00e4\U0001f600"]


@dataclasses.dataclass
class Layout:
    """Where the elements of a tensor lie. None: densely, from the start of the storage."""

    strides: list[int] | None = None
    offset: int = 0
    format: int = 2


@dataclasses.dataclass
class Drawn:
    """A call of an entry point, as `_native.probe` takes it, and as JSON that makes it again."""

    entry: str
    arguments: dict[str, object]
    nulls: list[str]

    @property
    def text(self) -> str:
        return json.dumps(dataclasses.asdict(self))

    def make(self) -> tuple[int, str]:
        """Calls the first phase; returns its status and message. Raises RuntimeError where a tensor cannot be made."""
        from ascend_vision_ops import _native

        arguments = {
            name: tuple(value) if _describes_tensor(value) else value
            for name, value in self.arguments.items()
        }
        return getattr(_native.probe, self.entry)(arguments, self.nulls)


def _describes_tensor(value) -> bool:
    return isinstance(value, list) and len(value) == 5 and isinstance(value[0], list)


def _dimension(rng: random.Random, old: int) -> int:
    return _fit(abs(rng.choice([*INTEGERS, old - 1, old + 1, 2 * old, old * old])), 2**63)


def _change_tensor(rng: random.Random, tensor: Shaped, layout: Layout) -> Shaped:
    tensor, shape = copy.copy(tensor), list(tensor.shape)
    match rng.choice(["dimension"] * 4 + ["rank", "dtype", "strides", "strides", "offset", "format"]):
        case "dimension" if shape:
            place = rng.randrange(len(shape))
            shape[place] = _dimension(rng, shape[place])
        case "rank" if rng.random() < 0.5 and shape:
            shape.pop(rng.randrange(len(shape)))
        case "rank":
            shape += [rng.choice([0, 1, 2, 7])] * rng.choice([1, 1, 2, 30])
        case "dtype":
            tensor.dtype = rng.choice([*DTYPES, "complex64"])
        case "strides":
            layout.strides = [_dimension(rng, extent) for extent in shape]
        case "offset":
            layout.offset = rng.choice(INTEGERS)
        case "format":
            layout.format = rng.choice([-1, 0, 1, 2, 3, 29, 30, 47, 255, 2**31 - 1])
    tensor.shape = tuple(shape)
    return tensor


def _change_value(rng: random.Random, value):
    if isinstance(value, bool):
        return not value
    if isinstance(value, int):
        return rng.choice([*INTEGERS, value - 1, value + 1])
    if isinstance(value, float):
        return rng.choice([*FLOATS, -value])
    if isinstance(value, str):
        return rng.choice(WORDS)
    changed = list(value)
    if changed and rng.random() < 0.7:
        place = rng.randrange(len(changed))
        changed[place] = _change_value(rng, changed[place])
    else:
        changed = changed[:-1] if rng.random() < 0.5 else [*changed, *[1] * rng.choice([1, 2, 100])]
    return changed


def draw(spec: Spec, entry: Entry, rng: random.Random) -> Drawn:
    """Draws a call: the contract's example with one to four values changed. Often the results follow the changes."""
    call, layouts = example_call(spec, entry), {}
    given = [a for a in entry.arguments if call.values.get(a.target) is not None]
    for argument in rng.choices(given, k=rng.choice([1, 1, 2, 3, 4])):
        name, value = argument.target, call.values[argument.target]
        if isinstance(value, Shaped):
            value = _change_tensor(rng, value, layouts.setdefault(name, Layout()))
        else:
            value = _change_value(rng, value)
        call = call.with_value(name, value)
        if len(argument.targets) > 1 and isinstance(value, list):
            call = call.with_value(argument.targets[1], value)
    if rng.random() < 0.7:
        call = _followed(spec, call)
    if rng.random() < 0.1:
        pointers = [argument.name for argument in entry.arguments if argument.pointer]
        call.nulls.append(rng.choice([*pointers, "workspaceSize", "executor"]))
    return _as_drawn(entry, call, layouts)


def _followed(spec: Spec, call: Call) -> Call:
    try:
        return with_results(spec, call)
    except (ValueError, TypeError, LookupError, ArithmeticError, MemoryError):  # sizes that cannot be
        return call


def _as_drawn(entry: Entry, call: Call, layouts: dict[str, Layout]) -> Drawn:
    described = BadCall("", entry.name, "", call, 0, "").to_json(entry)
    arguments = dict(described["arguments"])
    for argument in entry.arguments:
        value = arguments[argument.name]
        if isinstance(value, dict):
            layout = layouts.get(argument.target, Layout())
            strides = (
                layout.strides if layout.strides and len(layout.strides) == len(value["shape"]) else None
            )
            shape = [_fit(extent, 2**63) for extent in value["shape"]]
            arguments[argument.name] = [shape, value["dtype"], layout.format, strides, layout.offset]
        elif isinstance(value, list):
            arguments[argument.name] = [_fit(element, 2**63) for element in value]
        elif isinstance(value, int) and not isinstance(value, bool):
            arguments[argument.name] = _fit(value, SMALL[argument.ctype])
    return Drawn(entry.name, arguments, described["nulls"])


def _fit(value: int, bound: int) -> int:
    """Returns the number nearest to the value that a C integer can be."""
    return min(max(int(value), -bound), bound - 1)


def wrong_with(drawn: Drawn) -> tuple[int, str]:
    """Makes a call; returns its status, -1 where no object could be made, and what is wrong with the answer."""
    try:
        status, message = drawn.make()
    except Exception as error:
        # No exception may leave a C function; the caller of this one is Python, which shows it.
        refused = getattr(error, "code", None) == NO_OBJECT
        return -1, "" if refused else f"{type(error).__name__}: {error}"
    if status not in STATUSES:
        return status, f"status {status} ({message}), expected one of {', '.join(map(str, STATUSES))}"
    if status and not message:
        return status, f"status {status} without a message"
    return status, ""


def fuzz(
    names: list[str], seconds: float, seed: int, begin: Callable[[Drawn], None], most: int = sys.maxsize
) -> int:
    """Makes calls of all operators in turn until the time is over or `most` are made; returns the number of faults.

    begin: is called with each call before it is made.
    """
    entries = [(spec_of(name), entry) for name in names for entry in spec_of(name).entries]
    rng, answers, failed = random.Random(seed), Counter(), 0
    first = draw(*entries[0], random.Random(0))
    begin(first)
    limit_time(SECONDS)
    wrong_with(first)  # opens the device
    limit_memory(MEMORY)
    end, made = time.monotonic() + seconds, 0
    while time.monotonic() < end and made < most and failed < 10:
        drawn = draw(*entries[made % len(entries)], rng)
        begin(drawn)
        limit_time(SECONDS)
        status, wrong = wrong_with(drawn)
        answers[status] += 1
        if wrong:
            failed += 1
            print(f"{wrong}\n  {rerun_line(drawn)}", flush=True)
        made += 1
    limit_time(0)
    told = ", ".join(f"{count} x {status}" for status, count in sorted(answers.items()))
    print(f"{made} calls of {len(entries)} functions; statuses: {told}", flush=True)
    return failed


def with_functions() -> list[str]:
    """The operators that have aclnn functions."""
    return [name for name in operators() if spec_of(name).entries]


def rerun_line(drawn: Drawn) -> str:
    return f"./build.sh fuzz arguments -- --call '{drawn.text}'"


def main(arguments: list[str] | None = None) -> int:
    parser = argparse.ArgumentParser(
        prog="./build.sh fuzz arguments --",
        description="Random arguments for the first phase of every aclnn function. Each must answer with a status. "
        "Status 1 where one does not; the call is printed as the line that makes it again.",
    )
    add_length(parser, "calls")
    parser.add_argument("--calls", type=int, default=sys.maxsize, help="most calls (default: as many as fit)")
    parser.add_argument("--call", help="make one call, as a run printed it")
    options = parser.parse_args(arguments)
    if options.call:
        status, wrong = wrong_with(Drawn(**json.loads(options.call)))
        print(wrong or f"status {status}, as it should")
        return int(bool(wrong))
    seed = seed_of(options)
    print(f"seed {seed}, {options.seconds:g} s", flush=True)
    failed = survives(
        lambda begin: fuzz(with_functions(), options.seconds, seed, begin, options.calls), rerun_line
    )
    print(f"{failed} faults" if failed else "no fault found")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
