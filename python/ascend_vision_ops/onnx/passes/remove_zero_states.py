# SPDX-License-Identifier: Apache-2.0
"""Leaves out the initial states and biases of recurrent nodes where they are 0, which is what they are without."""

from __future__ import annotations

import numpy as np
import onnx_ir as ir

from ascend_vision_ops.onnx.passes._base import NodePass, register
from ascend_vision_ops.onnx.passes._values import constant, input_of, is_onnx

# The inputs that are 0 where they are absent: bias, initial states, peepholes.
OPTIONAL = {"LSTM": (3, 5, 6, 7), "GRU": (3, 5), "RNN": (3, 5)}
# Nodes whose result has no other elements than their first input.
KEEP_ZERO = {
    "Cast", "Expand", "Flatten", "Gather", "Identity", "Reshape", "Slice", "Squeeze", "Tile", "Transpose", "Unsqueeze",
}  # fmt: skip
LARGEST = 1 << 16  # elements of a constant that is looked at


@register
class RemoveZeroStates(NodePass):
    name = "remove_zero_states"
    summary = (
        "leaves out initial states and biases of LSTM, GRU and RNN that are 0, also those of an open batch"
    )
    op_types = frozenset(OPTIONAL)

    def applies(self, node: ir.Node, model: ir.Model) -> bool:
        return bool(_zeros(node))

    def transform(self, node: ir.Node, model: ir.Model) -> None:
        for index in _zeros(node):
            node.replace_input_with(index, None)
        used = max(index for index, value in enumerate(node.inputs) if value is not None) + 1
        node.resize_inputs(used)


def _zeros(node: ir.Node) -> list[int]:
    return [index for index in OPTIONAL[node.op_type] if _is_zero(input_of(node, index))]


def _is_zero(value: ir.Value | None) -> bool:
    """Whether all elements are known to be 0."""
    while value is not None:
        maker = value.producer()
        if is_onnx(maker, "ConstantOfShape"):
            filled = maker.attributes.get("value")
            return filled is None or not np.any(filled.as_tensor().numpy())
        if not is_onnx(maker, *KEEP_ZERO):
            break
        value = maker.inputs[0]
    if value is None or value.shape is None:
        return False
    dims = [dim for dim in value.shape if isinstance(dim, int)]
    if len(dims) < len(value.shape) or np.prod(dims, dtype=np.int64) > LARGEST:
        return False
    array = constant(value)
    return array is not None and array.dtype.kind in "fiu" and not np.any(array)
