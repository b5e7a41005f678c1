# SPDX-License-Identifier: Apache-2.0
"""Cuts non-maximum suppression and everything behind it off a detector."""

from __future__ import annotations

import re

import onnx_ir as ir

from ascend_vision_ops.onnx.execute import Runner
from ascend_vision_ops.onnx.passes._base import Refused, register
from ascend_vision_ops.onnx.passes._shapes import infer_shapes
from ascend_vision_ops.onnx.passes._split import SplitPass, keep
from ascend_vision_ops.onnx.passes._values import constant_tensor, is_onnx

# The types of ONNX's, mmcv's, mmdeploy's and TensorRT's nodes all contain one of these words.
SUPPRESSION = re.compile(r"nms|nonmaxsuppression|non_max_suppression", re.IGNORECASE)


@register
class CutPostprocessing(SplitPass):
    name = "cut_postprocessing"
    summary = "cuts off non-maximum suppression and what depends on it, as a model of their own"
    part_name = "postprocessing"

    def transform(self, model: ir.Model) -> int:
        if self.part is not None:
            return 0
        infer_shapes(model)
        behind: set[ir.Node] = set()
        for node in model.graph:
            feeds = any(value.producer() in behind for value in _read_by(node))
            if SUPPRESSION.search(node.op_type) or feeds:
                behind.add(node)
        if not behind:
            raise Refused("it has no non-maximum suppression")
        for node in reversed(model.graph):
            users = {user for value in node.outputs for user, _ in value.uses()}
            if users and users <= behind and _picks(node):
                behind.add(node)
        crossing: dict[str, ir.Value] = {}
        for node in model.graph:
            if node in behind:
                for value in _read_by(node):
                    made_before = value.producer() is None or value.producer() not in behind
                    if made_before and constant_tensor(value) is None:
                        crossing.setdefault(value.name, value)
        outputs = [value.name for value in model.graph.outputs if value.producer() not in behind]
        made = [name for name, value in crossing.items() if value.producer() is not None]
        if not made and not outputs:
            raise Refused("non-maximum suppression works on the model's inputs: nothing would be left")
        for name in made:
            if crossing[name].type is None:
                raise Refused(f"{name!r}, which would be an output, has no known type")
        ends = [value.name for value in model.graph.outputs if value.producer() in behind]
        self.part = model.clone()
        keep(self.part, list(crossing), ends)
        used = [value.name for value in model.graph.inputs if value.uses()]
        keep(model, [value.name for value in model.graph.inputs], list(dict.fromkeys([*outputs, *made])))
        for value in list(model.graph.inputs):
            if value.name in used and not value.uses() and not value.is_graph_output():
                model.graph.inputs.remove(value)  # the other part needs it alone
        return len(behind)

    def pairs(self, before, after, make):
        yield from self._in_a_row(before, after, Runner(self.part), make(before.model))


def _picks(node: ir.Node) -> bool:
    """Whether a node only selects or renames an input of the suppression, such as one image of the batch.

    Such a node is cut off with the suppression.
    """
    if any(value.is_graph_output() for value in node.outputs):
        return False
    constant_index = is_onnx(node, "Gather") and constant_tensor(node.inputs[1]) is not None
    return constant_index or is_onnx(node, "Squeeze", "Unsqueeze", "Identity", "Cast", "Slice")


def _read_by(node: ir.Node) -> list[ir.Value]:
    """The values of a node's own graph that it reads, also inside of its subgraphs."""
    values = [value for value in node.inputs if value is not None]
    for attribute in node.attributes.values():
        if attribute.type == ir.AttributeType.GRAPH:
            for inner in attribute.as_graph().all_nodes():
                values += [v for v in inner.inputs if v is not None and _is_of(v, node.graph)]
    return values


def _is_of(value: ir.Value, graph: ir.Graph) -> bool:
    return (value.producer() is not None and value.producer().graph is graph) or value in graph.inputs
