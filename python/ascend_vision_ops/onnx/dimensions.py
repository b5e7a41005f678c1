# SPDX-License-Identifier: Apache-2.0
"""Gives open dimensions of a model's inputs their sizes."""

from __future__ import annotations

from collections.abc import Mapping

import onnx_ir as ir

from ascend_vision_ops.onnx.atc import open_dimensions
from ascend_vision_ops.onnx.passes import EXACT, GraphPass, Refused
from ascend_vision_ops.onnx.passes._base import side_by_side
from ascend_vision_ops.onnx.passes._shapes import infer_shapes
from ascend_vision_ops.onnx.passes._values import graphs_of


class SetDimensions(GraphPass):
    """Sets dimensions by name, wherever inputs, outputs and values between have that name, and infers shapes again.

    sizes: sizes by the name of a dimension, or by `INPUT:AXIS` for one without a name.
    """

    name = "set_dimensions"
    summary = "gives open dimensions of inputs their sizes"
    tolerance = EXACT
    demanded = True

    def __init__(self, sizes: Mapping[str, int]):
        for name, size in sizes.items():
            if size < 1:
                raise ValueError(f"dimension {name}: expected a positive size, got {size}")
        self.sizes = dict(sizes)

    def transform(self, model: ir.Model) -> int:
        found = open_dimensions(model)
        for name in self.sizes:
            if name not in found:
                raise Refused(
                    f"no input has an open dimension {name!r}; open are: {', '.join(found) or 'none'}"
                )
        places = {(value, axis): self.sizes[name] for name in self.sizes for value, axis in found[name]}
        inputs = set(model.graph.inputs)
        for graph in graphs_of(model):
            values = {*graph.inputs, *graph.outputs, *(value for node in graph for value in node.outputs)}
            for value in values:
                if value.shape is not None:
                    dims = [self._sized(value, axis, dim, places) for axis, dim in enumerate(value.shape)]
                    if value not in inputs or dims != list(value.shape):
                        value.shape = ir.Shape(dims)
        infer_shapes(model)
        return len(places)

    def _sized(self, value: ir.Value, axis: int, dim, places):
        if isinstance(dim, int):
            return dim
        return places.get((value, axis), self.sizes.get(dim.value, dim))

    def pairs(self, before, after, make):
        """Runs both models on inputs of the new sizes."""
        yield from side_by_side(before, after, make(after.model))
