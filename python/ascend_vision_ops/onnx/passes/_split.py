# SPDX-License-Identifier: Apache-2.0
"""Cuts a graph in two at some values, and compares the two parts, one after the other, with the whole graph."""

from __future__ import annotations

from collections.abc import Iterator

import onnx_ir as ir
import onnx_ir.passes.common as common

from ascend_vision_ops.onnx.execute import Runner
from ascend_vision_ops.onnx.passes._base import Feeds, GraphPass, Pair, side_by_side


class SplitPass(GraphPass):
    """A pass that cuts a part off the model and keeps it as a model of its own."""

    part_name: str
    demanded = True

    def __init__(self):
        self.part: ir.Model | None = None

    def split_off(self) -> dict[str, ir.Model]:
        return {} if self.part is None else {self.part_name: self.part}

    def _in_a_row(self, before: Runner, first: Runner, second: Runner, feeds) -> Iterator[Pair]:
        """The outputs of the whole model, and those of both parts: the second part gets the first one's outputs."""

        def both(feed: Feeds) -> Feeds:
            made = first({name: feed[name] for name in input_names(first.model)})
            known = feed | made
            return made | second({name: known[name] for name in input_names(second.model)})

        return side_by_side(before, both, feeds)


def input_names(model: ir.Model) -> list[str]:
    return [value.name for value in model.graph.inputs]


def keep(model: ir.Model, inputs: list[str], outputs: list[str]) -> None:
    """Keeps only the nodes between some values and others, by their names, in place."""
    graph = model.graph
    values = ir.convenience.create_value_mapping(graph)
    graph.outputs.clear()
    graph.outputs.extend(values[name] for name in outputs)
    kept = [value for value in graph.inputs if value.name in inputs]
    for name in inputs:
        value = values[name]
        if value.producer() is not None:
            fresh = ir.Value(name=name, type=value.type, shape=value.shape)
            value.name = f"{name}_made"
            ir.convenience.replace_all_uses_with(value, fresh, replace_graph_outputs=True)
            kept.append(fresh)
    graph.inputs.clear()
    graph.inputs.extend(kept)
    common.RemoveUnusedNodesPass()(model)
    common.RemoveUnusedFunctionsPass()(model)
    common.RemoveUnusedOpsetsPass()(model)
