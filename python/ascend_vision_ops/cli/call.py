# SPDX-License-Identifier: Apache-2.0
"""Makes a call of an operator from the options of a command."""

from __future__ import annotations

import argparse
import ast

from ascend_vision_ops import operators
from ascend_vision_ops.cli import Failure
from ascend_vision_ops.testing import Array, BoundCase, Case, parse_case
from ascend_vision_ops.testing.run import spec_of


def known(operator: str) -> str:
    """Returns the name if there is such an operator, and fails otherwise."""
    if operator not in operators():
        raise Failure(f"there is no operator {operator!r}; the operators are {', '.join(operators())}")
    return operator


def on_device(operator: str) -> str:
    """Returns the name of an operator that runs on the simulated device; fails for any other name."""
    if not spec_of(known(operator)).on_device:
        raise Failure(f"{operator} has no AscendC kernel yet: it has no tiling, and no device runs it")
    return operator


def call_of(options: argparse.Namespace) -> BoundCase:
    """Makes the call that OP, --shape, --dtype and --attr describe."""
    if options.call is None:
        raise Failure("expected the name of an operator, or a call such as op(self=f16[1,8,7]), got none")
    if "(" in options.call:
        case = parse_case(options.call)
        on_device(case.operator)
        return case
    spec = spec_of(on_device(options.call))
    tensors = [parameter.name for parameter in spec.tensors]
    args: dict[str, object] = {}
    for text in options.shape:
        name, equals, dims = text.partition("=")
        if not equals:
            name, dims = tensors[0], text
        if name not in tensors:
            raise Failure(
                f"--shape: {spec.name} has no tensor {name!r}; its tensors are {', '.join(tensors)}"
            )
        try:
            args[name] = Array(*(int(dim) for dim in dims.replace("x", ",").split(",")))
        except ValueError:
            raise Failure(f"--shape: expected integers such as 1,80,1500, got {dims!r}") from None
    for text in options.attr:
        name, equals, value = text.partition("=")
        if not equals or name not in [parameter.name for parameter in spec.attributes]:
            names = ", ".join(parameter.name for parameter in spec.attributes)
            raise Failure(f"--attr: expected NAME=VALUE, where NAME is one of {names}, got {text!r}")
        try:
            args[name] = ast.literal_eval(value)
        except (ValueError, SyntaxError):
            args[name] = value
    for parameter in spec.visible:
        if parameter.name not in args and not parameter.has_default and not parameter.optional:
            option = f"--shape {parameter.name}=…" if parameter.is_tensor else f"--attr {parameter.name}=…"
            raise Failure(f"{spec.name} needs {option}")
    wanted = options.dtype or spec.dtypes[spec.typenames[0]][0] if spec.typenames else None
    instance = next((i for i in spec.instances if not i or i[spec.typenames[0]] == wanted), None)
    if instance is None:
        raise Failure(f"--dtype: expected one of {spec.dtypes[spec.typenames[0]]}, got {wanted!r}")
    order = [parameter.name for parameter in spec.visible if parameter.name in args]
    dtypes = {name: spec.dtype_of(name, instance) for name in tensors if name in args}
    return BoundCase(spec.name, Case("command line", {name: args[name] for name in order}), dtypes)
