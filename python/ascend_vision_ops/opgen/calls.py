# SPDX-License-Identifier: Apache-2.0
"""Concrete calls of a contract: its example, the check of any call, and the sweep of bad calls.

The sweep has, for each check of a contract, calls that differ from the example in one value and fail this check first.
Calls are checked here by the same list of checks that the C++ is generated from. So the sweep knows, for each bad call,
the return code and the parameter that the message must name.
"""

from __future__ import annotations

import copy
from collections.abc import Iterator
from dataclasses import dataclass, field

from .model import DTYPES, FORMATS, Argument, Check, Entry, Spec

NULLPTR, INVALID = 161001, 161002
FORMAT_NUMBERS = {"ND": 2, "NCL": 47, "NCHW": 0, "NCDHW": 30, "NHWC": 1}


@dataclass
class Shaped:
    """What a contract sees of a tensor: its shape, dtype and format."""

    shape: tuple[int, ...]
    dtype: str
    format: str = "ND"

    @property
    def ndim(self) -> int:
        return len(self.shape)


@dataclass
class Call:
    """The arguments of a call.

    values: by parameter name: a Shaped tensor, None for a tensor that is not given, or the value of an attribute, in
        which defaults have taken the place of None and empty lists.
    nulls: aclnn names of the pointers that are passed as null.
    """

    values: dict[str, object]
    nulls: list[str] = field(default_factory=list)

    def with_value(self, name: str, value: object) -> Call:
        changed = Call(dict(self.values), list(self.nulls))
        changed.values[name] = value
        return changed

    def with_shape(self, name: str, shape) -> Call:
        tensor = copy.copy(self.values[name])
        tensor.shape = tuple(shape)
        return self.with_value(name, tensor)


@dataclass
class BadCall:
    """A call that violates the contract in one point, and what the first phase must answer.

    entry: name of the entry point that is called.
    id: unique name within the entry point: parameter, check and value.
    code: the status that the first phase must return.
    parameter: the name that its message must start with.
    """

    operator: str
    entry: str
    id: str
    call: Call
    code: int
    parameter: str

    def to_json(self, entry: Entry) -> dict[str, object]:
        arguments = {}
        for argument in entry.arguments:
            value = None if argument.name in self.call.nulls else self.call.values[argument.target]
            if value is not None and len(argument.targets) > 1:
                second = self.call.values[argument.targets[1]]
                value = value if value == second or len(value) != len(second) else [*value, *second]
            if isinstance(value, Shaped):
                value = {
                    "shape": list(value.shape),
                    "dtype": value.dtype,
                    "format": FORMAT_NUMBERS[value.format],
                }
            arguments[argument.name] = value
        return {
            "operator": self.operator,
            "entry": self.entry,
            "id": self.id,
            "arguments": arguments,
            "nulls": [name for name in self.call.nulls if name in ("workspaceSize", "executor")],
            "code": self.code,
            "parameter": self.parameter,
        }


def sizes_of(spec: Spec, call: Call) -> dict[str, object]:
    """The values that expressions see: arguments, and the sizes that `shape` and `let` have names for."""
    values = dict(call.values)
    for pattern in spec.patterns.values():
        tensor = call.values.get(pattern.tensor)
        for index, name in enumerate(pattern.binds):
            if name:
                values[name] = tensor.shape[index] if tensor is not None else 0
    for name, expression in spec.lets.items():
        values[name] = expression.evaluate(values)
    return values


def sizes_of_arguments(spec: Spec, arguments: dict[str, object]) -> dict[str, object]:
    """The same for a call of a Python face. Arguments that are left out have their defaults."""
    values = {p.name: p.default_value() for p in spec.parameters if not p.is_tensor and p.has_default}
    values |= {p.name: None for p in spec.tensors if p.optional}
    values |= arguments
    values |= {name: expression.evaluate(values) for name, expression in spec.normal.items()}
    return sizes_of(spec, Call(values))


def shape_of(spec: Spec, tensor: str, values: dict[str, object]) -> tuple[int, ...]:
    """The shape that the contract demands of a tensor."""
    pattern = spec.patterns[tensor]
    if pattern.dims is None:
        return tuple(pattern.whole.evaluate(values))
    return tuple(dim.evaluate(values) for dim in pattern.dims)


def example_call(spec: Spec, entry: Entry | None = None) -> Call:
    """The call that `example` describes, for one entry point. Attributes that `example` leaves out have their defaults.

    Optional tensors are given, except those that the entry point has no argument for. The call of a composite has no
    results.
    """
    entry = entry or next(iter(spec.calls), None)
    example = {**spec.example, **(entry.example if entry else {})}
    values: dict[str, object] = {}
    for parameter in spec.attributes:
        value = example.get(parameter.name, parameter.default_value() if parameter.has_default else None)
        values[parameter.name] = value
    for name, expression in spec.normal.items():
        values[name] = expression.evaluate(values)
    sizes = {name: value for name, value in example.items() if spec.scope[name].dimension}
    instance = spec.instances[0]
    for parameter in spec.tensors:
        shape = example.get(parameter.name, True)
        absent = entry is not None and entry.argument_of(parameter.name) is None
        if parameter.optional and (shape is False or absent):
            values[parameter.name] = None
            continue
        if shape is True:
            shape = shape_of(spec, parameter.name, {**values, **sizes})
        values[parameter.name] = Shaped(tuple(shape), spec.dtype_of(parameter.name, instance))
    call = Call(values)
    sizes = sizes_of(spec, call)
    for output in [] if spec.composite else spec.outputs:
        call.values[output] = Shaped(shape_of(spec, output, sizes), spec.dtype_of(output, instance))
    return call


def failed_check(spec: Spec, call: Call) -> Check | None:
    """The first check that a call fails, in the documented order; None where it passes all."""
    values: dict[str, object] | None = None
    for check in spec.checks:
        if check.kind not in ("rank", "length") and values is None:
            values = sizes_of(spec, call)
        subject = call.values[check.subject]
        if check.optional and subject is None:
            continue
        if not _holds(spec, check, call, subject, values):
            return check
    return None


def _holds(spec: Spec, check: Check, call: Call, subject, values) -> bool:
    match check.kind:
        case "rank":
            return subject.ndim == len(check.pattern.dims)
        case "length":
            return len(subject) == check.length
        case "require":
            return bool(check.expression.evaluate(values))
        case "shape":
            return tuple(subject.shape) == shape_of(spec, check.subject, values)
        case "dtype":
            return subject.dtype in check.dtypes
        case "same_dtype":
            return subject.dtype == call.values[check.same_as].dtype
    raise AssertionError(check.kind)


def violations(spec: Spec) -> Iterator[BadCall]:
    """The sweep: all bad calls of all entry points of a contract; null pointers and formats are those of C."""
    for entry in spec.calls:
        good = example_call(spec, entry)
        required = [a.name for a in entry.arguments if a.pointer and spec.required(a.target)]
        for name in [*required, "workspaceSize", "executor"] if entry.in_c else []:
            bad = Call(dict(good.values), [name])
            yield BadCall(spec.name, entry.name, f"{name}-null", bad, NULLPTR, name)
        seen: set[str] = set()
        for check in spec.checks:
            for label, changed in _violating(spec, good, check):
                bad = _companions(entry, good, changed)
                name = f"{check.subject}-{check.kind}-{label}"
                argument = entry.argument_of(check.subject)
                if (
                    failed_check(spec, bad) is not check
                    or name in seen
                    or (check.kind == "length" and argument and argument.spread)
                    or not _reachable(spec, entry, good, bad)
                ):
                    continue
                seen.add(name)
                yield BadCall(spec.name, entry.name, name, bad, INVALID, _spelled(entry, check.subject))
        for argument in entry.arguments:
            for length in range(10) if argument.spread else ():
                if length not in argument.spread.lengths:
                    bad = good.with_value(argument.target, [1] * length)
                    name = f"{argument.name}-{length}-elements"
                    yield BadCall(spec.name, entry.name, name, bad, INVALID, argument.name)
        for argument in entry.arguments if entry.in_c else ():
            if argument.ctype.endswith("aclTensor *") and good.values[argument.target] is not None:
                other = next(name for name in (*FORMATS, "NHWC") if name not in spec.formats)
                tensor = copy.copy(good.values[argument.target])
                tensor.format = other
                bad = good.with_value(argument.target, tensor)
                yield BadCall(
                    spec.name, entry.name, f"{argument.name}-format-{other}", bad, INVALID, argument.name
                )


def unprovoked(spec: Spec) -> list[Check]:
    """Conditions of `require` that no call of the sweep violates. They need values under the key `bad`."""
    provoked = set()
    for bad in violations(spec):
        failed = failed_check(spec, bad.call) if bad.code == INVALID else None
        provoked.add(id(failed))
    return [check for check in spec.checks if check.kind == "require" and id(check) not in provoked]


def _companions(entry: Entry, good: Call, bad: Call) -> Call:
    """Gives the second parameter of each spread(…) the value of the first one, where the bad call changed that."""
    for argument in entry.arguments:
        value = bad.values[argument.target]
        if len(argument.targets) > 1 and value != good.values[argument.target]:
            bad = bad.with_value(argument.targets[1], value)
    return bad


def _spelled(entry: Entry, target: str) -> str:
    argument: Argument | None = entry.argument_of(target)
    return argument.name if argument else target


def _reachable(spec: Spec, entry: Entry, good: Call, bad: Call) -> bool:
    """Whether an entry point can make the call: it must have an argument for each value that is not the good one."""
    return all(
        entry.argument_of(name) is not None
        for name, value in bad.values.items()
        if value != good.values[name]
    )


def _violating(spec: Spec, good: Call, check: Check) -> Iterator[tuple[str, Call]]:
    """Calls that differ from the good one in one value. The caller keeps those that fail `check` first."""
    subject = good.values.get(check.subject)
    match check.kind:
        case "rank" if subject is not None:
            for rank in range(6):
                yield f"rank{rank}", good.with_shape(check.subject, ([*subject.shape] + [1] * 6)[:rank])
        case "length":
            for length in (0, check.length - 1, check.length + 1):
                yield f"{length}", good.with_value(check.subject, ([*subject] + [1] * 9)[:length])
        case "dtype" | "same_dtype" if subject is not None:
            for name in DTYPES:
                tensor = copy.copy(subject)
                tensor.dtype = name
                yield name, good.with_value(check.subject, tensor)
        case "shape" | "require":
            yield from _nudged(spec, good, check)


def _nudged(spec: Spec, good: Call, check: Check) -> Iterator[tuple[str, Call]]:
    """Changes one attribute, element or dimension. Outputs get the shapes that follow, unless `check` is about one."""
    if check.bad:
        call = good
        for name, value in check.bad.items():
            tensor = isinstance(good.values[name], Shaped) and value is not None
            call = call.with_shape(name, value) if tensor else call.with_value(name, value)
        yield "given", _follow(spec, call)
    for name, value in good.values.items():
        own = check.kind == "shape" and name == check.subject
        if isinstance(value, Shaped):
            if name in spec.outputs and not own:
                continue
            for index, extent in enumerate(value.shape):
                for changed in (0, extent - 1, extent + 1, 2 * extent + 1):
                    shape = [*value.shape]
                    shape[index] = changed
                    if min(shape) < 0 or changed == extent:
                        continue
                    call = good.with_shape(name, shape)
                    yield f"{name}[{index}]={changed}", call if own else _follow(spec, call)
        elif isinstance(value, list):
            for index, extent in enumerate(value):
                for changed in (-1, 0, extent - 1, extent + 1, 100):
                    values = [*value]
                    values[index] = changed
                    if changed != extent:
                        yield f"{name}[{index}]={changed}", _follow(spec, good.with_value(name, values))
        elif isinstance(value, bool) or value is None:
            continue
        elif isinstance(value, (int, float)):
            kind = type(value)
            for changed in (-100, -1, 0, 0.5, 1, 2, 3, 100):
                if kind(changed) == changed and changed != value:
                    yield f"{name}={changed}", _follow(spec, good.with_value(name, kind(changed)))
        elif isinstance(value, str):
            yield f"{name}=unknown", _follow(spec, good.with_value(name, "unknown"))


def with_results(spec: Spec, call: Call) -> Call:
    """The call with the outputs' shapes that follow from its inputs, except those with a negative dimension.

    Raises what expressions raise that have no value for these inputs, ArithmeticError or IndexError.
    """
    values = sizes_of(spec, call)
    for output in spec.outputs:
        shape = shape_of(spec, output, values)
        if min(shape, default=0) >= 0:
            call = call.with_shape(output, shape)
    return call


def _follow(spec: Spec, call: Call) -> Call:
    """The call with the outputs' shapes that follow from its inputs, where there are such shapes."""
    try:
        return with_results(spec, call)
    except (ArithmeticError, IndexError):
        return call
