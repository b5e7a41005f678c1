# SPDX-License-Identifier: Apache-2.0
"""The definition of an operator (OpDef) as its host library tells it, and what it says about arguments of a call."""

from __future__ import annotations

import numbers
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import ml_dtypes
import numpy as np

OPTIONAL, DYNAMIC = 1, 3
ND = 2
# Formats that are more than names of dimensions: NC1HWC0, FRACTAL_Z, FRACTAL_NZ, NDC1HWC0, FRACTAL_Z_3D.
LAYOUTS = {3, 4, 29, 32, 33}


@dataclass(frozen=True)
class Dtype:
    """A dtype of CANN: its number, its name behind DT_, its type in kernels, and NumPy's."""

    number: int
    name: str
    kernel: str
    numpy: np.dtype


DTYPES = {
    number: Dtype(number, name, kernel, np.dtype(numpy))
    for number, name, kernel, numpy in (
        (0, "FLOAT", "float", np.float32), (1, "FLOAT16", "half", np.float16), (2, "INT8", "int8_t", np.int8),
        (3, "INT32", "int32_t", np.int32), (4, "UINT8", "uint8_t", np.uint8), (6, "INT16", "int16_t", np.int16),
        (7, "UINT16", "uint16_t", np.uint16), (8, "UINT32", "uint32_t", np.uint32),
        (9, "INT64", "int64_t", np.int64), (10, "UINT64", "uint64_t", np.uint64),
        (11, "DOUBLE", "double", np.float64), (12, "BOOL", "bool", np.bool_),
        (16, "COMPLEX64", "complex64", np.complex64), (27, "BF16", "bfloat16_t", ml_dtypes.bfloat16),
    )
}  # fmt: skip
_NUMBERS = {dtype.numpy: dtype.number for dtype in DTYPES.values()}


def number_of(array: np.ndarray) -> int | None:
    """CANN's number of an array's dtype; None for a dtype that it does not have."""
    return _NUMBERS.get(array.dtype)


def dtype_name(number: int) -> str:
    """The name that NumPy gives a dtype, for messages."""
    return DTYPES[number].numpy.name if number in DTYPES else f"CANN's dtype {number}"


@dataclass(frozen=True)
class Parameter:
    """A tensor of a definition.

    dtypes, formats: a column of the table whose rows are the combinations; `lists`: all dtypes go with all rows.
    follows: the tensor whose dtype a result takes. initial: what a result holds before the kernel, if anything.
    """

    name: str
    option: int
    dtypes: tuple[int, ...]
    formats: tuple[int, ...]
    lists: bool
    follows: str
    initial: tuple[float, ...]

    @property
    def optional(self) -> bool:
        return self.option == OPTIONAL

    @property
    def dynamic(self) -> bool:
        return self.option == DYNAMIC

    def dtype_in(self, row: int) -> int:
        return self.dtypes[min(row, len(self.dtypes) - 1)] if self.dtypes else 0

    def format_in(self, row: int) -> int:
        return self.formats[min(row, len(self.formats) - 1)] if self.formats else 2

    def layout_in(self, row: int) -> int:
        """The format of a tensor of a call: one that says how its memory is laid out, else ND."""
        return self.format_in(row) if self.format_in(row) in LAYOUTS else ND

    def takes(self, number: int | None, row: int) -> bool:
        return number in self.dtypes if self.lists else number == self.dtype_in(row)


@dataclass(frozen=True)
class Attribute:
    """An attribute of a definition; `kind` is int, float, bool, str, ints, floats or bools."""

    name: str
    required: bool
    kind: str
    default: object

    def checked(self, value: object) -> object:
        """The value as the framework takes it; raises TypeError for one of another kind."""
        if self.kind in ("ints", "floats", "bools"):
            if isinstance(value, str) or not isinstance(value, Sequence | np.ndarray):
                raise self._wrong(value)
            return [self._single(self.kind[:-1], element, value) for element in value]
        return self._single(self.kind, value, value)

    def _single(self, kind: str, element: object, value: object) -> object:
        of_kind = {
            "int": isinstance(element, numbers.Integral) and not isinstance(element, bool | np.bool_),
            "float": isinstance(element, numbers.Real) and not isinstance(element, bool | np.bool_),
            "bool": isinstance(element, bool | np.bool_),
            "str": isinstance(element, str),
        }
        if not of_kind[kind]:
            raise self._wrong(value)
        return {"int": int, "float": float, "bool": bool, "str": str}[kind](element)

    def _wrong(self, value: object) -> TypeError:
        expected = {"ints": "a list of int", "floats": "a list of float", "bools": "a list of bool"}
        article = "an" if self.kind == "int" else "a"
        return TypeError(
            f"{self.name}: expected {expected.get(self.kind, f'{article} {self.kind}')}, got {value!r}"
        )


@dataclass(frozen=True)
class Definition:
    """An operator for one device. kernel_file: the stem of its kernel's source where the definition says one."""

    type: str
    inputs: tuple[Parameter, ...]
    outputs: tuple[Parameter, ...]
    attributes: tuple[Attribute, ...]
    kernel_file: str

    @property
    def parameters(self) -> tuple[Parameter, ...]:
        return (*self.inputs, *self.outputs)

    @property
    def rows(self) -> int:
        return max((len(parameter.dtypes) for parameter in self.parameters if not parameter.lists), default=1)

    def bind(self, values: Sequence[object], named: Mapping[str, object]) -> tuple[list, list]:
        """Sorts the arguments of a call: those of the inputs, and the attributes' values with defaults filled in."""
        left = dict(named)
        names = [parameter.name for parameter in self.inputs]
        if len(values) > len(names):
            raise TypeError(
                f"{self.type}: expected at most {len(names)} inputs ({', '.join(names)}), got {len(values)}"
            )
        if twice := [name for name in names[: len(values)] if name in left]:
            raise TypeError(f"{self.type}: {twice[0]} is given twice, by its place and by its name")
        inputs = list(values) + [left.pop(name, None) for name in names[len(values) :]]
        for parameter, value in zip(self.inputs, inputs, strict=True):
            if value is None and not parameter.optional:
                raise TypeError(f"{self.type}: the input {parameter.name} is missing")
        attributes = [self._attribute(attribute, left) for attribute in self.attributes]
        if left:
            known = ", ".join([*names, *(attribute.name for attribute in self.attributes)])
            raise TypeError(f"{self.type}: there is no argument {next(iter(left))}; it has {known}")
        return inputs, attributes

    def _attribute(self, attribute: Attribute, left: dict[str, object]) -> object:
        if attribute.name in left:
            return attribute.checked(left.pop(attribute.name))
        if attribute.required:
            raise TypeError(f"{self.type}: the attribute {attribute.name} is missing")
        empty = {"int": 0, "float": 0.0, "bool": False, "str": ""}.get(attribute.kind, [])
        return empty if attribute.default is None else attribute.default

    def fitting_rows(self, dtypes: Mapping[str, int | None], side: Sequence[Parameter]) -> list[int]:
        """The rows of the table that have these dtypes of the given parameters; those that are absent fit all."""
        present = [parameter for parameter in side if parameter.name in dtypes]
        return [
            row
            for row in range(self.rows)
            if all(parameter.takes(dtypes[parameter.name], row) for parameter in present)
        ]

    def combinations(self) -> str:
        """The table of dtypes of the inputs, for messages."""
        rows = (
            " ".join(dtype_name(parameter.dtype_in(row)) for parameter in self.inputs)
            for row in range(self.rows)
        )
        names = ", ".join(parameter.name for parameter in self.inputs)
        return f"({names}) of {' | '.join(dict.fromkeys(rows))}"


def definitions(loaded: dict, soc: str) -> dict[str, Definition]:
    """The operators of a library that are defined for a device, by type."""
    found = {}
    for entry in loaded["operators"]:
        named = [name for name in entry["socs"] if is_device(name, soc)]
        if entry["socs"] and not named:
            continue
        config = entry["configs"].get(named[0], {}) if named else {}
        found[entry["type"]] = Definition(
            entry["type"],
            _parameters(entry["inputs"], config.get("inputs", [])),
            _parameters(entry["outputs"], config.get("outputs", [])),
            tuple(Attribute(**attribute) for attribute in entry["attributes"]),
            config.get("kernel_file", ""),
        )
    return found


def is_device(name: str, soc: str) -> bool:
    """Says whether a definition's name of a device is the simulated one: ascend910b is Ascend910B1."""
    rest = soc.lower().removeprefix(name.lower())
    return rest != soc.lower() and (rest == "" or rest.isdigit())


def _parameters(entries: list[dict], of_device: list[dict]) -> tuple[Parameter, ...]:
    """The tensors of one side; those of the device's own configuration take the place of the general ones."""
    own = {entry["name"]: entry for entry in of_device}
    return tuple(
        Parameter(
            entry["name"], entry["option"], tuple(entry["dtypes"]), tuple(entry["formats"]), entry["lists"],
            entry["follows"], tuple(entry["initial"]),
        )
        for entry in (own.get(general["name"], general) for general in entries)
    )  # fmt: skip
