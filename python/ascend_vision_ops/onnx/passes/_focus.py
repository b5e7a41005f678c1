# SPDX-License-Identifier: Apache-2.0
"""Finds YOLO's Focus: four slices of an image that become its channels, then a convolution.

Each slice takes one pixel of every block of 2 x 2 pixels. The position (row, column) in the block is the slice's phase.

    image          a b a b        slices   a a   b b   c c   d d
                   c d c d                 a a   b b   c c   d d
                   a b a b        phases   0,0   0,1   1,0   1,1
                   c d c d
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import onnx_ir as ir

from ascend_vision_ops.onnx.passes._base import NodePass, Refused
from ascend_vision_ops.onnx.passes._convs import need_constants, only_user
from ascend_vision_ops.onnx.passes._values import constant, input_of, is_onnx, new_initializer


@dataclass
class Focus:
    """What is found: the image (N, C, H, W), the phases (row, column) in the order of channels, and the nodes."""

    image: ir.Value
    phases: list[tuple[int, int]]
    concat: ir.Node
    conv: ir.Node

    def weight(self) -> np.ndarray:
        """The convolution's weight by phase: (outputs, phase row, phase column, C, kernel rows, kernel columns)."""
        weight = constant(self.conv.inputs[1])
        by_phase = weight.reshape(weight.shape[0], 4, -1, *weight.shape[2:])
        places = [self.phases.index((row, column)) for row in range(2) for column in range(2)]
        ordered = by_phase[:, places]
        return ordered.reshape(weight.shape[0], 2, 2, *ordered.shape[2:])

    def replace_weight(self, weight: np.ndarray) -> ir.Value:
        return new_initializer(self.conv.graph, f"{self.conv.outputs[0].name}_weight", weight)


class FocusPass(NodePass):
    op_types = frozenset({"Concat"})

    def applies(self, node: ir.Node, model: ir.Model) -> bool:
        return find_focus(node) is not None


def find_focus(concat: ir.Node) -> Focus | None:
    """The Focus that ends in a Concat; None where there is none. Raises Refused for one that cannot be transformed."""
    if len(concat.inputs) != 4 or concat.attributes.get_int("axis", 1) not in (1, -3):
        return None
    if not all(is_onnx(value.producer(), "Slice") for value in concat.inputs if value is not None):
        return None
    found = [_phase(value) for value in concat.inputs]
    if None in found or len({image for image, _ in found}) != 1:
        return None
    phases = [phase for _, phase in found]
    if sorted(phases) != [(0, 0), (0, 1), (1, 0), (1, 1)]:
        return None
    conv = only_user(concat.outputs[0])
    if not is_onnx(conv, "Conv") or conv.inputs[0] is not concat.outputs[0]:
        raise Refused(f"a Conv was expected behind Focus, got {conv.op_type}")
    need_constants(conv, (1,), "weight")
    if (groups := conv.attributes.get_int("group", 1)) != 1:
        raise Refused(f"its convolution has {groups} groups, expected 1")
    return Focus(found[0][0], phases, concat, conv)


def _phase(value: ir.Value) -> tuple[ir.Value, tuple[int, int]] | None:
    """The image that a chain of slices takes every second row and column of, and its first row and column: 0 or 1."""
    starts: dict[int, int] = {}
    while is_onnx(value.producer(), "Slice"):
        cut = _cut(value.producer())
        if cut is None:
            return None
        for axis, start in cut.items():
            if axis in starts:
                return None
            starts[axis] = start
        value = value.producer().inputs[0]
    return (value, (starts[2], starts[3])) if set(starts) == {2, 3} else None


def _cut(node: ir.Node) -> dict[int, int] | None:
    """The start for each axis of a slice that takes every second element up to the end."""
    x = node.inputs[0]
    arrays = [constant(input_of(node, index)) for index in range(1, 5)]
    if any(array is None for array in arrays):
        return None
    starts, ends, axes, steps = ([int(item) for item in array] for array in arrays)
    cut = {}
    for start, end, axis, step in zip(starts, ends, axes, steps, strict=True):
        axis = axis % 4
        extent = x.shape[axis] if x.shape is not None and len(x.shape) == 4 else None
        whole = end >= (extent if isinstance(extent, int) else (1 << 31) - 1)
        if start not in (0, 1) or step != 2 or not whole:
            return None
        cut[axis] = start
    return cut
