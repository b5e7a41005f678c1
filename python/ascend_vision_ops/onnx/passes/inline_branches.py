# SPDX-License-Identifier: Apache-2.0
"""Replaces an If whose condition is a constant by the nodes of the branch that it takes."""

from __future__ import annotations

import onnx_ir as ir

from ascend_vision_ops.onnx.passes._base import NodePass, Refused, register
from ascend_vision_ops.onnx.passes._inline import adopt, empty
from ascend_vision_ops.onnx.passes._values import constant, take_place


@register
class InlineBranches(NodePass):
    name = "inline_branches"
    summary = "an If whose condition is a constant becomes the nodes of the branch that it takes"
    op_types = frozenset({"If"})

    def applies(self, node: ir.Node, model: ir.Model) -> bool:
        if constant(node.inputs[0]) is None:
            return False
        taken = _branches(node)[0]
        for old, new in zip(node.outputs, taken.outputs, strict=True):
            made = new.producer() is not None and new.producer().graph is taken
            if old.is_graph_output() and (not made or list(taken.outputs).count(new) > 1):
                raise Refused("an output must be made by a node of its graph")
        return True

    def transform(self, node: ir.Node, model: ir.Model) -> None:
        taken, left = _branches(node)
        outputs = adopt(node, taken)
        for old, new in zip(node.outputs, outputs, strict=True):
            take_place(old, new)
        node.graph.remove(node, safe=True)
        empty(left)


def _branches(node: ir.Node) -> tuple[ir.Graph, ir.Graph]:
    """The branch that an If takes, and the other one."""
    names = (
        ("then_branch", "else_branch") if constant(node.inputs[0]).item() else ("else_branch", "then_branch")
    )
    return node.attributes[names[0]].as_graph(), node.attributes[names[1]].as_graph()
