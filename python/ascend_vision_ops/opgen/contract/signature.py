# SPDX-License-Identifier: Apache-2.0
"""The keys `schema` and `internal`: the parameters and results of an operator."""

from __future__ import annotations

from ..expr import Symbol
from ..model import Signature
from ..schema import Parameter, Schema, SchemaError, parse_parameters, parse_schema
from .document import Document


def read_signature(document: Document) -> Signature | None:
    """Reads the signature. Gives None where the schema cannot be read: then nothing else can be read either."""
    if "schema" not in document.given:
        return None
    try:
        schema = parse_schema(document["schema"])
    except SchemaError as error:
        document.problem_of("schema", error)
        return None
    if schema.name != document.path.stem:
        document.problem("schema", f"the file's name {document.path.stem!r}", repr(schema.name))
    parameters = [*schema.parameters, *_internal(document, schema)]
    scope = {parameter.name: Symbol(parameter.name, parameter.type) for parameter in parameters}
    scope |= {name: Symbol(name, "tensor") for name in schema.outputs}
    return Signature(
        name=schema.name,
        schema=" ".join(document["schema"].split()),
        parameters=parameters,
        outputs=schema.outputs,
        scope=scope,
    )


def _internal(document: Document, schema: Schema) -> list[Parameter]:
    """Parameters that only C entry points have."""
    try:
        parameters = parse_parameters(document["internal"], internal=True)
    except SchemaError as error:
        document.problem_of("internal", error)
        return []
    taken = {parameter.name for parameter in schema.parameters} | set(schema.outputs)
    for parameter in parameters:
        if parameter.name in taken:
            document.problem("internal", "a name the schema does not have", repr(parameter.name))
        if not parameter.has_default and not parameter.optional:
            document.problem("internal", "a default, which torch passes", f"none for {parameter.name}")
    return parameters
