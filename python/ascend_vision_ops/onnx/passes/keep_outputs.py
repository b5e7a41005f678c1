# SPDX-License-Identifier: Apache-2.0
"""Keeps the outputs that somebody needs, and the inputs that these need."""

from __future__ import annotations

from collections.abc import Iterator

import onnx_ir as ir

from ascend_vision_ops.onnx.passes._base import Feeds, GraphPass, Pair, Refused, register, side_by_side
from ascend_vision_ops.onnx.passes._split import input_names, keep


@register
class KeepOutputs(GraphPass):
    """names: the outputs to keep, with + between them; all of them where none is given."""

    name = "keep_outputs"
    summary = "keeps the named outputs, or all where none is named, and of the inputs those that they need"
    argument = "NAME+NAME"
    demanded = True

    def __init__(self, names: str = ""):
        self.names = [name for name in names.split("+") if name]

    def transform(self, model: ir.Model) -> int:
        known = [value.name for value in model.graph.outputs]
        for name in self.names:
            if name not in known:
                raise Refused(f"it has no output {name!r}; there are {', '.join(map(repr, known))}")
        before = len(model.graph.inputs) + len(known)
        keep(model, input_names(model), [name for name in known if name in self.names or not self.names])
        for value in list(model.graph.inputs):
            if not value.uses() and not value.is_graph_output():
                model.graph.inputs.remove(value)
                model.graph.initializers.pop(value.name, None)
        return before - len(model.graph.inputs) - len(model.graph.outputs)

    def pairs(self, before, after, make) -> Iterator[Pair]:
        needed = input_names(after.model)

        def smaller(feed: Feeds) -> Feeds:
            return after({name: feed[name] for name in needed})

        for pair in side_by_side(before, smaller, make(before.model)):
            if pair[0] in after.names:
                yield pair
