# SPDX-License-Identifier: Apache-2.0
"""Gives a model another batch size, or an open one."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
import onnx_ir as ir

from ascend_vision_ops.onnx.execute import LARGEST_DIM, inputs_of
from ascend_vision_ops.onnx.passes._base import ROUNDED, Feeds, GraphPass, Refused, register, side_by_side
from ascend_vision_ops.onnx.passes._shapes import Vectors, infer_node
from ascend_vision_ops.onnx.passes._values import (
    constant,
    input_of,
    is_onnx,
    known_dim,
    label,
    new_initializer,
)
from ascend_vision_ops.onnx.passes.fold_constants import FoldConstants

OPEN = "batch"  # the name of an open batch
ELEMENTWISE = ("Add", "Sub", "Mul", "Div", "Pow", "Min", "Max", "Where", "Concat")


@dataclass
class Old:
    """The model before the change: its batch size, and the shape of each value."""

    batch: int | str
    shapes: dict[ir.Value, ir.Shape | None]

    def dims(self, value: ir.Value) -> list | None:
        shape = self.shapes.get(value)
        return None if shape is None else list(shape)


@register
class SetBatch(GraphPass):
    name = "set_batch"
    summary = "changes the batch size, or opens it: in inputs, outputs, and constants of Reshape and Expand"
    argument = "N|dynamic"
    tolerance = ROUNDED
    demanded = True

    def __init__(self, batch: str | int = ""):
        text = str(batch)
        if text != "dynamic" and not (text.isdecimal() and 0 < int(text) <= LARGEST_DIM):
            raise ValueError(
                f"set_batch=N|dynamic: expected a positive number up to {LARGEST_DIM} or dynamic, got {batch!r}"
            )
        self.batch: int | str = OPEN if text == "dynamic" else int(text)

    def transform(self, model: ir.Model) -> int:
        inputs = batched_inputs(model)
        batch = _batch_of(inputs[0])
        if batch == self.batch or (isinstance(batch, str) and self.batch == OPEN):
            return 0
        # The change is made on a copy: a refusal in the middle would leave a broken model.
        changed = model.clone()
        # Targets of Reshape that are computed from shapes become constants, which show where the batch is.
        FoldConstants(shapes_only=True).transform(changed)
        count = _Change(changed, Old(batch, _shapes(changed)), self.batch).run()
        model.graph = changed.graph
        return count

    def pairs(self, before, after, make):
        """Compares with the model before, which runs in batches of its own size."""
        old = _batch_of(batched_inputs(before.model)[0])
        batched = {value.name for value in batched_inputs(before.model)}
        # Three images: this is no multiple of most batches.
        feeds = make(after.model)
        if self.batch == OPEN:
            feeds = [{n: _resized(a, 3) if n in batched else a for n, a in feed.items()} for feed in feeds]

        def in_old_batches(feed: Feeds) -> Feeds:
            return before(feed) if isinstance(old, str) else _in_batches(before, feed, batched, old)

        yield from side_by_side(before, after, feeds, in_old_batches)


def batched_inputs(model: ir.Model) -> list[ir.Value]:
    """The inputs whose first dimension is the batch: that of the first input with two dimensions or more."""
    ranked = [value for value in inputs_of(model) if value.shape is not None and len(value.shape) > 1]
    if not ranked:
        raise Refused("no input has a batch: expected one of two dimensions or more")
    return [value for value in ranked if value.shape[0] == ranked[0].shape[0]]


def _batch_of(value: ir.Value) -> int | str:
    dim = value.shape[0]
    return dim if isinstance(dim, int) else dim.value or "?"


def _shapes(model: ir.Model) -> dict[ir.Value, ir.Shape | None]:
    shapes = {}
    for node in model.graph.all_nodes():
        shapes |= {value: value.shape for value in (*node.inputs, *node.outputs) if value is not None}
    return shapes | {value: value.shape for value in model.graph.inputs}


def _resized(array: np.ndarray, count: int) -> np.ndarray:
    return np.resize(array, (count, *array.shape[1:]))


def _in_batches(before, feed, batched, old: int) -> dict[str, np.ndarray]:
    count = next(len(array) for name, array in feed.items() if name in batched)
    parts = []
    for start in range(0, count, old):
        piece = {n: a[start : start + old] if n in batched else a for n, a in feed.items()}
        # The last batch is filled up with its own images.
        parts.append(before({n: _resized(a, old) if n in batched else a for n, a in piece.items()}))
    return {
        name: np.concatenate([part[name] for part in parts])[:count]
        if parts[0][name].ndim
        else parts[0][name]
        for name in parts[0]
    }


class _Change:
    """Changes the batch in one walk through the graph. Shapes before the current node have the new batch already.

    In each value, the batch b is one dimension, or the outermost factor of a dimension where a Reshape has merged it:
    (b, C, H, W), (b * C, H, W).
    """

    def __init__(self, model: ir.Model, old: Old, batch: int | str):
        self.model, self.old, self.batch = model, old, batch
        self.vectors = Vectors()
        self.dim = ir.SymbolicDim(batch) if isinstance(batch, str) else batch

    def run(self) -> int:
        changed = batched_inputs(self.model)
        for value in changed:
            value.shape = ir.Shape([self.dim, *value.shape[1:]])
        count = len(changed)
        for node in self.model.graph:
            for value in node.outputs:
                value.shape = None
            if isinstance(self.old.batch, int):
                count += self._visit(node)
            self.vectors.visit(node)
            infer_node(node, self.model, self.vectors)
            for value in node.outputs:
                value.shape = self._known(node, value)
        return count

    def grows(self, value: ir.Value | None) -> bool:
        """Whether the value's size depends on the batch: its shape has changed, or it is unknown."""
        if value is None or constant(value) is not None:
            return False
        old = self.old.dims(value)
        return old is None or value.shape is None or list(value.shape) != old

    def _grown(self, value: ir.Value) -> list[int]:
        """The axes along which the size of a value has changed."""
        old = self.old.dims(value)
        if old is None or value.shape is None or len(old) != len(value.shape):
            return [0]
        return [axis for axis, (a, b) in enumerate(zip(old, value.shape, strict=True)) if a != b]

    def _known(self, node: ir.Node, value: ir.Value) -> ir.Shape | None:
        """The inferred shape, completed by that in the model: for custom nodes, and dimensions other than the batch."""
        old, new = self.old.dims(value), value.shape
        if old is None or not any(self.grows(item) for item in node.inputs):
            return new if new is not None else self.old.shapes.get(value)
        if new is None:
            new = [None if axis == 0 else dim for axis, dim in enumerate(old)]
        if len(new) != len(old):
            return ir.Shape(new)
        dims = []
        for axis, (dim, before) in enumerate(zip(new, old, strict=True)):
            unknown = dim is None or (not isinstance(dim, int) and dim.value is None)
            if unknown and axis == 0:
                # Another number may be a multiple of the batch, or independent of it.
                dims.append(self.dim if known_dim(before) == self.old.batch else None)
            else:
                dims.append(before if unknown else dim)
        return ir.Shape(dims)

    def _visit(self, node: ir.Node) -> int:
        if is_onnx(node, "Expand"):
            return self._expand(node)
        if not any(self.grows(value) for value in node.inputs):
            return 0
        if is_onnx(node, "Reshape"):
            return self._reshape(node)
        if is_onnx(node, "Resize"):
            return self._resize(node)
        self._refuse_loss(node)
        return 0

    def _refuse_loss(self, node: ir.Node) -> None:
        """Raises Refused for a node that works for the old batch only."""
        if is_onnx(node, "Squeeze"):
            axes = constant(input_of(node, 1))
            axes = node.attributes.get_ints("axes", None) if axes is None else axes
            rank = len(self.old.dims(node.inputs[0]) or ()) or 1
            if axes is None or any(axis % rank in self._grown(node.inputs[0]) for axis in axes):
                raise Refused(f"{label(node)} drops the batch, which was of one image")
        if (
            is_onnx(node, "Gather", "Slice")
            and 0 in self._grown(node.inputs[0])
            and self._selects_images(node)
        ):
            raise Refused(f"{label(node)} takes images out of the batch")
        if is_onnx(node, *ELEMENTWISE) and self.old.batch != 1:
            rank = max((len(dims) for dims in map(self.old.dims, node.inputs) if dims), default=0)
            for value in node.inputs:
                array = constant(value)
                if array is not None and array.ndim == rank > 1 and array.shape[0] == self.old.batch:
                    raise Refused(f"{label(node)}: constant {value.name!r} has {self.old.batch} images")

    def _selects_images(self, node: ir.Node) -> bool:
        if node.op_type == "Gather":
            index = constant(node.inputs[1])
            return node.attributes.get_int("axis", 0) == 0 and index is not None
        axes, ends = constant(input_of(node, 3)), constant(input_of(node, 2))
        if axes is None or ends is None or 0 not in axes:
            return False
        return int(ends[list(axes).index(0)]) <= self.old.batch

    def _expand(self, node: ir.Node) -> int:
        data, target = node.inputs[0], constant(node.inputs[1])
        if target is None or not len(target) or target[0] != self.old.batch:
            return 0
        if self.grows(data):
            leading = 1  # Expand keeps the number of images
        elif self.old.batch == 1:
            return 0  # 1 is broadcast to any batch
        elif isinstance(self.batch, str):
            raise Refused(
                f"{label(node)} makes a batch of {self.old.batch} out of a constant: it cannot be open"
            )
        else:
            leading = self.batch
        self._retarget(node, [leading, *target[1:]])
        return 1

    def _reshape(self, node: ir.Node) -> int:
        data, target = node.inputs[0], constant(node.inputs[1])
        before, made = self.old.dims(data), self.old.dims(node.outputs[0])
        if target is None:
            return 0  # it is computed from shapes, and follows the batch
        target = [int(item) for item in target]
        if not before or not made or not all(isinstance(dim, int) for dim in (*before, *made)):
            if target and target[0] in (0, -1):
                return 0
            raise Refused(f"{label(node)}: the shapes around it are not known")
        grown = self._grown(data)
        if len(grown) != 1 or before[grown[0]] % self.old.batch:
            raise Refused(f"{label(node)}: the batch is not in one dimension of its input")
        axis = grown[0]
        place = self._place(node, before, axis, made)
        literal = node.attributes.get_int("allowzero", 0)
        copies = place == axis and made[place] == before[axis] and not (literal and 0 in target)
        if target[place] == -1 or (target[place] == 0 and copies and not literal):
            return 0
        # The dimension -1 took what the others left; now the batch is the open one.
        new = [made[index] if item == -1 and not copies else item for index, item in enumerate(target)]
        if copies:
            node.attributes.pop("allowzero", None)
            new[place] = 0
        elif isinstance(self.batch, int):
            new[place] = made[place] // self.old.batch * self.batch
        else:
            new[place] = -1
        self._retarget(node, new)
        return 1

    def _place(self, node: ir.Node, before: list[int], axis: int, made: list[int]) -> int:
        """The dimension of the result that holds the batch. As many elements lie outside of it as in the input."""
        outside = math.prod(before[:axis])
        places = [place for place in range(len(made)) if math.prod(made[:place]) == outside]
        for place in places:
            if made[place] == before[axis]:
                return place
        for place in places:
            if made[place] % self.old.batch == 0 and (self.old.batch > 1 or made[place] == 1):
                return place
        if places and self.old.batch == 1:
            raise Refused(f"{label(node)} to {made} merges a batch of one image with another dimension")
        raise Refused(f"{label(node)} to {made} tears the batch apart")

    def _resize(self, node: ir.Node) -> int:
        """Replaces the sizes of a Resize, which contain the batch. For an open batch, scales take their place."""
        sizes = constant(input_of(node, 3))
        extents = self.old.dims(node.inputs[0])
        if sizes is None or "axes" in node.attributes or not len(sizes) or sizes[0] != self.old.batch:
            return 0
        name, graph = node.outputs[0].name, self.model.graph
        if isinstance(self.batch, int):
            sizes = np.array([self.batch, *sizes[1:]], np.int64)
            node.replace_input_with(3, new_initializer(graph, f"{name}_sizes", sizes))
            return 1
        if not extents or not all(isinstance(dim, int) and dim for dim in extents):
            raise Refused(f"{label(node)}: sizes instead of scales, and the shape of its input is not known")
        scales = (np.asarray(sizes) / np.asarray(extents)).astype(np.float32)
        if not np.array_equal(scales * np.asarray(extents, np.float32), sizes):
            raise Refused(
                f"{label(node)}: scales to {list(sizes)} are no float32 numbers, so the batch cannot be open"
            )
        node.replace_input_with(2, new_initializer(graph, f"{name}_scales", scales))
        node.resize_inputs(3)
        return 1

    def _retarget(self, node: ir.Node, target: list[int]) -> None:
        name = f"{node.outputs[0].name}_shape"
        node.replace_input_with(1, new_initializer(self.model.graph, name, np.array(target, np.int64)))
