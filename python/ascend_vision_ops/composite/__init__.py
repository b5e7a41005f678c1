# SPDX-License-Identifier: Apache-2.0
"""Composites: operators written in Python on top of others, because only the data decide the shape of their results.

``X.py`` holds ``def X(face, <the parameters of X's schema>)``. Its arrays are all of NumPy or all of torch. It calls
operators and array functions through its `Face`, so that one function serves every face of the package.
"""

from __future__ import annotations

import functools
import sys
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any


@dataclass(frozen=True)
class Face:
    """What a composite needs for one kind of arrays.

    ops: the operators on such arrays.
    xp: the array library, for functions that NumPy and torch spell alike.
    valid: valid(rows, count) returns the first `count` rows of an array. `count` is an array of one int64,
        which a slice could not take while torch traces shapes.
    """

    ops: Any
    xp: Any
    valid: Callable[[Any, Any], Any]


@functools.cache
def numpy_face(module: str) -> Face:
    """Makes the face of NumPy arrays, whose operators are those of a module."""
    import numpy as np

    return Face(sys.modules[module], np, lambda rows, count: rows[: count.item()])


@functools.cache
def torch_face(module: str) -> Face:
    """Makes the face of torch tensors, whose operators are those of a module."""
    import torch

    @torch.library.register_fake("ascend_vision_ops::_valid")
    def valid_fake(rows, count):
        return rows.new_empty([torch.library.get_ctx().new_dynamic_size(), *rows.shape[1:]])

    @torch.library.register_vmap("ascend_vision_ops::_valid")
    def valid_vmap(info, in_dims, rows, count):
        raise RuntimeError(
            "vmap: expected an operator with results of a fixed shape, got one whose number of rows depends on the "
            "data of each example; the padded operator that it calls has results of a fixed shape"
        )

    return Face(sys.modules[module], torch, torch.ops.ascend_vision_ops._valid.default)
