# SPDX-License-Identifier: Apache-2.0
"""The filters of onnxruntime.cpp.j2: C++ text for the ONNX nodes of an operator."""

from __future__ import annotations

import ast
from collections.abc import Mapping

from . import cpp
from .expr import Expression
from .model import DTYPES, Spec
from .nodes import Attribute, Node
from .schema import REQUIRED, Parameter


def groups(spec: Spec) -> list[list[Node]]:
    """The nodes of an operator, in groups of nodes that differ in domain and name only."""
    found: dict[tuple, list[Node]] = {}
    for node in spec.nodes:
        key = node.inputs, str(node.attributes), node.outputs
        found.setdefault(key, []).append(node)
    return list(found.values())


def local(kernel: Spec, parameter: Parameter, node: Node) -> str:
    """A statement that defines a parameter's value for a node: its attribute, or the default where it has none."""
    kind = parameter.type.removesuffix("?")
    name = f"std::optional<{cpp.TYPES[kind]}>" if parameter.optional else cpp.TYPES[kind]
    attribute = next((a for a in node.attributes if a.parameter == parameter.name), None)
    default = _literal(parameter, parameter.default_value())
    value = _read(kernel, attribute, parameter) if attribute else default
    return f"[[maybe_unused]] const {name} {parameter.name} = {value};"


def _read(kernel: Spec, attribute: Attribute, parameter: Parameter) -> str:
    """A call of the function that reads an attribute; of `Required` around it where there is no default."""
    arguments = ["attributes", _names(attribute)]
    if attribute.type == "ints":
        arguments.append(str(attribute.length))
        arguments += ["true"] if attribute.pairs else []
    if attribute.type == "dtype":
        # A runtime fixes the dtype of a result before it sees attributes: as the first dtype of the contract's list.
        output = next(name for name, chosen in kernel.dtype_from.items() if parameter.name in chosen.names)
        arguments.append(f"DType::{DTYPES[kernel.dtypes[output][0]].cpp}")
    function = {
        "int": "Int",
        "float": "Float",
        "bool": "Bool",
        "str": "String",
        "ints": "Ints",
        "dtype": "DTypeOf",
    }
    call = f"{function[attribute.type]}({', '.join(arguments)})"
    if attribute.default is REQUIRED:
        call = f"Required({cpp.cstr(attribute.name)}, {call})"
    elif attribute.default is not None or not parameter.optional:
        call += f".value_or({_literal(parameter, attribute.default)})"
    return f"Below({call})" if attribute.below else call


def _names(attribute: Attribute) -> str:
    return "{" + ", ".join(map(cpp.cstr, attribute.names)) + "}"


def _literal(parameter: Parameter, value: object) -> str:
    if value is None or value is REQUIRED:
        return "std::nullopt"
    if isinstance(value, bool):
        return str(value).lower()
    if isinstance(value, (list, tuple)):
        return "Shape{" + ", ".join(map(str, value)) + "}"
    if isinstance(value, str):
        return cpp.cstr(value)
    return repr(float(value)) if parameter.base == "float" else str(value)


def fixed(node: Node) -> list[str]:
    """Statements that check the attributes that may have one value only."""
    return [f"Only(attributes, {_names(a)}, {a.only});" for a in node.attributes if a.only is not None]


def field(kernel: Spec, parameter: Parameter) -> str:
    """The field of Args, from the local with the parameter's name."""
    if parameter.name in kernel.normal:
        return kernel.normal[parameter.name].cpp(lambda name: name)
    return parameter.name


def kernel_inputs(kernel: Spec, node: Node) -> list[tuple[int, Parameter]]:
    """The tensors that a node passes to the kernel, with their indices."""
    return [(place, kernel.parameter(item.parameter)) for place, item in enumerate(node.inputs)]


def rank(spec: Spec, tensor: str) -> int:
    """The rank of a tensor; -1 where it may have any rank."""
    pattern = spec.patterns.get(tensor)
    return len(pattern.dims) if pattern and pattern.dims is not None else -1


def types(spec: Spec, node: Node) -> list[str]:
    """The rows of the table of dtypes on CPUs: in each the dtypes of inputs, then those of results."""
    inputs = [item.parameter for item in node.inputs]
    free = [name for name in dict.fromkeys(spec.followed(name) for name in inputs) if name in spec.dtypes]
    rows = [{}]
    for tensor in free:
        names = spec.dtypes[tensor] + spec.cpu_dtypes.get(tensor, [])
        rows = [{**row, tensor: name} for row in rows for name in names]

    def listed(names: list[str], row: Mapping[str, str]) -> str:
        return "{" + ", ".join(f"DType::{DTYPES[spec.dtype_of(name, row)].cpp}" for name in names) + "}"

    return [f"{{{listed(inputs, row)}, {listed(list(node.outputs), row)}}}" for row in rows]


def shape(spec: Spec, node: Node, output: str) -> str:
    """The argument of `Shapes::Output`: what is known about a result's shape before the data are there."""
    pattern = spec.patterns[output]
    places = {item.parameter: place for place, item in enumerate(node.inputs)}
    if pattern.dims is not None:
        return "{" + ", ".join(_dimension(spec, places, dim) for dim in pattern.dims) + "}"
    match ast.parse(pattern.whole.text, mode="eval").body:
        case ast.Attribute(value=ast.Name(id=name), attr="shape"):
            return f"shapes.Like({places[name]})"
    return f"Known({pattern.whole.cpp(cpp.spell(spec))})"


def _dimension(spec: Spec, places: Mapping[str, int], dim: Expression) -> str:
    if set(spec.names_within(dim)) & set(spec.dynamic):
        return "Unknown()"
    same, sources = spec.same_size(dim), spec.sources(dim)
    if same is not None:
        return f"shapes.Same({places[same[0]]}, {same[1]})"
    value = dim.cpp(cpp.spell(spec))
    if not sources:
        return f"Dim{{{value}}}"
    return f"shapes.From({value}, {{{', '.join(f'{{{places[t]}, {i}}}' for t, i in sources)}}})"


def attribute_text(attribute: Attribute) -> str:
    """An attribute in the words of a page: its names, type and default."""
    names = " or ".join(f"`{name}`" for name in attribute.names)
    default = (
        "" if attribute.required else f" = {'none' if attribute.default is None else attribute.default!r}"
    )
    if isinstance(attribute.default, bool):
        default = f" = {int(attribute.default)}"
    text = f"{names} {attribute.onnx_type.lower()}{default}"
    if attribute.pairs:
        text += ", or each element twice"
    if not attribute.parameter:
        text += ", without effect" if attribute.only is None else ", no other value"
    return f"{text}; the operator gets the next smaller number" if attribute.below else text


FILTERS = {
    "attribute_text": attribute_text,
    "node_fixed": fixed,
    "node_groups": groups,
    "node_local": local,
    "node_field": field,
    "node_inputs": kernel_inputs,
    "node_rank": rank,
    "node_types": types,
    "node_shape": shape,
}
