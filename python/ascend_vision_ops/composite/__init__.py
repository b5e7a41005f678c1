# SPDX-License-Identifier: Apache-2.0
"""Operators written in Python on top of others, one file each: results whose shape only the data decide.

``X.py`` holds ``def X(face, <the parameters of X's schema>)``. It sees arrays of one kind, NumPy's or torch's, and
calls operators and array functions through its `Face`, so that one text serves every face of the package.
"""

from __future__ import annotations

import functools
import sys
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any


@dataclass(frozen=True)
class Face:
    """What a composite needs to know about the arrays it is called with.

    ops: the operators on such arrays.
    xp: their array library, for functions that NumPy and torch spell alike.
    valid: rows of an array below a count, an array of one int64; what slices cannot say where shapes are traced.
    """

    ops: Any
    xp: Any
    valid: Callable[[Any, Any], Any]


@functools.cache
def numpy_face(module: str) -> Face:
    """The face of NumPy arrays whose operators are those of a module."""
    import numpy as np

    return Face(sys.modules[module], np, lambda rows, count: rows[: count.item()])


@functools.cache
def torch_face(module: str) -> Face:
    """The face of torch tensors, whose operators are those of a module."""
    import torch

    @torch.library.register_fake("ascend_vision_ops::_valid")
    def valid_fake(rows, count):
        return rows.new_empty([torch.library.get_ctx().new_dynamic_size(), *rows.shape[1:]])

    @torch.library.register_vmap("ascend_vision_ops::_valid")
    def valid_vmap(info, in_dims, rows, count):
        raise RuntimeError(
            "vmap: expected an operator with results of a fixed shape, got one whose results have as many rows as the "
            "data decide, a number for each example; the padded operator that it calls has a fixed shape"
        )

    return Face(sys.modules[module], torch, torch.ops.ascend_vision_ops._valid.default)
