# SPDX-License-Identifier: Apache-2.0
"""Classes for onnx's reference evaluator: each node calls the NumPy reference of its operator."""

from __future__ import annotations

import functools

import numpy as np
from onnx import helper
from onnx.reference.op_run import OpRun

from ascend_vision_ops.onnx import Node, contracts, nodes
from ascend_vision_ops.onnx.schemas import result_dtypes
from ascend_vision_ops.testing.cases import numpy_dtype
from ascend_vision_ops.testing.run import expected


def evaluate(node: Node, inputs, attributes) -> tuple[np.ndarray, ...]:
    """Computes the results of a node in float64, rounded once; arrays in the order of its outputs.

    inputs: arrays, with None for an input that is left out. The last ones may also be missing from the sequence.
    """
    given = [*inputs, *[None] * (len(node.inputs) - len(inputs))]
    arrays = {item.parameter: array for item, array in zip(node.inputs, given, strict=True)}
    dtypes = {name: None if array is None else array.dtype.name for name, array in arrays.items()}
    arguments = node.arguments(attributes)
    results = expected(node.operator, {**arrays, **arguments})
    by_name = dict(zip(contracts()[node.operator].outputs, results, strict=True))
    wanted = result_dtypes(node, dtypes, arguments)
    with np.errstate(over="ignore", invalid="ignore"):
        return tuple(
            np.asarray(by_name[name]).astype(numpy_dtype(dtype))
            for name, dtype in zip(node.outputs, wanted, strict=True)
        )


def _operator(node: Node) -> type[OpRun]:
    def run(self, *inputs, **_):
        attributes = {each.name: helper.get_attribute_value(each) for each in self.onnx_node.attribute}
        return evaluate(node, inputs, attributes)

    return type(node.name, (OpRun,), {"op_domain": node.domain, "_run": run})


@functools.cache
def _operators() -> tuple[type[OpRun], ...]:
    return tuple(_operator(node) for node in nodes())


def operators() -> list[type[OpRun]]:
    """One class for each node, with the name of the node."""
    return list(_operators())
