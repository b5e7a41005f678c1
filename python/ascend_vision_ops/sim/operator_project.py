# SPDX-License-Identifier: Apache-2.0
"""Operators of a folder as CANN's projects have them, as functions of NumPy arrays on the simulated device."""

from __future__ import annotations

import os
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from ..profiling import Figures
from . import operator_native as native
from .compile import back_end
from .operator_build import KernelLibrary, OperatorFolder
from .operator_definition import DTYPES, Definition, Parameter, definitions, dtype_name, number_of

SOC_VARIABLE, DEFAULT_SOC = "AVO_SIM_SOC", "Ascend910B1"
_chosen_soc = ""


class KernelFault(RuntimeError):
    """A kernel did what it must not; the message has the faults, and `reports` the reports of the launch."""

    def __init__(self, message: str, reports: list[dict]):
        super().__init__(message)
        self.reports = reports


@dataclass(frozen=True)
class Tiling:
    """What an operator's tiling function chose. workspace: in bytes; data: the tiling struct."""

    block_dim: int
    key: int
    workspace: int
    schedule_mode: int
    data: bytes


class Operator:
    """An operator whose own host code and kernel run on the simulated device.

    Calling it takes the inputs in the order of the definition, or by name, and attributes by name, and returns the
    results: an array, or a tuple where there are several. Optional inputs may be None or left out; a dynamic input is a
    list of arrays.

    Other arguments of a call:
        out: arrays for the results, one or a sequence. The kernel finds what they hold, and they get what it writes.
        shapes: the shapes of the results, one or a sequence, where the operator has no inference of shapes.

    A call raises TypeError for missing, unknown and ill-typed arguments, ValueError for dtypes and arrays that do not
    fit the definition, CompileError where the kernel does not compile for these dtypes, FrameworkError where tiling or
    inference refuse the call, and KernelFault for faults; after an error `out` is as before.
    """

    def __init__(self, folder: OperatorFolder, library: Path, definition: Definition, structs: dict):
        self.definition = definition
        self._folder, self._library, self._structs = folder, library, structs
        self._kernels: dict[tuple, KernelLibrary] = {}

    def __call__(self, *inputs: object, out: object = None, shapes: object = None, **attributes: object):
        results = self._run(inputs, attributes, out, shapes)[1]
        return results[0] if len(results) == 1 else tuple(results)

    def profile(
        self, *inputs: object, out: object = None, shapes: object = None, trace: bool = False, **attributes: object
    ) -> Figures:
        """Runs a call and returns what the simulated device counted, as `avo profile` shows it (Figures.show)."""
        runtime = native.runtime()
        runtime.simKeepReports(1)
        runtime.simSetTrace(int(trace))
        native.take_reports()
        try:
            arrays, results = self._run(inputs, attributes, out, shapes)
            reports = native.take_reports()
            text = runtime.simTakeTrace().decode() if trace else ""
        finally:
            runtime.simKeepReports(0)
            runtime.simSetTrace(0)
        from ascend_vision_ops import _native

        moved = sum(array.nbytes for array in (*arrays, *results))
        device = _native.sim.device(reports[0]["soc"])
        return Figures(reports, moved, sum(array.size for array in results), device, trace=text)

    def tiling(self, *inputs: object, out: object = None, shapes: object = None, **attributes: object) -> Tiling:
        """What the operator's tiling chooses for a call, which is not run."""
        prepared = _Prepared(self.definition, self._library, inputs, attributes, out, shapes)
        return _tiling(prepared.call.tile())

    def _run(
        self, inputs: Sequence[object], attributes: dict, out: object, shapes: object
    ) -> tuple[list[np.ndarray], list[np.ndarray]]:
        """Returns the arrays of the inputs, and the results."""
        prepared = _Prepared(self.definition, self._library, inputs, attributes, out, shapes)
        tiling = _tiling(prepared.call.tile())
        kernel = self._kernel(prepared.dtypes, tiling.key)
        kernel.register()
        try:
            prepared.call.launch(kernel.kernel, kernel.cores)
        except native.FrameworkError as error:
            reports = [report for report in native.take_reports() if report["faults"]]
            if reports:
                raise KernelFault(str(error), reports) from None
            raise
        return prepared.arrays, prepared.take_results()

    def _kernel(self, dtypes: dict[str, tuple[int, int]], key: int) -> KernelLibrary:
        wanted = (tuple(sorted(dtypes.items())), key)
        if wanted not in self._kernels:
            self._kernels[wanted] = self._folder.kernel_library(self.definition, dtypes, self._structs, key)
        return self._kernels[wanted]


def open_operator(
    path: str | Path,
    name: str | None = None,
    soc: str | None = None,
    ascend_headers: str | Path | None = None,
    include: Sequence[str | Path] = (),
    host_sources: Sequence[str | Path] = (),
) -> Operator:
    """What ascend_vision_ops.sim.operator does; its docstring describes the arguments."""
    folder = Path(path).resolve()
    if not (folder / "op_host").is_dir() or not (folder / "op_kernel").is_dir():
        raise ValueError(f"path: expected a folder with op_host and op_kernel, got {path}")
    device = use_soc(soc)
    project = OperatorFolder(
        folder,
        back_end(ascend_headers),
        [Path(given).resolve() for given in include],
        [Path(given).resolve() for given in host_sources],
    )
    library = project.host_library()
    loaded = native.load(library)
    known = definitions(loaded, device)
    if name is None and len(known) == 1:
        name = next(iter(known))
    if name not in known:
        for error in project.failed.values():
            raise error
        every = ", ".join(entry["type"] for entry in loaded["operators"])
        if name is None and known:
            raise ValueError(f"name: expected one of {', '.join(known)}, which {folder.name} defines, got none")
        raise ValueError(
            f"{folder.name}: expected a definition of {name or 'an operator'} for {device}, its sources define "
            f"{every or 'no operator'}"
        )
    return Operator(project, library, known[name], loaded["structs"])


def use_soc(soc: str | None) -> str:
    """Chooses the device of this process, which has one; returns its name."""
    global _chosen_soc
    wanted = soc or _chosen_soc or os.environ.get(SOC_VARIABLE) or DEFAULT_SOC
    if _chosen_soc and wanted != _chosen_soc:
        raise ValueError(f"soc: this process simulates {_chosen_soc} already, got {wanted}")
    if not _chosen_soc:
        native.runtime().simSetSoc(wanted.encode())
        _chosen_soc = wanted
    return wanted


def _tiling(answer: dict) -> Tiling:
    return Tiling(
        answer["block_dim"], answer["key"], answer["workspace"], answer["schedule_mode"], bytes.fromhex(answer["tiling"])
    )


class _Prepared:
    """A call with its tensors in place.

    dtypes: dtype and format of each tensor of the definition, by name. arrays: those of the inputs.
    """

    def __init__(
        self, definition: Definition, library: Path, inputs: Sequence[object], named: dict, out: object, shapes: object
    ):
        self.definition = definition
        values, attributes = definition.bind(inputs, named)
        self.call = native.Call(library, definition.type)
        given = [_arrays(p, value) for p, value in zip(definition.inputs, values, strict=True)]
        self.arrays = [array for group in given for array in group]
        rows = self._rows(given)
        for parameter, group in zip(definition.inputs, given, strict=True):
            tensors = [native.Tensor(array, number_of(array)) for array in group]
            self.call.add(tensors, result=False, is_list=parameter.dynamic)
        for attribute, value in zip(definition.attributes, attributes, strict=True):
            self.call.attribute(attribute.kind, value)
        self._groups = self._results(rows, given, out, shapes)

    def take_results(self) -> list:
        return [results if parameter.dynamic else results[0]
                for parameter, results in zip(self.definition.outputs, self._groups, strict=True)]

    def _rows(self, given: list[list[np.ndarray]]) -> list[int]:
        """The rows of the definition's table that the inputs fit."""
        inputs = self.definition.inputs
        found = {p.name: number_of(group[0]) for p, group in zip(inputs, given, strict=True) if group}
        rows = self.definition.fitting_rows(found, inputs)
        if not rows:
            got = ", ".join(f"{p.name} of {group[0].dtype}" for p, group in zip(inputs, given, strict=True) if group)
            raise ValueError(
                f"{self.definition.type}: expected {self.definition.combinations()}, as its definition says, got {got}"
            )
        return rows

    def _results(self, rows: list[int], given: list, out: object, shapes: object) -> list[list[np.ndarray]]:
        outputs = self.definition.outputs
        wanted = _per_result(outputs, out, "out")
        sizes = _per_result(outputs, shapes, "shapes", of_shapes=True)
        inferred = [{"dtype": None, "shape": None} for _ in outputs]
        if any(array is None and size is None for array, size in zip(wanted, sizes, strict=True)):
            inferred = self.call.infer()
        asked = {p.name: self._asked(array, found) for p, array, found in zip(outputs, wanted, inferred, strict=True)}
        named = {name: number for name, number in asked.items() if number is not None}
        row = next((row for row in rows if row in self.definition.fitting_rows(named, outputs)), rows[0])
        self.dtypes = {p.name: (p.dtype_in(row), p.format_in(row)) for p in self.definition.parameters}
        for parameter, group in zip(self.definition.inputs, given, strict=True):
            if group:
                self.dtypes[parameter.name] = (number_of(group[0]), parameter.format_in(row))
        groups = []
        for parameter, array, size, found in zip(outputs, wanted, sizes, inferred, strict=True):
            groups.append(self._result(parameter, array, size if size is not None else found["shape"], given))
        return groups

    @staticmethod
    def _asked(array: object, found: dict) -> int | None:
        """The dtype that a result must have, where somebody says it."""
        if isinstance(array, np.ndarray):
            return number_of(array)
        return found["dtype"]

    def _result(self, parameter: Parameter, array: object, shape: object, given: list) -> list[np.ndarray]:
        """Adds a result to the call: the caller's array, the copy of an input of its name, or a new array."""
        names = [p.name for p in self.definition.inputs]
        expected = self.dtypes[parameter.name][0]
        if array is not None:
            group = _arrays(parameter, array)
            for one in group:
                if number_of(one) != expected or not one.flags.c_contiguous or not one.flags.writeable:
                    raise ValueError(
                        f"{parameter.name}: expected a dense, writable array of {dtype_name(expected)} in out, "
                        f"got one of {one.dtype}"
                    )
            tensors = [native.Tensor(one, expected, copy_out=True) for one in group]
        elif parameter.name in names:
            place = names.index(parameter.name)
            group = [one.copy() for one in given[place]]
            first = sum(max(len(others), 1) for others in given[:place])
            tensors = [
                native.Tensor(one, expected, False, True, first + k) for k, one in enumerate(group)
            ]
        else:
            group = [self._new(parameter, expected, shape)]
            tensors = [native.Tensor(group[0], expected, bool(parameter.initial), True)]
        self.call.add(tensors, result=True, is_list=parameter.dynamic)
        return group

    def _new(self, parameter: Parameter, expected: int, shape: object) -> np.ndarray:
        if shape is None:
            raise ValueError(
                f"{self.definition.type}: its sources infer no shapes; expected out= or shapes= with those of the results"
            )
        if any(size < 0 for size in shape):
            raise ValueError(
                f"{parameter.name}: the inference of shapes finds {list(shape)}, which no array has; expected out= or "
                "shapes= with those of the results"
            )
        if expected not in DTYPES:
            raise ValueError(f"{parameter.name}: no array has {dtype_name(expected)}")
        result = np.empty(tuple(shape), DTYPES[expected].numpy)
        if parameter.initial:
            result.fill(parameter.initial[0])
        return result


def _arrays(parameter: Parameter, value: object) -> list[np.ndarray]:
    """The arrays of an argument, dense: none of one that is absent, several of a dynamic one."""
    if value is None:
        return []
    values = value if parameter.dynamic else [value]
    if parameter.dynamic and (isinstance(value, np.ndarray) or not isinstance(value, Sequence)):
        raise TypeError(f"{parameter.name}: expected a list of arrays, got {type(value).__name__}")
    for one in values:
        if not isinstance(one, np.ndarray):
            raise TypeError(f"{parameter.name}: expected a NumPy array, got {type(one).__name__}")
    return [np.ascontiguousarray(one).reshape(one.shape) for one in values]


def _per_result(outputs: Sequence[Parameter], given: object, name: str, of_shapes: bool = False) -> list:
    """One entry for each result; None where nothing is given."""
    if given is None:
        return [None] * len(outputs)
    single = all(isinstance(size, int | np.integer) for size in given) if of_shapes else isinstance(given, np.ndarray)
    entries = [given] if single else list(given)
    if len(entries) != len(outputs):
        raise ValueError(
            f"{name}: expected {len(outputs)} for {', '.join(p.name for p in outputs)}, got {len(entries)}"
        )
    return entries
