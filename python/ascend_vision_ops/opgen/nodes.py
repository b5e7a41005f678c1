# SPDX-License-Identifier: Apache-2.0
"""The ONNX nodes that mean an operator, as the key `onnx` of its contract states them.

`Node.arguments` turns the attributes of a node into parameters of the operator.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace

from .schema import REQUIRED, Parameter, split_arguments

DOMAIN = "ascend_vision_ops"  # the domain in which every operator has its torch name and parameters
ONNX_DTYPES = {
    "float32": 1, "uint8": 2, "int8": 3, "int16": 5, "int32": 6, "int64": 7, "bool": 9, "float16": 10, "float64": 11,
    "bfloat16": 16,
}  # fmt: skip


class NodeError(ValueError):
    """A text that does not describe a node. The message reads `expected …, got …`."""


def decimal(value: float) -> float:
    """The shortest decimal number with the 32 bits of a float attribute in ONNX: 0.7, not 0.699999988."""
    import numpy as np

    return float(str(np.float32(value)))


def below(value: float) -> float:
    """The next smaller float32. For float32 numbers, `x >= value` is the same as `x > below(value)`."""
    import numpy as np

    return float(np.nextafter(np.float32(value), np.float32(-np.inf)))


@dataclass(frozen=True)
class Attribute:
    """An attribute of a node.

    names: the names it may have in exported models; the first is the documented one.
    parameter: the operator's parameter that it gives a value to; "" where it gives none.
    type: int, float, str, ints, bool (an int in ONNX) or dtype (an int, as in `onnx.TensorProto.DataType`).
    length: of ints, how many elements it has, where one number may stand for all of them; 0 for any number.
    default: the value where the attribute is absent: a value, None (the operator's None), or REQUIRED.
    below: whether the parameter gets the next smaller float32.
    pairs: of ints, whether each may stand twice, for both sides of its axis: [1, 1, 2, 2] is [1, 2] then.
    only: of an int without a parameter, the one value that it may have; None for any value.
    """

    names: tuple[str, ...]
    parameter: str
    type: str
    length: int | None
    default: object
    below: bool = False
    pairs: bool = False
    only: int | None = None

    @property
    def name(self) -> str:
        return self.names[0]

    @property
    def required(self) -> bool:
        return self.default is REQUIRED

    @property
    def onnx_type(self) -> str:
        """The name in onnx.defs.OpSchema.AttrType."""
        return {"float": "FLOAT", "str": "STRING", "ints": "INTS"}.get(self.type, "INT")

    def argument(self, value: object) -> object:
        """The parameter for the attribute's value: a number, text, bytes or a sequence; None where it is absent."""
        if value is None or (self.type == "ints" and not isinstance(value, int) and not len(value)):
            value = self.default
            if value is REQUIRED:
                raise ValueError(f"{self.name}: expected this attribute, got none")
            if value is None:
                return None
        if self.type == "str":
            return value.decode() if isinstance(value, bytes) else str(value)
        if self.type == "ints":
            values = [value] * (self.length or 1) if isinstance(value, int) else [int(item) for item in value]
            if self.pairs and len(values) == 2 * self.length and values[::2] == values[1::2]:
                values = values[::2]
            if self.length and values and len(values) != self.length:
                twice = " (or each of them twice)" if self.pairs else ""
                raise ValueError(f"{self.name}: expected {self.length} ints{twice}, got {values}")
            return values
        if self.type == "dtype":
            names = {number: name for name, number in ONNX_DTYPES.items()}
            if value not in names:
                raise ValueError(f"{self.name}: expected a number of onnx.TensorProto.DataType, got {value}")
            return names[value]
        value = {"int": int, "bool": bool, "float": decimal}[self.type](value)
        if self.only is not None and value != self.only:
            raise ValueError(f"{self.name}: expected {self.only}, got {value}")
        return below(value) if self.below else value


@dataclass(frozen=True)
class Input:
    """A tensor that a node takes, by its index. An optional one may be empty or left out at the end."""

    parameter: str
    optional: bool


@dataclass(frozen=True)
class Node:
    """A node that exported models contain, and the operator that it means.

    outputs: results of the operator, in the node's order. A node may leave out some of several results.
    """

    domain: str
    name: str
    operator: str
    inputs: tuple[Input, ...]
    attributes: tuple[Attribute, ...]
    outputs: tuple[str, ...]

    @property
    def qualified(self) -> str:
        return f"{self.domain}::{self.name}"

    def attribute(self, name: str) -> Attribute | None:
        """The attribute with a name or alias; None where there is none."""
        return next((attribute for attribute in self.attributes if name in attribute.names), None)

    def arguments(self, attributes: Mapping[str, object]) -> dict[str, object]:
        """The operator's parameters, without tensors, for the attributes that a node has.

        Raises ValueError for an unknown attribute, for a required one that is absent, and for one that is given by two
        names; the message starts with its name.
        """
        for name in attributes:
            if self.attribute(name) is None:
                known = ", ".join(attribute.name for attribute in self.attributes) or "none"
                raise ValueError(f"{name}: expected one of the attributes of {self.qualified} ({known})")
        values = {}
        for attribute in self.attributes:
            given = [name for name in attribute.names if name in attributes]
            if len(given) > 1:
                raise ValueError(
                    f"{given[1]}: expected one name of {attribute.name}, got {' and '.join(given)}"
                )
            value = attribute.argument(attributes[given[0]] if given else None)
            if attribute.parameter:
                values[attribute.parameter] = value
        return values


@dataclass
class Rows:
    """What the rows of a composite's result are.

        indices = ""     result                 the first `count` rows of a result of the operator that it calls
        indices = "kept" boxes[kept], scores[kept]   rows of inputs side by side, at the first `count` indices of `kept`

    sources: that result, or the inputs.
    indices: the result that holds indices, "" for none.
    """

    sources: list[str] = field(default_factory=list)
    indices: str = ""


def parse_rows(text: str) -> Rows:
    """Reads `result`, or `tensor[result], tensor[result]`."""
    parts = split_arguments(text)
    found = [re.fullmatch(r"([a-z_]\w*)(?:\[([a-z_]\w*)\])?", part) for part in parts]
    indices = {match[2] or "" for match in found if match}
    if None in found or len(indices) != 1 or (indices == {""} and len(parts) != 1):
        raise NodeError(f"expected `result` or `tensor[result], …` with one result, got {text!r}")
    return Rows([match[1] for match in found], indices.pop())


def torch_node(operator: str, parameters: Iterable[Parameter], outputs: Iterable[str]) -> Node:
    """The node of an operator in our own domain: its parameters and results as they are."""
    return parse_node(DOMAIN, operator, operator, list(parameters), list(outputs))


def parse_node(
    domain: str, text: str, operator: str, parameters: list[Parameter], outputs: list[str]
) -> Node:
    """Reads `Name`, `Name(argument, …)` or `Name(argument, …) -> result, …` for an operator."""
    match = re.fullmatch(r"(\w+)\s*(?:\((.*)\))?\s*(?:->\s*(.+))?", text.strip(), re.DOTALL)
    if not match:
        raise NodeError(f"expected `Name(argument, …) -> result, …`, got {text!r}")
    name, inside, results = match.groups()
    by_name = {parameter.name: parameter for parameter in parameters}
    parsed = [_argument(part, by_name) for part in split_arguments("..." if inside is None else inside)]
    taken = [item.parameter for item in parsed if item is not None]
    rest = [_plain(parameter) for parameter in parameters if parameter.name not in taken]
    arguments = []
    for item in parsed:
        arguments += rest if item is None else [item]
    chosen = [part.strip() for part in results.split(",")] if results else outputs
    for result in chosen:
        if result not in outputs:
            raise NodeError(f"expected one of {', '.join(outputs)} after ->, got {result!r}")
    given = [item.parameter for item in arguments]
    for parameter in parameters:
        if given.count(parameter.name) > 1:
            raise NodeError(f"expected one argument for {parameter.name}, got several")
        needed = not parameter.has_default and not parameter.optional
        if needed and parameter.name not in given:
            raise NodeError(f"expected one argument for {parameter.name}, got none")
    return Node(
        domain=domain,
        name=name,
        operator=operator,
        inputs=tuple(item for item in arguments if isinstance(item, Input)),
        attributes=tuple(item for item in arguments if isinstance(item, Attribute)),
        outputs=tuple(chosen),
    )


def _argument(part: str, parameters: Mapping[str, Parameter]) -> Input | Attribute | None:
    """Reads `parameter`, or `name[|alias]…[=value]` with a value `parameter [or default]`, or `below(…)` or `pairs(…)`
    of it, or `ignored(int)` or `only(int)`, which give no parameter a value.

    Gives None for `...`, which stands for all parameters that no other argument names.
    """
    if part == "...":
        return None
    match = re.fullmatch(r"(\w+(?:\|\w+)*)\s*(?:=\s*(.+))?", part, re.DOTALL)
    if not match:
        raise NodeError(f"expected `name[|alias][=parameter [or default]]`, got {part!r}")
    names = tuple(match[1].split("|"))
    value = match[2] or names[0]
    if without := re.fullmatch(r"(ignored|only)\((-?\d+)\)", value):
        number = int(without[2])
        return Attribute(names, "", "int", None, number, only=number if without[1] == "only" else None)
    wrapped = re.fullmatch(r"(below|pairs)\((.*)\)", value)
    function, inner = wrapped.groups() if wrapped else ("", value)
    target, _, default = inner.partition(" or ")
    parameter = parameters.get(target.strip())
    if parameter is None:
        raise NodeError(f"expected one of {', '.join(parameters)}, got {target.strip()!r}")
    if parameter.is_tensor:
        if len(names) > 1 or match[2]:
            raise NodeError(f"expected the tensor {parameter.name} as it is, got {part!r}")
        return _plain(parameter)
    if function == "below" and parameter.base != "float":
        raise NodeError(f"expected a float parameter in below(), got {parameter.name}")
    if function == "pairs" and not parameter.length:
        raise NodeError(f"expected a parameter int[k] in pairs(), got {parameter.name}")
    plain = _plain(parameter)
    if default:
        try:
            literal = ast.literal_eval(default.strip())
        except (ValueError, SyntaxError):
            raise NodeError(f"expected a Python literal after or, got {default.strip()!r}") from None
    else:
        literal = plain.default
    return replace(plain, names=names, default=literal, below=function == "below", pairs=function == "pairs")


def _plain(parameter: Parameter) -> Input | Attribute:
    """The input or attribute that has the parameter's own name and default."""
    if parameter.is_tensor:
        return Input(parameter.name, parameter.optional)
    default = parameter.default_value()
    if default is REQUIRED and parameter.optional:
        default = None
    kind = parameter.type.removesuffix("?")
    return Attribute((parameter.name,), parameter.name, kind, parameter.length, default)
