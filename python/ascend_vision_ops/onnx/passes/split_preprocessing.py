# SPDX-License-Identifier: Apache-2.0
"""Cuts normalisation off the beginning of a model. AIPP does it on the device."""

from __future__ import annotations

import onnx_ir as ir

from ascend_vision_ops.onnx.execute import Runner
from ascend_vision_ops.onnx.passes._base import Refused, register
from ascend_vision_ops.onnx.passes._shapes import infer_shapes
from ascend_vision_ops.onnx.passes._split import SplitPass, keep
from ascend_vision_ops.onnx.passes._values import constant_tensor

LEADING = ("Sub", "Div", "Mul", "Add", "Cast", "Transpose", "Identity")


@register
class SplitPreprocessing(SplitPass):
    name = "split_preprocessing"
    summary = "cuts off leading Cast, Sub, Add, Mul, Div and Transpose of inputs, as a model of their own"
    part_name = "preprocessing"

    def transform(self, model: ir.Model) -> int:
        if self.part is not None:
            return 0
        infer_shapes(model)
        chains = {value: _chain(value) for value in model.graph.inputs}
        ends = {value: chain[-1].outputs[0] for value, chain in chains.items() if chain}
        if not ends:
            raise Refused(f"no input leads to one of {', '.join(LEADING)} with a constant alone")
        for end in ends.values():
            if end.type is None or end.shape is None:
                raise Refused(f"{end.name!r}, where the model would begin, has no known shape")
        whole = model.clone()
        cut = [end.name for end in ends.values()]
        keep(whole, [value.name for value in ends], cut)
        self.part = whole
        names = [ends[value].name if value in ends else value.name for value in model.graph.inputs]
        count = sum(len(chain) for chain in chains.values())
        keep(model, names, [value.name for value in model.graph.outputs])
        return count

    def pairs(self, before, after, make):
        yield from self._in_a_row(before, Runner(self.part), after, make(before.model))


def _chain(value: ir.Value) -> list[ir.Node]:
    """The nodes in a row behind an input. Each is the only user of the one before; its other inputs are constants."""
    nodes: list[ir.Node] = []
    while len(value.uses()) == 1 and not value.is_graph_output():
        node = next(iter(value.consumers()))
        others = [item for item in node.inputs if item is not value]
        known = all(constant_tensor(item) is not None for item in others)
        if (
            node.domain
            or node.op_type not in LEADING
            or not known
            or (node.graph is not value.graph and nodes)
        ):
            break
        if node.op_type in ("Sub", "Div") and node.inputs[0] is not value:
            break
        nodes.append(node)
        value = node.outputs[0]
    if nodes and nodes[-1].outputs[0].is_graph_output():
        nodes.pop()  # the model keeps the node that makes its output
    return nodes
