# SPDX-License-Identifier: Apache-2.0
"""Replaces a Loop that never runs by its initial values, and one that runs once by the nodes of its body."""

from __future__ import annotations

import numpy as np
import onnx_ir as ir

from ascend_vision_ops.onnx.passes._base import NodePass, Refused, register
from ascend_vision_ops.onnx.passes._inline import adopt, empty
from ascend_vision_ops.onnx.passes._values import constant, input_of, new_initializer, opset, take_place


@register
class InlineLoops(NodePass):
    name = "inline_loops"
    summary = (
        "a Loop that never runs becomes its initial values, one that runs once becomes the nodes of its body"
    )
    op_types = frozenset({"Loop"})

    def applies(self, node: ir.Node, model: ir.Model) -> bool:
        times = _times(node)
        if times is None:
            return False
        if any(value.is_graph_output() for value in node.outputs):
            raise Refused("an output of the Loop is an output of its graph")
        if times == 0 and any(value.uses() for value in node.outputs[len(node.inputs) - 2 :]):
            raise Refused("it never runs, and the shape of what it would collect is unknown")
        return True

    def transform(self, node: ir.Node, model: ir.Model) -> None:
        body, initial = node.attributes["body"].as_graph(), list(node.inputs[2:])
        results = initial
        if _times(node) == 0:
            empty(body)
        else:
            first = new_initializer(node.graph, f"{node.outputs[0].name}_iteration", np.array(0, np.int64))
            goes_on = new_initializer(node.graph, f"{node.outputs[0].name}_goes_on", np.array(True))
            given = dict(zip(body.inputs, [first, goes_on, *initial], strict=True))
            made = [given.get(value, value) for value in adopt(node, body)[1:]]
            for old, new in given.items():
                ir.convenience.replace_all_uses_with(old, new)
            results = made[: len(initial)] + [
                _collected(node, value, opset(model)) for value in made[len(initial) :]
            ]
        # Nobody uses what a Loop collected that never ran.
        for old, new in zip(node.outputs, results, strict=False):
            take_place(old, new)
        node.graph.remove(node, safe=True)


def _times(node: ir.Node) -> int | None:
    """How often a Loop runs, where that is known to be never or once; None elsewhere.

    It ends after `limit` runs, or where its condition is false.
    """
    limit, condition = (constant(input_of(node, index)) for index in (0, 1))
    if (limit is not None and limit.item() <= 0) or (condition is not None and not condition.item()):
        return 0
    starts = node.inputs[1] is None or condition is not None
    has_limit = node.inputs[0] is not None
    behind = constant(node.attributes["body"].as_graph().outputs[0])
    ends = (limit is not None and limit.item() == 1) or (
        behind is not None and not behind.item() and (not has_limit or limit is not None)
    )
    return 1 if starts and ends else None


def _collected(node: ir.Node, value: ir.Value, version: int) -> ir.Value:
    """What a Loop of one run collects of a value: that value as the only row."""
    inputs, attributes = [value], [ir.AttrInt64s("axes", [0])]
    if version >= 13:
        inputs, attributes = [value, new_initializer(node.graph, f"{value.name}_axis", np.array([0]))], []
    row = ir.Node("", "Unsqueeze", inputs, attributes, name=f"{value.name}_row")
    row.outputs[0].name, row.outputs[0].type = f"{value.name}_row", value.type
    node.graph.insert_before(node, row)
    return row.outputs[0]
