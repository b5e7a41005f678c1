# SPDX-License-Identifier: Apache-2.0
"""The stand-in of CANN's operator framework, by its C interface (operators/project.h)."""

from __future__ import annotations

import ctypes
import functools
import json
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from ..paths import library_dir
from .errors import FrameworkError
from .operator_definition import ND


@dataclass
class Tensor:
    """A tensor of a call.

    array: on the host; None for an optional tensor that is absent.
    dtype: the number that CANN gives the dtype.
    copy_in, copy_out: whether the kernel gets the array's bytes, and whether the array gets the kernel's.
    format: the number of CANN's format.
    same_as: the tensor, by its number among all of the call, whose memory this one shares; -1 for its own.
    """

    array: np.ndarray | None
    dtype: int
    copy_in: bool = True
    copy_out: bool = False
    same_as: int = -1
    format: int = ND


class _Buffer(ctypes.Structure):
    _fields_ = (
        ("host", ctypes.c_void_p), ("bytes", ctypes.c_size_t), ("parameter", ctypes.c_int),
        ("list", ctypes.c_int), ("copy_in", ctypes.c_int), ("copy_out", ctypes.c_int),
        ("same_as", ctypes.c_int), ("shape", ctypes.POINTER(ctypes.c_int64)), ("rank", ctypes.c_size_t),
    )  # fmt: skip


@functools.cache
def _framework() -> ctypes.CDLL:
    library = ctypes.CDLL(str(library_dir() / "libop_framework.so"))
    for name in ("simProjectError", "simProjectLoad", "simCallInfer", "simCallTile"):
        getattr(library, name).restype = ctypes.c_char_p
    library.simCallNew.restype = ctypes.c_void_p
    library.simCallFloat.argtypes = (ctypes.c_void_p, ctypes.c_float)
    library.simCallInt.argtypes = (ctypes.c_void_p, ctypes.c_int64)
    return library


@functools.cache
def runtime() -> ctypes.CDLL:
    """The runtime of the simulated device, for sim/sim_runtime.h."""
    library = ctypes.CDLL(str(library_dir() / "libascendcl.so"))
    library.simTakeReports.restype = library.simTakeTrace.restype = ctypes.c_char_p
    return library


def take_reports() -> list[dict]:
    return json.loads(runtime().simTakeReports())


def load(library: Path) -> dict:
    """Loads a library of host sources; returns its definitions and tiling structs."""
    return json.loads(_answer(_framework().simProjectLoad(str(library).encode())))


def _answer(text: bytes | None) -> bytes:
    if text is None:
        raise FrameworkError(_framework().simProjectError().decode(errors="replace"))
    return text


class Call:
    """A call of an operator of a library."""

    def __init__(self, library: Path, type: str):
        self._library = _framework()
        made = self._library.simCallNew(str(library).encode(), type.encode())
        if not made:
            raise FrameworkError(self._library.simProjectError().decode(errors="replace"))
        self._call = ctypes.c_void_p(made)
        self._tensors: list[tuple[Tensor, int, bool]] = []  # with the parameter, and whether that is a list
        self._parameters = 0
        self._kept: list[object] = []  # memory that the call refers to

    def __del__(self):
        if hasattr(self, "_call"):
            self._library.simCallFree(self._call)

    def add(self, tensors: Sequence[Tensor], *, result: bool, is_list: bool) -> None:
        """Adds a parameter: several tensors of a dynamic one, none of an optional one that is absent."""
        self._library.simCallParameter(self._call, int(result))
        for tensor in tensors:
            array = tensor.array
            shape = (ctypes.c_int64 * max(array.ndim, 1))(*array.shape)
            values = None if result else ctypes.c_void_p(array.ctypes.data)
            rank = ctypes.c_size_t(array.ndim)
            self._library.simCallTensor(self._call, tensor.dtype, tensor.format, shape, rank, values)
            self._tensors.append((tensor, self._parameters, is_list))
        if not tensors:
            self._tensors.append((Tensor(None, 0), self._parameters, is_list))
        self._parameters += 1

    def attribute(self, kind: str, value: object) -> None:
        """Adds an attribute; `kind` is that of the definition: int, float, bool, str, ints, floats or bools."""
        library, call = self._library, self._call
        if kind in ("ints", "floats", "bools"):
            element = {"ints": ctypes.c_int64, "floats": ctypes.c_float, "bools": ctypes.c_ubyte}[kind]
            values = (element * max(len(value), 1))(*value)
            add = {
                "ints": library.simCallInts,
                "floats": library.simCallFloats,
                "bools": library.simCallBools,
            }
            add[kind](call, values, ctypes.c_size_t(len(value)))
        elif kind == "str":
            library.simCallString(call, value.encode())
        else:
            {"int": library.simCallInt, "float": library.simCallFloat, "bool": library.simCallBool}[kind](
                call, value
            )

    def infer(self) -> list[dict]:
        return json.loads(_answer(self._library.simCallInfer(self._call)))["tensors"]

    def tile(self) -> dict:
        return json.loads(_answer(self._library.simCallTile(self._call)))

    def launch(self, kernel: str, cores: str) -> None:
        """Runs a registered kernel with the tiling of `tile`; raises FrameworkError with the reports of faults."""
        buffers = (_Buffer * max(len(self._tensors), 1))()
        for buffer, (tensor, parameter, is_list) in zip(buffers, self._tensors, strict=False):
            buffer.parameter, buffer.list, buffer.same_as = parameter, is_list, tensor.same_as
            if tensor.array is None:
                continue
            shape = (ctypes.c_int64 * max(tensor.array.ndim, 1))(*tensor.array.shape)
            self._kept.append(shape)
            buffer.host, buffer.bytes = tensor.array.ctypes.data, tensor.array.nbytes
            buffer.copy_in, buffer.copy_out = tensor.copy_in, tensor.copy_out
            buffer.shape, buffer.rank = shape, tensor.array.ndim
        failed = self._library.simCallLaunch(
            self._call, kernel.encode(), cores.encode(), buffers, ctypes.c_size_t(len(self._tensors))
        )
        _answer(None if failed else b"")
