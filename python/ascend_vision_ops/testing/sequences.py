# SPDX-License-Identifier: Apache-2.0
"""What cores issued, as the simulated device records it (sim/ascendc/engine/recording.h), and how two of them differ.

A call runs on two back ends: on the package's own AscendC headers, and on CANN's. What is the same thing said in two
ways is made equal here, in `normalised`. What may differ for a reason has a line in differences.yaml.
"""

from __future__ import annotations

import functools
import itertools
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path

import yaml

# The names of lines that are no instructions.
KINDS = {
    "F": "SetFlag",
    "W": "WaitFlag",
    "B": "PipeBarrier",
    "X": "CrossCoreSetFlag",
    "T": "CrossCoreWaitFlag",
}


@dataclass(frozen=True)
class Step:
    """One line of a recording. `name` says what it is, `values` all that is compared, `calls` where it comes from."""

    name: str
    values: tuple[str, ...]
    calls: str

    @property
    def text(self) -> str:
        return " ".join((self.name, *self.values))


@dataclass(frozen=True)
class Difference:
    """The first place at which the sequences of a core differ; None where one of them has ended.

    before: how many steps are equal.
    """

    kernel: str
    core: int
    before: int
    ours: Step | None
    theirs: Step | None

    @property
    def kind(self) -> str:
        names = [step.name if step else "end" for step in (self.ours, self.theirs)]
        if names[0] != names[1]:
            return f"{names[0]} / {names[1]}"
        fields = [
            field.split(",")[0].split("=")[0]
            for field, other in itertools.zip_longest(self.ours.values, self.theirs.values, fillvalue="")
            if field != other
        ]
        return f"{names[0]}: {fields[0]}"


@dataclass(frozen=True)
class Rule:
    """A difference that stays: steps that one back end has and the other one lacks.

    side: "ours" or "theirs". drop: the beginning of a step's text. inside: a name among the calls that led to it.
    """

    side: str
    drop: str
    why: str
    inside: str = ""

    def fits(self, side: str, step: Step) -> bool:
        return side == self.side and step.text.startswith(self.drop) and self.inside in step.calls


@functools.cache
def rules() -> tuple[Rule, ...]:
    """The differences that stay, each with its reason."""
    listed = yaml.safe_load((Path(__file__).parent / "differences.yaml").read_text(encoding="utf-8"))
    return tuple(Rule(**one) for one in listed)


def _instruction(words: list[str], allocations: dict[str, int]) -> tuple[str, tuple[str, ...]]:
    pipe, name, _, repeats, elements, element_bytes, atomic, *operands = words
    numbers = {
        "pipe": pipe,
        "repeats": repeats,
        "elements": elements,
        "bytes": element_bytes,
        "atomic": atomic,
    }
    if pipe.startswith("MTE"):
        del (
            numbers["elements"],
            numbers["bytes"],
        )  # intrinsics of copies count bytes; the operands say how many
    values = [f"{field}={value}" for field, value in numbers.items()]
    for operand in operands:
        fields = operand.split(",")
        start, plus, offset = fields[3].partition("+")
        if plus:
            fields[3] = f"{allocations.setdefault(start, len(allocations))}+{offset}"
        for count, stride in ((fields[5], 6), (fields[7], 8)):
            if count == "1":  # the distance to a row or group that is not there
                fields[stride] = "0"
        values.append(",".join(fields))
    return name, tuple(values)


def steps_of(core: dict) -> list[Step]:
    """Reads the lines of a core. An address in GM becomes the number of its allocation, in the order of their use."""
    allocations: dict[str, int] = {}
    steps = []
    for line in core["lines"].splitlines():
        kind, *words = line.split(" ")
        if kind == "I":
            site = words[2]
            name, values = _instruction(words, allocations)
        else:
            *values, site = words
            name, values = KINDS[kind], tuple(values)
        steps.append(Step(name, values, core["sites"][int(site)][1]))
    return steps


def normalised(steps: Iterable[Step], side: str, scalar: bool = False) -> list[Step]:
    """Leaves out what says nothing about the other back end.

    - Accesses of the scalar unit, unless `scalar`: the compiler merges loads, and keeps values in registers.
    - What the rules name.

    Source lines and the ids of buffers are not part of a step; the ids of events are.
    """
    return [
        step
        for step in steps
        if (scalar or "pipe=S" not in step.values) and not any(rule.fits(side, step) for rule in rules())
    ]


def first_difference(ours: list[dict], theirs: list[dict], scalar: bool = False) -> Difference | None:
    """Compares the recordings of a call, kernel by kernel and core by core."""
    for own, other in itertools.zip_longest(ours, theirs, fillvalue={"kernel": "none", "cores": []}):
        if own["kernel"] != other["kernel"] or len(own["cores"]) != len(other["cores"]):
            names = [
                Step(f"kernel {one['kernel']}", (f"{len(one['cores'])} cores",), "") for one in (own, other)
            ]
            return Difference(own["kernel"], 0, 0, *names)
        for core, counterpart in zip(own["cores"], other["cores"], strict=True):
            left = normalised(steps_of(core), "ours", scalar)
            right = normalised(steps_of(counterpart), "theirs", scalar)
            for place, (a, b) in enumerate(itertools.zip_longest(left, right)):
                if a is None or b is None or (a.name, a.values) != (b.name, b.values):
                    return Difference(own["kernel"], core["core"], place, a, b)
    return None
