# SPDX-License-Identifier: Apache-2.0
"""Computes on NumPy those nodes of which every implementation gives the same bits.

They move elements, compute on integers, or round once as IEEE 754 says. Importing ONNX Runtime or onnx's reference
evaluator for them would take more time and memory than all passes.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import onnx_ir as ir

Array = np.ndarray
Rule = Callable[[ir.Node, list], "list[Array] | None"]
FLOATS = (np.float32, np.float64)  # types in which NumPy rounds once


def by_numpy(node: ir.Node, version: int, inputs: list[Array | None]) -> list[Array] | None:
    """The outputs of a node; None for a node without a rule here, or where its inputs do not fit each other."""
    rule = RULES.get(node.op_type)
    if rule is None or not inputs or (node.op_type in ELEMENTWISE and version < 7):
        return None
    try:
        with np.errstate(all="ignore"):
            made = rule(node, inputs)
    except (ValueError, IndexError, TypeError, AttributeError, KeyError, ArithmeticError, MemoryError):
        return None  # ONNX Runtime says what is wrong
    return None if made is None else [np.asarray(array) for array in made]


def _axes(node: ir.Node, inputs: list) -> list[int] | None:
    if len(inputs) > 1:
        return None if inputs[1] is None else [int(axis) for axis in inputs[1].reshape(-1)]
    axes = node.attributes.get_ints("axes", None)
    return None if axes is None else list(axes)


def _reshape(node: ir.Node, inputs: list) -> list[Array]:
    x, target = inputs[0], [int(dim) for dim in inputs[1]]
    if not node.attributes.get_int("allowzero", 0):
        target = [x.shape[axis] if dim == 0 else dim for axis, dim in enumerate(target)]
    return [x.reshape(target)]


def _shape(node: ir.Node, inputs: list) -> list[Array]:
    ends = node.attributes.get_int("start", 0), node.attributes.get_int("end", inputs[0].ndim)
    return [np.array(inputs[0].shape, np.int64)[slice(*ends)]]


def _flatten(node: ir.Node, inputs: list) -> list[Array]:
    axis, x = node.attributes.get_int("axis", 1), inputs[0]
    axis = axis + x.ndim if axis < 0 else axis
    return [x.reshape(int(np.prod(x.shape[:axis], dtype=np.int64)), -1)]


def _squeeze(node: ir.Node, inputs: list) -> list[Array]:
    axes = _axes(node, inputs)
    return [np.squeeze(inputs[0], None if axes is None else tuple(axes))]


def _slice(node: ir.Node, inputs: list) -> list[Array] | None:
    x = inputs[0]
    if len(inputs) == 1:
        given = [node.attributes.get_ints(name, None) for name in ("starts", "ends", "axes")]
        starts, ends, axes = (None if item is None else list(item) for item in given)
        steps = None
    else:
        given = [*inputs[1:], None, None, None][:4]
        starts, ends, axes, steps = (
            None if item is None else [int(i) for i in item.reshape(-1)] for item in given
        )
    axes = range(len(starts)) if axes is None else axes
    steps = [1] * len(starts) if steps is None else steps
    parts = [slice(None)] * x.ndim
    for start, end, axis, step in zip(starts, ends, axes, steps, strict=True):
        if step < 0 and start < -x.shape[axis]:
            return None  # runtimes differ
        # The rule is Python's, except for an end below -size with a negative step: it includes the first element.
        parts[axis] = slice(start, None if step < 0 and end < -x.shape[axis] else end, step)
    return [x[tuple(parts)]]


def _gather(node: ir.Node, inputs: list) -> list[Array]:
    return [np.take(inputs[0], inputs[1], axis=node.attributes.get_int("axis", 0))]


def _split(node: ir.Node, inputs: list) -> list[Array] | None:
    x, axis, count = inputs[0], node.attributes.get_int("axis", 0), len(node.outputs)
    sizes = inputs[1] if len(inputs) > 1 else node.attributes.get_ints("split", None)
    if sizes is None:
        if x.shape[axis] % count:
            return None
        sizes = [x.shape[axis] // count] * count
    if sum(sizes) != x.shape[axis] or len(sizes) != count:
        return None
    return np.split(x, np.cumsum(sizes)[:-1], axis)


def _constant_of_shape(node: ir.Node, inputs: list) -> list[Array]:
    value = node.attributes.get("value")
    item = np.zeros(1, np.float32) if value is None else value.value.numpy()
    return [np.full([int(dim) for dim in inputs[0]], item.reshape(-1)[0], item.dtype)]


def _range(node: ir.Node, inputs: list) -> list[Array] | None:
    if any(item.ndim or item.dtype.kind not in "iu" for item in inputs):
        return None
    return [np.arange(*(int(item) for item in inputs), dtype=inputs[0].dtype)]


def _cast(node: ir.Node, inputs: list) -> list[Array] | None:
    """A cast in which a C compiler has no choice."""
    x, to = inputs[0], ir.DataType(node.attributes.get_int("to", 0))
    if to == ir.DataType.STRING:
        return None
    dtype = np.dtype(to.numpy())
    if not _plain(x.dtype) or not _plain(dtype):
        return None
    if x.dtype.kind == "f" and dtype.kind in "iu":
        bounds = np.iinfo(dtype)
        if not np.all((x > float(bounds.min)) & (x < float(bounds.max))):  # also for NaN
            return None
    return [x.astype(dtype)]


def _plain(dtype: np.dtype) -> bool:
    return dtype.kind in "biu" or dtype in FLOATS


def _of(function: Callable, floats: bool = True, kinds: str = "biu") -> Rule:
    """A rule for a function of one or two arrays, of integers or also of floating numbers."""

    def rule(node: ir.Node, inputs: list) -> list[Array] | None:
        if any(not (x.dtype.kind in kinds or (floats and x.dtype in FLOATS)) for x in inputs):
            return None
        return [function(*inputs)]

    return rule


ELEMENTWISE: dict[str, Rule] = {
    "Add": _of(np.add, kinds="iu"),
    "Sub": _of(np.subtract, kinds="iu"),
    "Mul": _of(np.multiply, kinds="iu"),
    "Div": _of(np.divide, kinds=""),  # of integers, ONNX rounds to 0
    "Sqrt": _of(np.sqrt, kinds=""),
    "Neg": _of(np.negative, kinds="i"),
    "Abs": _of(np.abs, kinds="iu"),
    "Equal": _of(np.equal),
    "Greater": _of(np.greater, kinds="iu"),
    "Less": _of(np.less, kinds="iu"),
    "And": _of(np.logical_and, floats=False, kinds="b"),
    "Or": _of(np.logical_or, floats=False, kinds="b"),
    "Not": _of(np.logical_not, floats=False, kinds="b"),
}
RULES: dict[str, Rule] = {
    **ELEMENTWISE,
    "Cast": _cast,
    "Concat": lambda node, inputs: [np.concatenate(inputs, node.attributes.get_int("axis", 1))],
    "ConstantOfShape": _constant_of_shape,
    "Expand": lambda node, inputs: [np.broadcast_to(inputs[0], np.broadcast_shapes(inputs[0].shape, inputs[1]))],
    "Flatten": _flatten,
    "Gather": _gather,
    "Identity": lambda node, inputs: [inputs[0]],
    "Range": _range,
    "Reshape": _reshape,
    "Shape": _shape,
    "Size": lambda node, inputs: [np.array(inputs[0].size, np.int64)],
    "Slice": _slice,
    "Split": _split,
    "Squeeze": _squeeze,
    "Transpose": lambda node, inputs: [np.transpose(inputs[0], node.attributes.get_ints("perm", None))],
    "Unsqueeze": lambda node, inputs: [np.expand_dims(inputs[0], tuple(_axes(node, inputs)))],
    "Where": lambda node, inputs: [np.where(*inputs)],
}  # fmt: skip
