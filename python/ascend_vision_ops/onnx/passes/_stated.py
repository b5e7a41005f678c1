# SPDX-License-Identifier: Apache-2.0
"""The shapes that a model states for values between its nodes (value_info): are they true, and which go to the file."""

from __future__ import annotations

import onnx_ir as ir

from ascend_vision_ops.onnx.passes._shapes import SEEN, infer_shapes
from ascend_vision_ops.onnx.passes._values import graphs_of


def _made(model: ir.Model) -> list[ir.Value]:
    return [value for graph in graphs_of(model) for node in graph for value in node.outputs]


class Stated:
    """What a model states about its values, when passes begin; at their end, `restore` says it again.

    stale: which of the stated shapes contradicts the inputs, so that none of them counts; "" for none.
    """

    def __init__(self, model: ir.Model):
        # Names outlive a pass that works on a copy of the model.
        self._names = {v.name for v in _made(model) if v.shape is not None or v.type is not None}
        outputs = [_dims(value) for value in model.graph.outputs]
        self.stale = _drop_stale(model)
        refined = [_dims(value) for value in model.graph.outputs]
        self._outputs = [] if self.stale else list(zip(outputs, refined, strict=True))

    def restore(self, model: ir.Model) -> None:
        """Removes what inference found: shapes between nodes would make the file larger and grow old in it, and
        callers read the names of an output's dimensions. What passes changed stays.
        """
        for value, (stated, refined) in zip(model.graph.outputs, self._outputs, strict=False):
            now = _dims(value)
            if stated is not None and now is not None and len(stated) == len(now) == len(refined):
                dims = [
                    old if dim == known else dim for old, known, dim in zip(stated, refined, now, strict=True)
                ]
                value.shape = ir.Shape(dims)
            elif stated is None and not isinstance(value.type, ir.TensorType):  # of a sequence
                value.shape = None
        outputs = {value for graph in graphs_of(model) for value in graph.outputs}
        for graph in graphs_of(model):
            for node in graph:
                node.meta.pop(SEEN, None)
                for value in node.outputs:
                    if value.name not in self._names and value not in outputs:
                        value.shape = value.type = None


def _dims(value: ir.Value) -> list | None:
    return None if value.shape is None else list(value.shape)


def _drop_stale(model: ir.Model) -> str:
    """Drops the stated shapes of standard nodes where one of them contradicts the inputs. Says which one; "" for none.

    Someone may have edited an input and left the old shapes behind it. Where one of them is wrong, others may be that
    cannot be tested, since inference knows nothing of them.
    """
    old = {
        value: value.shape
        for value in _made(model)
        if value.shape is not None and value.producer().domain == ""
    }
    if not old:
        return ""
    for value in old:
        value.shape = None
    infer_shapes(model)
    for value, shape in old.items():
        if _contradict(shape, value.shape):
            return f"the model states {list(shape)} for {value.name!r}, but its inputs make it {list(value.shape)}"
    for value, shape in old.items():
        value.shape = (
            shape
            if value.shape is None
            else ir.Shape(
                [
                    b if isinstance(b, int) or (not isinstance(a, int) and _name(a) is None) else a
                    for a, b in zip(shape, value.shape, strict=True)
                ]
            )
        )
    return ""


def _name(dim) -> str | None:
    return dim.value if isinstance(dim, ir.SymbolicDim) else None


def _contradict(a: ir.Shape, b: ir.Shape | None) -> bool:
    if b is None:
        return False
    return len(a) != len(b) or any(
        isinstance(x, int) and isinstance(y, int) and x != y for x, y in zip(a, b, strict=True)
    )
