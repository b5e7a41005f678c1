# SPDX-License-Identifier: Apache-2.0
"""The texts of a contract (`summary`, `details`, `parameters`, `source`, `divergence`) and its `example`."""

from __future__ import annotations

from ..model import Documentation, Shapes, Signature
from ..schema import REQUIRED
from .document import Document, show


def read_documentation(document: Document, signature: Signature, shapes: Shapes) -> Documentation:
    """Reads them all."""
    return Documentation(
        summary=document["summary"],
        details=document["details"],
        docs=_parameters(document, signature),
        source=_source(document),
        divergence=_divergence(document),
        example=_example(document, signature, shapes),
    )


def _parameters(document: Document, signature: Signature) -> dict[str, str]:
    """Reads one text for each parameter and result."""
    value = document["parameters"]
    document.check_names(("parameters",), value, signature.names)
    for name in signature.names:
        if name not in value:
            document.problem("parameters", f"a text for {name}", "none")
    return {name: " ".join(str(text).split()) for name, text in value.items()}


def _source(document: Document) -> list[str]:
    value = document["source"]
    items = value if isinstance(value, list) else [value]
    for item in items:
        if not isinstance(item, str):
            document.problem("source", "a text or a list of texts", show(item))
    return [str(item) for item in items]


def _divergence(document: Document) -> list[dict[str, str]]:
    rows = document["divergence"]
    for index, row in enumerate(rows):
        if not isinstance(row, dict) or set(row) != {"who", "what"}:
            document.problem(("divergence", index), "{who, what}", show(row))
    return rows


def _example(document: Document, signature: Signature, shapes: Shapes) -> dict[str, object]:
    """Reads the sizes and attributes of one valid call. Only what has no default and no shape must be there."""
    value = document["example"]
    derived = {*shapes.lets, *shapes.dynamic}
    dims = [name for name, symbol in signature.scope.items() if symbol.dimension and name not in derived]
    parameters = [parameter.name for parameter in signature.parameters]
    document.check_names(("example",), value, [*dims, *parameters])
    attributes = [p.name for p in signature.attributes if p.default is REQUIRED and not p.optional]
    shapeless = [p.name for p in signature.tensors if p.name not in document["shape"]]
    for name in [*dims, *attributes, *shapeless]:
        if name not in value:
            document.problem("example", f"a value for {name}", "none")
    return value
