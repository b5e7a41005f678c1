# SPDX-License-Identifier: Apache-2.0
"""The key `onnx`: the nodes of other domains that mean the operator."""

from __future__ import annotations

from ..model import Signature
from ..nodes import Node, NodeError, parse_node
from .document import Document


def read_nodes(document: Document, signature: Signature) -> list[Node]:
    """Reads `domain[, domain]: Name(argument, …)`, or a list of such nodes behind the colon."""
    value = document["onnx"]
    if value and document["composite"] and not document["rows"]:
        document.problem("onnx", "beside it `rows`, which says what nodes of a composite compute", "none")
    nodes = []
    for domains, calls in value.items():
        for text in calls if isinstance(calls, list) else [calls]:
            for domain in str(domains).split(","):
                try:
                    nodes.append(
                        parse_node(
                            domain.strip(), str(text), signature.name, signature.visible, signature.outputs
                        )
                    )
                except NodeError as error:
                    document.problem_of(("onnx", domains), error)
    return nodes
