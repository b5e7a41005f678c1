# SPDX-License-Identifier: Apache-2.0
"""The dtypes of tensors (`dtypes`, `cpu_dtypes`, `formats`) and their shapes (`shape`, `let`, `dynamic`)."""

from __future__ import annotations

import re

from ..expr import Expression, Symbol
from ..model import DTYPES, Pattern, Shapes, Signature, Types
from .document import Document, Where, show

NAME = re.compile(r"[A-Za-z]\w*")


def read_types(document: Document, signature: Signature) -> Types:
    """Reads the dtypes that each tensor may have."""
    types = Types(dtypes={}, cpu_dtypes={}, same_dtype={}, dtype_from={}, formats=document["formats"])
    document.check_names(("dtypes",), document["dtypes"], signature.tensor_names)
    for tensor in document["dtypes"]:
        if tensor in signature.tensor_names:
            _read_dtypes(document, signature, types, tensor)
    for tensor in signature.tensor_names:
        if tensor not in document["dtypes"]:
            document.problem("dtypes", f"an entry for {tensor}", "none")
    for tensor, other in types.same_dtype.items():
        if other not in types.dtypes:
            document.problem(("dtypes", tensor), "a tensor with a list of its own", repr(other))
    types.cpu_dtypes = _cpu_dtypes(document, types)
    return types


def _read_dtypes(document: Document, signature: Signature, types: Types, tensor: str) -> None:
    """Reads the rule of one tensor: a list, another tensor, or {accept, infer}."""
    where, rule = ("dtypes", tensor), document["dtypes"][tensor]
    if isinstance(rule, dict):
        document.check_fields(where, rule, ("accept", "infer"))
        attributes = {name: s for name, s in signature.scope.items() if s.type in ("dtype", "dtype?")}
        if str(rule.get("infer")) in attributes:
            types.dtype_from[tensor] = Expression(rule["infer"], attributes)
        else:
            document.problem((*where, "infer"), "a ScalarType parameter", show(rule.get("infer")))
        rule = rule.get("accept")
    if isinstance(rule, list) and rule:
        for index, name in enumerate(rule):
            if name not in DTYPES:
                document.problem((*where, index), f"one of {', '.join(DTYPES)}", show(name))
        types.dtypes[tensor] = [str(name) for name in rule]
    elif rule in signature.tensor_names and rule != tensor:
        types.same_dtype[tensor] = rule
    else:
        document.problem(where, "a list of dtypes or another tensor", show(rule))


def _cpu_dtypes(document: Document, types: Types) -> dict[str, list[str]]:
    """Reads the dtypes that the CPU kernel takes beside those of `dtypes`."""
    value = document["cpu_dtypes"]
    document.check_names(("cpu_dtypes",), value, types.dtypes)
    for tensor, names in value.items():
        for index, name in enumerate(names if isinstance(names, list) else [names]):
            if name not in DTYPES or name in types.dtypes.get(tensor, ()):
                where = ("cpu_dtypes", tensor, index)
                document.problem(where, "a dtype that `dtypes` does not list", show(name))
    return value


def read_dynamic(document: Document, signature: Signature) -> list[str]:
    """Reads the sizes that only the data decide, and adds them to the names of expressions."""
    names = [str(name) for name in document["dynamic"]]
    for index, name in enumerate(names):
        if not NAME.fullmatch(name) or name in signature.scope:
            document.problem(("dynamic", index), "a new name", show(document["dynamic"][index]))
        signature.scope[name] = Symbol(name, "int", dimension=True)
    return names


def read_shapes(document: Document, signature: Signature, dynamic: list[str]) -> Shapes:
    """Reads the pattern of each tensor's shape. Adds the names of sizes to those that expressions may use."""
    value, scope = document["shape"], signature.scope
    document.check_names(("shape",), value, signature.tensor_names)
    for output in signature.outputs:
        if output not in value:
            document.problem("shape", f"an entry for {output}", "none")
    # All dimensions get their names first, so that an expression may use a name of a later tensor.
    bound = _bind_dimensions(value, signature)
    shapes = Shapes(patterns={}, lets=_lets(document, scope), dynamic=dynamic)
    for tensor, dims in value.items():
        if tensor not in signature.tensor_names:
            continue
        pattern = _pattern(document, scope, tensor, dims)
        if pattern is not None:
            for index, dim in enumerate(pattern.dims or []):
                pattern.binds.append(dim.text if bound.get(dim.text) == (tensor, index) else None)
            shapes.patterns[tensor] = pattern
    return shapes


def _bind_dimensions(value: dict, signature: Signature) -> dict[str, tuple[str, int]]:
    """Adds the names of dimensions of inputs to the scope. Gives the first tensor and dimension that has each name."""
    bound = {}
    for tensor, dims in value.items():
        is_input = tensor in signature.tensor_names and tensor not in signature.outputs
        for index, dim in enumerate(dims if is_input and isinstance(dims, list) else []):
            if isinstance(dim, str) and NAME.fullmatch(dim) and dim not in signature.scope:
                signature.scope[dim] = Symbol(dim, "int", dimension=True)
                bound[dim] = (tensor, index)
    return bound


def _lets(document: Document, scope: dict[str, Symbol]) -> dict[str, Expression]:
    """Reads further names of sizes, each in terms of those before it."""
    lets = {}
    for name, text in document["let"].items():
        if name in scope:
            document.problem(("let", name), "a new name", repr(name))
        expression = document.expression(("let", name), text, dict(scope))
        if expression is not None:
            lets[name] = expression
            scope[name] = Symbol(name, expression.type, dimension=True)
    return lets


def _pattern(document: Document, scope: dict[str, Symbol], tensor: str, dims: object) -> Pattern | None:
    """Reads one shape: a list of dimensions, or one expression for all of it."""
    where: Where = ("shape", tensor)
    if not isinstance(dims, list):
        whole = document.expression(where, dims, scope)
        if whole is not None and whole.type != "ints":
            document.problem(where, "a shape", repr(whole.text))
        return Pattern(tensor, None, whole)
    found = [document.expression((*where, index), dim, scope) for index, dim in enumerate(dims)]
    for index, dim in enumerate(found):
        if dim is not None and dim.type != "int":
            document.problem((*where, index), "an int", repr(dim.text))
    return None if None in found else Pattern(tensor, found)
