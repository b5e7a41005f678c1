# SPDX-License-Identifier: Apache-2.0
"""The key `backward`: `input: operator(arguments)`, one call for each group of inputs with a gradient."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping

from ..expr import Symbol
from ..model import Gradient, Signature, Spec
from ..schema import split_arguments
from .document import Document


def read_gradients(document: Document, signature: Signature) -> list[Gradient]:
    """Reads all calls. Their arguments are expressions of parameters, results and grad_<result>."""
    scope = {parameter.name: Symbol(parameter.name, parameter.type) for parameter in signature.visible}
    for output in signature.outputs:
        scope |= {name: Symbol(name, "tensor") for name in (output, f"grad_{output}")}
    tensors = {tensor.name for tensor in signature.tensors}
    gradients = []
    for text, call in document["backward"].items():
        where, inputs = ("backward", text), [name.strip() for name in text.split(",")]
        for name in inputs:
            if name not in tensors:
                document.problem(where, "tensor inputs before the colon", repr(name))
        match = re.fullmatch(r"([a-z]\w*)\s*\((.*)\)", str(call), re.DOTALL)
        if not match:
            document.problem(where, "`operator(arguments)`", repr(call))
            continue
        arguments = [document.expression(where, part, scope) for part in split_arguments(match[2])]
        if None not in arguments:
            gradients.append(Gradient(inputs, match[1], arguments))
    return gradients


def gradient_problems(spec: Spec, specs: Mapping[str, Spec]) -> Iterator[str]:
    """Gradients that do not fit the contract of the operator that they call."""
    for gradient in spec.backward:
        key = f"{spec.path.name}:1: backward.{', '.join(gradient.inputs)}"
        operator = specs.get(gradient.operator)
        if operator is None:
            yield f"{key}: expected an operator with a contract, got {gradient.operator!r}"
        elif len(operator.visible) != len(gradient.arguments):
            wanted = f"{len(operator.visible)} arguments of {operator.name}"
            yield f"{key}: expected {wanted}, got {len(gradient.arguments)}"
        elif len(operator.outputs) != len(gradient.inputs):
            wanted = f"{len(operator.outputs)} inputs before the colon"
            yield f"{key}: expected {wanted}, got {len(gradient.inputs)}"
