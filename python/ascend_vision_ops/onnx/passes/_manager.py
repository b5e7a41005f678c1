# SPDX-License-Identifier: Apache-2.0
"""Runs lists of passes, once or until none of them changes the model, and reports what each did."""

from __future__ import annotations

import gc
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field

import onnx_ir as ir
import onnx_ir.passes.common as common

from ascend_vision_ops.onnx.execute import first_line
from ascend_vision_ops.onnx.files import ModelError, free_weights
from ascend_vision_ops.onnx.passes._base import Pass
from ascend_vision_ops.onnx.passes._check import Checker
from ascend_vision_ops.onnx.passes._stated import Stated
from ascend_vision_ops.onnx.passes._values import node_count

# More rounds than any model needs. Passes that undo each other's work would run forever.
MAX_ROUNDS = 20


@dataclass
class Row:
    """What one pass did in all rounds, and the number of nodes before its first and after its last change."""

    name: str
    applied: int = 0
    refused: list[str] = field(default_factory=list)
    before: int | None = None
    after: int | None = None
    milliseconds: float = 0.0
    check: str = ""


def _know_custom_nodes(model: ir.Model) -> None:
    """Makes our nodes known to onnx, so that inference sees through them, where a model has nodes that are not ONNX's.

    This reads all contracts, which takes longer than most passes.
    """
    if model.functions or set(model.graph.opset_imports) - {"", "ai.onnx"}:
        from ascend_vision_ops.onnx import schemas

        schemas.register()


def _fix_names(model: ir.Model) -> None:
    """Gives each value a name of its own, since a file knows values by name alone.

    Nodes without a name, and outputs without one, which nobody uses, stay so: names would make the file larger.
    """
    nodes = [node for part in (model.graph, *model.functions.values()) for node in part.all_nodes()]
    nameless = [item for node in nodes for item in (node, *node.outputs) if item.name == ""]
    common.NameFixPass()(model)
    for item in nameless:
        item.name = ""


@dataclass
class Report:
    rows: list[Row]
    rounds: int = 0
    nodes_before: int = 0
    nodes_after: int = 0
    split_off: dict[str, ir.Model] = field(default_factory=dict)
    stale: str = ""  # where the shapes that the model stated contradict those of its inputs

    def row(self, name: str) -> Row:
        return next(row for row in self.rows if row.name == name)


class Manager:
    """Runs passes over a model, in place.

    checker: compares the model before and after each pass that changed it; none by default.
    progress: called with a pass's name before it runs.
    """

    def __init__(
        self,
        passes: Sequence[Pass],
        checker: Checker | None = None,
        progress: Callable[[str], None] = lambda name: None,
    ):
        self.passes, self.checker, self.progress = list(passes), checker, progress
        self._nodes = 0

    def run_once(self, model: ir.Model) -> Report:
        """Runs each pass once, in order."""
        return self._run(model, 1)

    def run_to_fixed_point(self, model: ir.Model) -> Report:
        """Runs the list until a whole round changes nothing. Raises RuntimeError where that never happens."""
        return self._run(model, MAX_ROUNDS)

    def _run(self, model: ir.Model, rounds: int) -> Report:
        # A graph has millions of small objects that stay alive. The garbage collector would take a quarter of the time.
        collects = gc.isenabled()
        gc.disable()
        try:
            return self._rounds(model, rounds)
        finally:
            if collects:
                gc.enable()

    def _rounds(self, model: ir.Model, rounds: int) -> Report:
        _know_custom_nodes(model)
        free_weights(model)
        self._nodes = node_count(model)
        report = Report([Row(item.name) for item in self.passes], nodes_before=self._nodes)
        stated = Stated(model)
        report.stale = stated.stale
        if self.checker:
            self.checker.start(model)
        for report.rounds in range(1, rounds + 1):
            # A list, since any() would stop at the first pass that changed something. Demanded passes run once.
            changed = [
                (report.rounds == 1 or not item.demanded) and self._step(item, row, model)
                for item, row in zip(self.passes, report.rows, strict=True)
            ]
            if not any(changed):
                break
        else:
            if rounds > 1:
                still = ", ".join(
                    item.name for item, change in zip(self.passes, changed, strict=True) if change
                )
                raise RuntimeError(f"after {rounds} rounds these passes still change the model: {still}")
        _fix_names(model)
        for item in self.passes:
            report.split_off |= item.split_off()
        report.nodes_after = self._nodes
        stated.restore(model)
        return report

    def _step(self, item: Pass, row: Row, model: ir.Model) -> bool:
        self.progress(item.name)
        before, start = self._nodes, time.perf_counter()
        try:
            outcome = item.run(model)
        except (ValueError, RuntimeError):
            raise  # a message of its own
        except Exception as error:
            raise ModelError(
                f"pass {item.name} cannot take this model: {type(error).__name__}: {first_line(error)}; "
                "leave it out of --passes"
            ) from error
        row.milliseconds += (time.perf_counter() - start) * 1e3
        # Only the reasons of the last round: those of earlier rounds may no longer hold.
        row.applied, row.refused = row.applied + outcome.applied, outcome.refused
        if outcome.applied:
            row.before = before if row.before is None else row.before
            row.after = self._nodes = node_count(model)
            if self.checker:
                _fix_names(model)
                row.check = self.checker.check(item, model)
        return bool(outcome.applied)
