# SPDX-License-Identifier: Apache-2.0
"""What a pass is, and the registry of passes by name."""

from __future__ import annotations

import abc
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from typing import ClassVar

import numpy as np
import onnx_ir as ir
from onnxscript.rewriter import MatchingTracer, MatchStatus, RewriteRule, RewriteRuleSet

from ascend_vision_ops.onnx.execute import Runner
from ascend_vision_ops.onnx.passes._values import graphs_of, label
from ascend_vision_ops.opgen.model import Tolerance

EXACT = Tolerance(why="the same operations on the same numbers")
ROUNDED = Tolerance(
    largest=2e-5,
    relative=1e-4,
    why="sums in another order, weights rounded once more, and what a model makes of that",
)

Feeds = dict[str, np.ndarray]
Pair = tuple[str, np.ndarray, np.ndarray]


class Refused(Exception):
    """A pass cannot apply, here or at all; the text is the reason."""


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
    # One that a user asks for by name: when it refuses, that is an error and not a remark.
    demanded: ClassVar[bool] = False
    # What its argument is, in `name=argument`; none for most.
    argument: ClassVar[str] = ""

    @abc.abstractmethod
    def run(self, model: ir.Model) -> Outcome: ...

    def split_off(self) -> dict[str, ir.Model]:
        """Models that this pass took off the graph, by what they are."""
        return {}

    def pairs(self, before: Runner, after: Runner, make: Callable[[ir.Model], list[Feeds]]) -> Iterator[Pair]:
        """Name, expected and got of every output that must agree; passes that change the interface say how it maps."""
        feeds = make(before.model)
        wanted = [before(feed) for feed in feeds]
        before.close()
        for feed, want in zip(feeds, wanted, strict=True):
            got = after(feed)
            yield from ((name, array, got.get(name)) for name, array in want.items())


class NodePass(Pass):
    """Looks at each node of some types: a predicate, and a transformation of the nodes that satisfy it."""

    op_types: ClassVar[frozenset[str]]

    @abc.abstractmethod
    def applies(self, node: ir.Node, model: ir.Model) -> bool:
        """Whether to transform; raises Refused where the node looks right, but something stands in the way."""

    @abc.abstractmethod
    def transform(self, node: ir.Node, model: ir.Model) -> None: ...

    def run(self, model: ir.Model) -> Outcome:
        outcome = Outcome()
        for graph in graphs_of(model):
            for node in [node for node in graph if node.domain == "" and node.op_type in self.op_types]:
                if node.graph is None:  # an earlier transformation took it along
                    continue
                try:
                    if self.applies(node, model):
                        self.transform(node, model)
                        outcome.applied += 1
                except Refused as reason:
                    outcome.refused.append(f"{label(node)}: {reason}")
        return outcome


class GraphPass(Pass):
    """Works on the graph as a whole."""

    @abc.abstractmethod
    def transform(self, model: ir.Model) -> int:
        """Transforms, and counts what it changed; raises Refused before it changed anything."""

    def run(self, model: ir.Model) -> Outcome:
        try:
            return Outcome(self.transform(model))
        except Refused as reason:
            return Outcome(refused=[str(reason)])


class RulePass(Pass):
    """Rewrite rules of onnxscript."""

    rules: ClassVar[tuple[RewriteRule, ...]]

    def worthwhile(self, model: ir.Model) -> bool:
        """A cheap look at whether any rule may fit: matching all of them at every node takes its time."""
        return True

    def run(self, model: ir.Model) -> Outcome:
        if not self.worthwhile(model):
            return Outcome()
        reasons = _Reasons()
        applied = RewriteRuleSet(self.rules).apply_to_model(model, tracer=reasons)
        return Outcome(applied, reasons.lines)


class _Reasons(MatchingTracer):
    """Collects why nodes that a pattern fits were left alone."""

    def __init__(self):
        super().__init__()
        self.lines: list[str] = []

    def log(self, rule, container, node, match_result, status):
        if status == MatchStatus.CONDITION_FAILED and match_result.reason:
            self.lines.append(f"{label(node)}: {match_result.reason}")


REGISTRY: dict[str, type[Pass]] = {}


def register(cls: type[Pass]) -> type[Pass]:
    """Class decorator: makes a pass known under its name."""
    if cls.name in REGISTRY:
        raise ValueError(f"two passes are called {cls.name!r}")
    REGISTRY[cls.name] = cls
    return cls


def make(text: str) -> Pass:
    """The pass that `name` or `name=argument` describes; ValueError says what was expected."""
    name, equals, argument = text.partition("=")
    if name not in REGISTRY:
        raise ValueError(f"no pass {name!r}; there are {', '.join(sorted(REGISTRY))}")
    cls = REGISTRY[name]
    if equals and not cls.argument:
        raise ValueError(f"pass {name} takes no argument, got {argument!r}")
    return cls(argument) if equals else cls()
