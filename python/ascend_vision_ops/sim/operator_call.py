# SPDX-License-Identifier: Apache-2.0
"""The tensors of one call of an operator: which dtypes it has, and where its results lie."""

from __future__ import annotations

import os
from collections.abc import Callable, Sequence
from pathlib import Path

import numpy as np

from . import operator_native as native
from .errors import FrameworkError, KernelFault
from .operator_build import KernelLibrary
from .operator_definition import DTYPES, Definition, Parameter, dtype_name, number_of


class PreparedCall:
    """A call with its tensors in place.

    dtypes: dtype and format of each tensor of the definition, by name. arrays: those of the inputs.
    """

    def __init__(
        self,
        definition: Definition,
        library: Path,
        inputs: Sequence[object],
        named: dict,
        out: object,
        shapes: object,
    ):
        self.definition = definition
        values, attributes = definition.bind(inputs, named)
        given = [_arrays(p, value) for p, value in zip(definition.inputs, values, strict=True)]
        self.arrays = [array for group in given for array in group]
        rows = self._rows(given)
        self._groups = self._results(
            rows, given, out, shapes, lambda row: self._call_of(library, row, given, attributes)
        )

    def _call_of(self, library: Path, row: int, given: list, attributes: list) -> native.Call:
        """A call with its inputs, in the formats of a row, and its attributes."""
        call = native.Call(library, self.definition.type)
        for parameter, group in zip(self.definition.inputs, given, strict=True):
            laid_out = parameter.layout_in(row)
            tensors = [native.Tensor(array, number_of(array), format=laid_out) for array in group]
            call.add(tensors, result=False, is_list=parameter.dynamic)
        for attribute, value in zip(self.definition.attributes, attributes, strict=True):
            call.attribute(attribute.kind, value)
        return call

    def take_results(self) -> list:
        return self._returned(self._groups)

    def _returned(self, groups: list[list[np.ndarray]]) -> list:
        """One entry for each result: an array, a list of a dynamic one, None for one that is absent."""
        return [
            results if parameter.dynamic else (results[0] if results else None)
            for parameter, results in zip(self.definition.outputs, groups, strict=True)
        ]

    def launch(self, kernel: KernelLibrary) -> None:
        """Runs the kernel. After faults the caller's arrays are as before, and the error has what it computed."""
        arrays = [array for group in self._groups for array in group]
        before = [array.copy() for array in arrays]
        native.take_reports()  # of launches before this one
        try:
            self.call.launch(kernel.kernel, kernel.cores)
        except FrameworkError as error:
            reports = [report for report in native.take_reports() if has_error(report)]
            after = [[array.copy() for array in group] for group in self._groups]
            for array, values in zip(arrays, before, strict=True):
                array[...] = values
            if not reports:
                raise
            goes_on = os.environ.get("AVO_SIM_ON_FAULT") == "continue"
            raise KernelFault(str(error), reports, self._returned(after) if goes_on else None) from None

    def _rows(self, given: list[list[np.ndarray]]) -> list[int]:
        """The rows of the definition's table that the inputs fit."""
        inputs = self.definition.inputs
        found = {p.name: number_of(group[0]) for p, group in zip(inputs, given, strict=True) if group}
        rows = self.definition.fitting_rows(found, inputs)
        if not rows:
            got = ", ".join(
                f"{p.name} of {group[0].dtype}" for p, group in zip(inputs, given, strict=True) if group
            )
            raise ValueError(
                f"{self.definition.type}: expected {self.definition.combinations()}, as its definition says, got {got}"
            )
        return rows

    def _results(
        self, rows: list[int], given: list, out: object, shapes: object, call_of: Callable[[int], native.Call]
    ) -> list[list[np.ndarray]]:
        """Chooses the row, makes the call with call_of, and adds the results to it."""
        outputs = self.definition.outputs
        wanted = _per_result(outputs, out, "out")
        sizes = _per_result(outputs, shapes, "shapes", of_shapes=True)
        inferred = [{"dtype": None, "shape": None} for _ in outputs]
        # Optional results without an array in `out` are those that the caller does not want.
        unknown = [
            array is None and size is None and not (p.optional and out is not None)
            for p, array, size in zip(outputs, wanted, sizes, strict=True)
        ]
        if any(unknown):
            found = call_of(rows[0]).infer()  # its row is chosen by what this finds
            # A result of a given size has the dtype that is inferred all the same.
            inferred = [
                new if asked else {**old, "dtype": new["dtype"] if size is not None else None}
                for new, old, asked, size in zip(found, inferred, unknown, sizes, strict=True)
            ]
        asked = {
            p.name: self._asked(array, found)
            for p, array, found in zip(outputs, wanted, inferred, strict=True)
        }
        named = {name: number for name, number in asked.items() if number is not None}
        row = next((row for row in rows if row in self.definition.fitting_rows(named, outputs)), rows[0])
        self._row = row
        self.call = call_of(row)
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
            group = list(array) if parameter.dynamic else [array]
            for one in group:
                if not isinstance(one, np.ndarray):
                    raise TypeError(f"out: expected an array for {parameter.name}, got {type(one).__name__}")
                if number_of(one) != expected or not one.flags.c_contiguous or not one.flags.writeable:
                    strided = "" if one.flags.c_contiguous else f" with strides {one.strides}"
                    fixed = "" if one.flags.writeable else " that is read-only"
                    raise ValueError(
                        f"{parameter.name}: expected a dense, writable array of {dtype_name(expected)} in out, "
                        f"got one of {one.dtype}{strided}{fixed}"
                    )
            tensors = [native.Tensor(one, expected, copy_out=True) for one in group]
        elif parameter.name in names:
            place = names.index(parameter.name)
            if not given[place] and not parameter.dynamic:
                raise ValueError(
                    f"{parameter.name}: expected an array, as the result {parameter.name} is written in its place, "
                    "got none"
                )
            group = [one.copy() for one in given[place]]
            first = sum(max(len(others), 1) for others in given[:place])
            tensors = [native.Tensor(one, expected, False, True, first + k) for k, one in enumerate(group)]
        elif shape is None and parameter.optional:
            group, tensors = [], []
        else:
            group = [self._new(parameter, expected, shape)]
            tensors = [native.Tensor(group[0], expected, bool(parameter.initial), True)]
        for tensor in tensors:
            tensor.format = parameter.layout_in(self._row)
        self.call.add(tensors, result=True, is_list=parameter.dynamic)
        return group

    def _new(self, parameter: Parameter, expected: int, shape: object) -> np.ndarray:
        if shape is None:
            raise ValueError(
                f"{self.definition.type}: its sources infer no shapes; expected out= or shapes= with those of "
                "the results"
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
    single = (
        all(isinstance(size, int | np.integer) for size in given)
        if of_shapes
        else isinstance(given, np.ndarray)
    )
    entries = [given] if single else list(given)
    if len(entries) != len(outputs):
        raise ValueError(
            f"{name}: expected {len(outputs)} for {', '.join(p.name for p in outputs)}, got {len(entries)}"
        )
    return entries


def has_error(report: dict) -> bool:
    return any(fault.get("severity") != "warning" for fault in report["faults"])
