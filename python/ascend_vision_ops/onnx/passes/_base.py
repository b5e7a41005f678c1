# SPDX-License-Identifier: Apache-2.0
"""The base classes of passes, and the registry of passes by name."""

from __future__ import annotations

import abc
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, ClassVar

import numpy as np
import onnx_ir as ir

from ascend_vision_ops.onnx.passes._values import graphs_of, label
from ascend_vision_ops.opgen.model import Tolerance

if TYPE_CHECKING:
    from ascend_vision_ops.onnx.execute import Runner

EXACT = Tolerance(why="the same operations on the same numbers")
ROUNDED = Tolerance(
    largest=2e-5,
    relative=1e-4,
    why="sums in another order, weights rounded once more, and what a model makes of that",
)

Feeds = dict[str, np.ndarray]
Pair = tuple[str, np.ndarray, np.ndarray]


def side_by_side(
    before: Runner,
    after: Callable[[Feeds], Feeds],
    feeds: list[Feeds],
    ask: Callable[[Feeds], Feeds] | None = None,
) -> Iterator[Pair]:
    """Runs the model before a pass on all inputs, frees its weights, and then runs what came out of the pass.

    ask: runs the model before the pass, where that needs more than a call of `before`.
    """
    wanted = [(ask or before)(feed) for feed in feeds]
    before.close()
    for feed, want in zip(feeds, wanted, strict=True):
        got = after(feed)
        yield from ((name, array, got.get(name)) for name, array in want.items())


class Refused(Exception):
    """A pass cannot be applied, to one node or to the model. The text is the reason."""


@dataclass
class Outcome:
    """What one run of a pass did."""

    applied: int = 0
    refused: list[str] = field(default_factory=list)


class Pass(abc.ABC):
    """A transformation of a model, in place."""

    name: ClassVar[str]
    summary: ClassVar[str]
    tolerance: ClassVar[Tolerance] = EXACT
    # Whether a refusal is an error, since users ask for this pass by name and need what it does.
    demanded: ClassVar[bool] = False
    # What messages call the argument in `name=argument`; "" for a pass without an argument.
    argument: ClassVar[str] = ""

    @abc.abstractmethod
    def run(self, model: ir.Model) -> Outcome: ...

    def split_off(self) -> dict[str, ir.Model]:
        """The models that this pass cut off the graph, by the names of these parts."""
        return {}

    def pairs(self, before: Runner, after: Runner, make: Callable[[ir.Model], list[Feeds]]) -> Iterator[Pair]:
        """Name, expected array and given array of every output that must agree.

        A pass that changes the interface overrides this: it knows which inputs and outputs belong to each other.
        """
        yield from side_by_side(before, after, make(before.model))


class NodePass(Pass):
    """A pass that transforms those nodes of some types to which it applies."""

    op_types: ClassVar[frozenset[str]]

    @abc.abstractmethod
    def applies(self, node: ir.Node, model: ir.Model) -> bool:
        """Whether to transform a node. Raises Refused where it would, but for a reason that the user should know."""

    @abc.abstractmethod
    def transform(self, node: ir.Node, model: ir.Model) -> None: ...

    def run(self, model: ir.Model) -> Outcome:
        outcome = Outcome()
        for graph in graphs_of(model):
            for node in [node for node in graph if node.domain == "" and node.op_type in self.op_types]:
                if node.graph is None:  # an earlier transformation removed it
                    continue
                try:
                    if self.applies(node, model):
                        self.transform(node, model)
                        outcome.applied += 1
                except Refused as reason:
                    outcome.refused.append(f"{label(node)}: {reason}")
        return outcome


class GraphPass(Pass):
    """A pass that works on the graph as a whole."""

    @abc.abstractmethod
    def transform(self, model: ir.Model) -> int:
        """Transforms the model. Returns how much it changed. Raises Refused only before it changes anything."""

    def run(self, model: ir.Model) -> Outcome:
        try:
            return Outcome(self.transform(model))
        except Refused as reason:
            return Outcome(refused=[str(reason)])


REGISTRY: dict[str, type[Pass]] = {}


def register(cls: type[Pass]) -> type[Pass]:
    """A class decorator: makes a pass known by its name."""
    if cls.name in REGISTRY:
        raise ValueError(f"two passes are called {cls.name!r}")
    REGISTRY[cls.name] = cls
    return cls


def make(text: str) -> Pass:
    """Makes the pass for `name` or `name=argument`. Raises ValueError where there is no such pass."""
    name, equals, argument = text.partition("=")
    if name not in REGISTRY:
        raise ValueError(f"no pass {name!r}; there are {', '.join(sorted(REGISTRY))}")
    cls = REGISTRY[name]
    if equals and not cls.argument:
        raise ValueError(f"pass {name} takes no argument, got {argument!r}")
    return cls(argument) if equals else cls()
