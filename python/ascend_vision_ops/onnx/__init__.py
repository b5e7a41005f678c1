# SPDX-License-Identifier: Apache-2.0
"""The operators as ONNX nodes: which nodes exported models contain, and what runs them.

``register(options)``   lets ONNX Runtime run the nodes
``schemas.register()``  makes the nodes known to onnx: to its checker, its shape inference and exporters
``export(model, …)``    writes a torch model to a file
``reference_ops()``     lets onnx.reference.ReferenceEvaluator run the nodes
``nodes()``             gives every node, from the contracts
"""

from __future__ import annotations

import functools
from collections.abc import Iterable
from typing import TYPE_CHECKING

from ascend_vision_ops.opgen.nodes import DOMAIN, Attribute, Input, Node
from ascend_vision_ops.paths import onnxruntime_library

if TYPE_CHECKING:
    from ascend_vision_ops.onnx.exporter import export
    from ascend_vision_ops.opgen import Spec

__all__ = [
    "Attribute", "Input", "Node", "contracts", "domains", "export", "node", "nodes", "reference_ops", "register",
]  # fmt: skip


def __getattr__(name: str):
    if name == "export":  # brings torch
        from ascend_vision_ops.onnx.exporter import export

        return export
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")


@functools.cache
def contracts() -> dict[str, Spec]:
    """The contracts of all operators, by name."""
    from ascend_vision_ops.opgen import load_spec
    from ascend_vision_ops.paths import contract_files

    return {name: load_spec(path) for name, path in contract_files().items()}


@functools.cache
def nodes() -> tuple[Node, ...]:
    """Every ONNX node that means one of the operators.

    Each operator but the gradients has a node in the domain ``ascend_vision_ops``, under its torch name. The key `onnx`
    of its contract adds the nodes that mmcv and mmdeploy export in their domains (see docs/contracts.md). The outputs
    of a node are results of its operator; `Node.arguments` gives the operator's parameters.
    """
    from ascend_vision_ops.opgen.model import all_nodes

    return tuple(all_nodes(list(contracts().values())))


def node(domain: str, name: str) -> Node | None:
    """The node with a name in a domain; None where there is none."""
    return next((found for found in nodes() if (found.domain, found.name) == (domain, name)), None)


@functools.cache
def domains() -> tuple[str, ...]:
    """The domains of all nodes: first those of others, then our own."""
    others = {found.domain for found in nodes()} - {DOMAIN}
    return (*sorted(others), DOMAIN)


def register(session_options, domains: Iterable[str] | None = None) -> None:
    """Makes our nodes known to sessions with these options, on the CPU provider of ONNX Runtime.

    session_options: an ``onnxruntime.SessionOptions``, of ONNX Runtime 1.17 or newer.
    domains: names of the domains to register; all that `domains()` gives when None. ONNX Runtime takes a domain once
        only: leave out a domain that another library brings, such as mmcv's or mmdeploy's own library.

    Raises ValueError for a domain without nodes, FileNotFoundError where the package is not built, and what ONNX
    Runtime raises for a library that it cannot load.
    """
    library = onnxruntime_library()
    if not library.exists():
        raise FileNotFoundError(f"the library for ONNX Runtime is not built: no {library}")
    if domains is not None:  # without this entry the library registers all its domains
        wanted = (domains,) if isinstance(domains, str) else tuple(domains)
        session_options.add_session_config_entry("ascend_vision_ops.domains", ",".join(wanted))
    try:
        session_options.register_custom_ops_library(str(library))
    except Exception as error:
        if "ascend_vision_ops.domains" in str(error):
            raise ValueError(str(error).partition("ascend_vision_ops.domains: ")[2]) from None
        raise


def reference_ops() -> list[type]:
    """Classes for ``onnx.reference.ReferenceEvaluator(model, new_ops=reference_ops())``.

    There is one for each node; it calls the NumPy reference of the operator.
    """
    from ascend_vision_ops.onnx.evaluator import operators

    return operators()
