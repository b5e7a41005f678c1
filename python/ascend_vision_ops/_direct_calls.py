# SPDX-License-Identifier: Apache-2.0
"""Calls of kernels on cpu tensors without torch's dispatcher (csrc/direct_module.cpp)."""

from __future__ import annotations

import importlib
from collections.abc import Callable

import torch


def _release(version: str) -> list[str]:
    """The major and the minor version."""
    return version.split(".")[:2]


def _load():
    """Returns the module _direct; None where this build has none, or one for another version of torch."""
    try:
        module = importlib.import_module("._direct", __package__)
        if _release(module.torch_version) != _release(torch.__version__):
            return None
        module.setup(torch.Tensor, torch.nn.Parameter, torch.int8, torch.uint8)
    except (ImportError, AttributeError):
        return None
    return module


_direct = _load()


def direct_call(op: torch._ops.OpOverload) -> Callable | None:
    """Returns a function that takes all arguments of an operator by position and calls its kernel on cpu tensors.

    The function returns None where it did not compute and the caller has to call the dispatcher: for tensors elsewhere
    or with gradients, in modes and transforms of torch, for values that it does not know, and for every error.

    Returns None if there are no direct calls here.
    """
    if _direct is None:
        return None
    # An int[2] takes one int for both elements.
    lengths = tuple(argument.N or 0 for argument in op._schema.arguments)
    return _direct.Call(op._opname, lengths)
