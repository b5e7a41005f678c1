# SPDX-License-Identifier: Apache-2.0
"""Cases: calls of an operator without dtypes. A case with dtypes prints as a line that runs it again.

A file tests/cases/<family>/<op>.py holds ``def cases()``, which yields ``Case(id, args)``. It may also hold

- ``def oracle(**args)``, an independent implementation on float64 torch tensors;
- ``def strategy()``, a hypothesis strategy of arguments;
- value generators ``def <name>(rng, shape)``, which its arrays use by ``values=<name>``; one with a parameter ``args``
  also gets the arguments of the case, whose other arrays its values must fit.
"""

from __future__ import annotations

import ast
import functools
import importlib.util
import inspect
import zlib
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from types import ModuleType

import ml_dtypes
import numpy as np

from ascend_vision_ops.paths import cases_dir
from ascend_vision_ops.testing.compare import poisoned

SHORT = {
    "float32": "f32",
    "float16": "f16",
    "bfloat16": "bf16",
    "float64": "f64",
    "int8": "i8",
    "int16": "i16",
    "int32": "i32",
    "int64": "i64",
    "uint8": "u8",
    "bool": "bool",
}
LONG = {short: name for name, short in SHORT.items()}


def numpy_dtype(name: str) -> np.dtype:
    """Returns the NumPy dtype that a contract calls `name`; bfloat16 is that of ml_dtypes."""
    return np.dtype(ml_dtypes.bfloat16 if name == "bfloat16" else name)


class Array:
    """An input array, described by shape, values and layout.

    values: the name of a generator in `VALUES`, or a generator of the case file: ``f(rng, shape) -> ndarray`` or
        ``f(rng, shape, args) -> ndarray``.
    layout: how the elements lie in memory, one of `LAYOUTS`.
    """

    def __init__(self, *shape: int, values: str | Callable = "normal", layout: str = "dense"):
        self.shape = tuple(shape)
        self.generator = values if callable(values) else VALUES[values]
        self.values = values.__name__ if callable(values) else values
        self.layout = layout
        if layout not in LAYOUTS:
            raise ValueError(f"layout is one of {', '.join(LAYOUTS)}, got {layout!r}")

    def text(self, dtype: str) -> str:
        dims = ",".join(map(str, self.shape)) or "()"
        extras = "".join(f".{word}" for word in (self.values, self.layout) if word not in ("normal", "dense"))
        return f"{SHORT[dtype]}[{dims}]{extras}"

    def make(self, dtype: str, rng: np.random.Generator, args: dict | None = None) -> np.ndarray:
        """Makes the array. args: the arguments of the case that it belongs to, for generators that take them."""
        fitting = {"args": args} if "args" in inspect.signature(self.generator).parameters else {}
        with np.errstate(over="ignore", invalid="ignore"):
            dense = np.asarray(self.generator(rng, self.shape, **fitting)).astype(numpy_dtype(dtype))
        return LAYOUTS[self.layout](dense)


@dataclass(frozen=True)
class Case:
    """One call without dtypes.

    id: says what is special about the call.
    args: the keyword arguments, with an `Array` for each tensor.
    dtypes: the dtypes of the first tensor with which the case is run; empty for all of the contract.
    out: the layout of results that the caller allocates; "" if the operator allocates them.
    """

    id: str
    args: dict[str, object]
    dtypes: tuple[str, ...] = ()
    out: str = ""


@dataclass(frozen=True)
class BoundCase:
    """A case with a dtype for each array, and for each result whose dtype the caller chooses."""

    operator: str
    case: Case
    dtypes: dict[str, str] = field(hash=False)

    @property
    def text(self) -> str:
        """The case as one line of valid Python, which `parse_case` reads back."""
        parts = [
            f"{name}={value.text(self.dtypes[name]) if isinstance(value, Array) else _literal(value)}"
            for name, value in self.case.args.items()
        ]
        chosen = ",".join(f"{n}={SHORT[d]}" for n, d in self.dtypes.items() if n not in self.case.args)
        out = f".{self.case.out}" if self.case.out else ""
        return f"{self.operator}({','.join(parts)})" + out + (f"({chosen})" if chosen else "")

    def arguments(self) -> dict[str, object]:
        """Makes the arguments, with arrays of the right dtype and layout; every time new arrays with equal values."""
        rng = np.random.default_rng(zlib.crc32(self.text.encode()))
        return {
            name: value.make(self.dtypes[name], rng, self.case.args) if isinstance(value, Array) else value
            for name, value in self.case.args.items()
        }


def _literal(value: object) -> str:
    return repr(value).replace(" ", "")


def parse_case(text: str) -> BoundCase:
    """Reads the line that a case prints.

    ``op(self=f16[1,8,7].special.strided,size=[13]).transposed(indices=i32)`` states dtype, shape, values and layout of
    the array ``self``; behind the call, the layout of results, and the dtypes that the caller chooses for them. Values
    may also be a generator of the operator's case file.
    """
    try:
        call, out, chosen = ast.parse(text, mode="eval").body, "", {}
        if isinstance(call, ast.Call) and not isinstance(call.func, ast.Name):
            call, chosen = call.func, {keyword.arg: LONG[keyword.value.id] for keyword in call.keywords}
        if isinstance(call, ast.Attribute) and call.attr in LAYOUTS:
            call, out = call.value, call.attr
        if not (isinstance(call, ast.Call) and isinstance(call.func, ast.Name) and not call.args):
            raise ValueError
        operator = call.func.id
        args, dtypes = {}, {}
        for keyword in call.keywords:
            try:
                args[keyword.arg] = ast.literal_eval(keyword.value)
            except ValueError:
                dtypes[keyword.arg], args[keyword.arg] = _parse_array(keyword.value, operator)
        dtypes |= chosen
    except (SyntaxError, ValueError, KeyError, AttributeError) as error:
        detail = f" ({error})" if str(error) else ""
        raise ValueError(
            f"expected a case such as op(self=f16[1,8,7].strided,size=[13]), got {text!r}{detail}"
        ) from None
    return BoundCase(operator, Case("line", args, out=out), dtypes)


def _parse_array(node: ast.AST, operator: str) -> tuple[str, Array]:
    options = {}
    while isinstance(node, ast.Attribute):
        if node.attr in LAYOUTS:
            options["layout"] = node.attr
        elif node.attr in VALUES:
            options["values"] = node.attr
        else:
            options["values"] = getattr(cases_module(operator), node.attr)
        node = node.value
    if not (isinstance(node, ast.Subscript) and isinstance(node.value, ast.Name)):
        raise ValueError(f"{ast.unparse(node)} is not an array")
    shape = ast.literal_eval(node.slice)
    return LONG[node.value.id], Array(*(shape if isinstance(shape, tuple) else (shape,)), **options)


@functools.cache
def cases_module(operator: str) -> ModuleType:
    """Imports the case file of an operator."""
    path = next(cases_dir().glob(f"*/{operator}.py"), None)
    if path is None:
        raise FileNotFoundError(
            f"operator {operator} has no cases: there is no file {cases_dir()}/*/{operator}.py"
        )
    spec = importlib.util.spec_from_file_location(f"ascend_vision_ops_cases.{operator}", path)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def bound_cases(
    operator: str, combinations: list[dict[str, str]], results: tuple[str, ...] = ()
) -> Iterator[BoundCase]:
    """Yields every case of an operator in every combination of dtypes of its arrays and of the results `results`."""
    for case in cases_module(operator).cases():
        arrays = [name for name, value in case.args.items() if isinstance(value, Array)]
        for dtypes in combinations:
            if not case.dtypes or dtypes[arrays[0]] in case.dtypes:
                names = [*arrays, *(name for name in results if name in dtypes)]
                yield BoundCase(operator, case, {name: dtypes[name] for name in names})


# --- values: generators (rng, shape) -> array; the array is rounded to the dtype afterwards


def _special(rng: np.random.Generator, shape: tuple[int, ...]) -> np.ndarray:
    """Returns normal numbers, 15 % of which are replaced by NaN, infinities, zeros, or very large or small values."""
    values = rng.standard_normal(shape)
    strange = np.array([np.nan, np.inf, -np.inf, 0.0, -0.0, 6e4, -6e4, 1e-7, 1e-40])
    return np.where(rng.random(shape) < 0.15, rng.choice(strange, shape), values)


VALUES: dict[str, Callable[[np.random.Generator, tuple[int, ...]], np.ndarray]] = {
    "normal": lambda rng, shape: rng.standard_normal(shape),
    "uniform": lambda rng, shape: rng.random(shape),
    "wide": lambda rng, shape: rng.standard_normal(shape) * 10.0 ** rng.uniform(-3, 3, shape),
    "integers": lambda rng, shape: rng.integers(-4, 5, shape),
    "ramp": lambda rng, shape: np.arange(np.prod(shape, dtype=int)).reshape(shape) % 251,
    "constant": lambda rng, shape: np.full(shape, 1.5),
    "special": _special,
}


# --- layouts: how equal elements lie in memory; the memory beside them is poison, which shows who reads past a view


def _strided(dense: np.ndarray) -> np.ndarray:
    if dense.ndim == 0:
        return dense
    buffer = poisoned((*dense.shape[:-1], 2 * dense.shape[-1]), dense.dtype)
    buffer[..., ::2] = dense
    return buffer[..., ::2]


def _transposed(dense: np.ndarray) -> np.ndarray:
    return dense if dense.ndim < 2 else np.ascontiguousarray(dense.swapaxes(-1, -2)).swapaxes(-1, -2)


def _channels_last(dense: np.ndarray) -> np.ndarray:
    return dense if dense.ndim < 3 else np.moveaxis(np.ascontiguousarray(np.moveaxis(dense, 1, -1)), -1, 1)


def _offset(dense: np.ndarray) -> np.ndarray:
    if dense.ndim == 0:
        return dense
    buffer = poisoned((dense.shape[0] + 2, *(extent + 3 for extent in dense.shape[1:])), dense.dtype)
    view = buffer[tuple(slice(1, 1 + extent) for extent in dense.shape)]
    view[...] = dense
    return view


def _broadcast(dense: np.ndarray) -> np.ndarray:
    """Repeats the first slice along the first dimension, which has stride 0."""
    if dense.ndim == 0 or not dense.size:
        return dense
    # The arrays of np.broadcast_to are read-only, which torch tensors cannot be.
    return np.lib.stride_tricks.as_strided(dense, dense.shape, (0, *dense.strides[1:]))


LAYOUTS: dict[str, Callable[[np.ndarray], np.ndarray]] = {
    "dense": lambda dense: dense,
    "strided": _strided,
    "transposed": _transposed,
    "channels_last": _channels_last,
    "offset": _offset,
    "broadcast": _broadcast,
}
