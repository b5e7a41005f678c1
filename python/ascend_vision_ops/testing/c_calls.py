# SPDX-License-Identifier: Apache-2.0
"""Calls an aclnn entry point of any library by ctypes, with npu tensors: ours, or CANN's own of the same name.

The contract knows the C signature. Where an entry point has CANN's name, the signature is CANN's, so that one call
serves both functions and their times can be compared.
"""

from __future__ import annotations

import ctypes
import os
import time
from functools import cache

import numpy as np
import torch

from ascend_vision_ops import ops
from ascend_vision_ops.custom_package import LIBRARY, cann_libraries, own_folder, own_name
from ascend_vision_ops.opgen import Spec
from ascend_vision_ops.opgen.calls import sizes_of_arguments
from ascend_vision_ops.opgen.model import Argument, Entry
from ascend_vision_ops.testing.cases import BoundCase
from ascend_vision_ops.testing.on_npu import CALLS_OF_A_TURN, DEVICE, far
from ascend_vision_ops.testing.run import as_tuple, spec_of

FORMAT_ND = 2
ACL_DTYPES = {
    torch.float32: 0, torch.float16: 1, torch.int8: 2, torch.int32: 3, torch.uint8: 4, torch.int16: 6, torch.int64: 9,
    torch.float64: 11, torch.bool: 12, torch.bfloat16: 27,
}  # fmt: skip
SCALARS = {
    "int8_t": ctypes.c_int8, "int32_t": ctypes.c_int32, "int64_t": ctypes.c_int64, "int": ctypes.c_int,
    "float": ctypes.c_float, "double": ctypes.c_double, "bool": ctypes.c_bool,
}  # fmt: skip


class NotCallable(RuntimeError):
    """The function cannot be called with this case; the message says why."""


@cache
def _library(name: str) -> ctypes.CDLL | None:
    try:
        return ctypes.CDLL(name)
    except OSError:
        return None


def own(name: str):
    """Returns our function of a name."""
    folder = own_folder()
    library = _library(str(folder / LIBRARY) if folder else "libcust_opapi.so")
    return getattr(library, name, None) or getattr(library, own_name(name), None)


def of_cann(name: str):
    """Returns CANN's function of a name, from CANN's own libraries; None where it has none."""
    home = os.environ.get("ASCEND_HOME_PATH")
    names = map(str, cann_libraries(home)) if home else ["libopapi.so"]
    functions = (getattr(_library(library), name, None) for library in names)
    return next((function for function in functions if function is not None), None)


class CCall:
    """A case as C arguments of an entry point. The objects are destroyed with it."""

    def __init__(self, case: BoundCase, entry: Entry) -> None:
        spec, near = spec_of(case.operator), case.arguments()
        if unreached := self._unreached(spec, entry, near):
            raise NotCallable(f"{entry.function} has no argument for {', '.join(unreached)}")
        self._tensors = far(near)
        results = as_tuple(getattr(ops, case.operator)(**self._tensors))
        self._tensors |= dict(zip(spec.outputs, results, strict=True))
        self._values = sizes_of_arguments(spec, near)
        self._keep: list = []
        self._made: list[tuple[str, ctypes.c_void_p]] = []
        self._opbase = ctypes.CDLL("libnnopbase.so")
        self._arguments = [self._convert(argument) for argument in entry.arguments]
        self._workspace = None

    @staticmethod
    def _unreached(spec: Spec, entry: Entry, near: dict) -> list[str]:
        """The arguments of a case that are not the defaults and that the entry point cannot be told."""
        reached = {target for argument in entry.arguments for target in argument.targets}
        defaults = {p.name: p.default_value() for p in spec.visible if p.has_default}
        return [name for name, value in near.items() if name not in reached and value != defaults.get(name)]

    def _convert(self, argument: Argument):
        name, ctype = argument.target, argument.ctype
        if "aclTensor *" in ctype:
            return self._tensor(self._tensors.get(name))
        value = self._values[name]
        if "Array *" in ctype:
            second = self._values.get(argument.targets[-1]) if len(argument.targets) > 1 else value
            whole = list(value) if second == value else [*value, *second]
            return self._array("Bool" if argument.bools else "Int", whole)
        if ctype not in SCALARS:
            raise NotCallable(f"{argument.name}: no way to pass a {ctype}")
        return SCALARS[ctype](value)

    def _tensor(self, tensor: torch.Tensor | None):
        if tensor is None:
            return ctypes.c_void_p()
        shape, strides = self._ints(tensor.shape), self._ints(tensor.stride())
        storage = self._ints([tensor.untyped_storage().nbytes() // tensor.element_size()])
        first = tensor.data_ptr() - tensor.storage_offset() * tensor.element_size()
        return self._create(
            "Tensor", shape, ctypes.c_uint64(tensor.dim()), ACL_DTYPES[tensor.dtype], strides,
            ctypes.c_int64(tensor.storage_offset()), FORMAT_ND, storage, ctypes.c_uint64(1), ctypes.c_void_p(first),
        )  # fmt: skip

    def _array(self, kind: str, values: list):
        element = ctypes.c_bool if kind == "Bool" else ctypes.c_int64
        return self._create(f"{kind}Array", (element * len(values))(*values), ctypes.c_uint64(len(values)))

    def _ints(self, values):
        self._keep.append((ctypes.c_int64 * len(values))(*values))
        return self._keep[-1]

    def _create(self, kind: str, *arguments):
        function = getattr(self._opbase, f"aclCreate{kind}")
        function.restype = ctypes.c_void_p
        self._made.append((kind, ctypes.c_void_p(function(*arguments))))
        return self._made[-1][1]

    def __call__(self, first_phase, second_phase, stream: ctypes.c_void_p) -> None:
        """Calls both phases. Raises NotCallable where a phase returns an error."""
        size, executor = ctypes.c_uint64(), ctypes.c_void_p()
        status = first_phase(*self._arguments, ctypes.byref(size), ctypes.byref(executor))
        if status:
            raise NotCallable(f"the first phase returns {status}")
        if size.value and (self._workspace is None or self._workspace.numel() < size.value):
            self._workspace = torch.empty(size.value, dtype=torch.uint8, device=DEVICE)
        address = ctypes.c_void_p(self._workspace.data_ptr() if size.value else None)
        if status := second_phase(address, size, executor, stream):
            raise NotCallable(f"the second phase returns {status}")

    def close(self) -> None:
        for kind, made in self._made:
            getattr(self._opbase, f"aclDestroy{kind}")(made)


def time_of(call: CCall, phases: tuple, turns: int) -> float:
    """Times calls in microseconds: a tenth of the host's time for ten calls until the device is done, as a median."""
    stream = ctypes.c_void_p(torch.npu.current_stream().npu_stream)
    call(*phases, stream)
    torch.npu.synchronize()
    times = []
    for _ in range(turns):
        start = time.perf_counter()
        for _ in range(CALLS_OF_A_TURN):
            call(*phases, stream)
        torch.npu.synchronize()
        times.append((time.perf_counter() - start) * 1e6 / CALLS_OF_A_TURN)
    return round(float(np.median(times)), 3)


def beside_cann(case: BoundCase, turns: int) -> dict:
    """Times our function and CANN's own of the same name, by the same C call; empty where CANN has none.

    Returns:
        c_us, cann_us: the two times; cann_function: the name; cann_error: why CANN's was not timed.
    """
    spec = spec_of(case.operator)
    for entry in spec.entries:
        names = (f"{entry.function}GetWorkspaceSize", entry.function)
        theirs, ours = tuple(map(of_cann, names)), tuple(map(own, names))
        if None in (*theirs, *ours):
            continue
        told: dict = {"cann_function": entry.function}
        try:
            call = CCall(case, entry)
        except NotCallable:
            continue
        try:
            told["c_us"] = time_of(call, ours, turns)
            told["cann_us"] = time_of(call, theirs, turns)
        except NotCallable as error:
            told["cann_error"] = str(error)
        finally:
            call.close()
        return told
    return {}
