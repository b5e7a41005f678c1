# SPDX-License-Identifier: Apache-2.0
"""The operators as ONNX nodes: which nodes exported models contain, and what runs them.

``register(options)``  ONNX Runtime runs them
``schemas.register()`` onnx knows them: its checker, its shape inference, exporters
``export(model, …)``    from torch to a file
``reference_ops()``    onnx.reference.ReferenceEvaluator runs them
``nodes()``            every node, from the contracts
"""

from __future__ import annotations

import functools
from collections.abc import Iterable
from typing import TYPE_CHECKING

from ascend_vision_ops.opgen.nodes import Attribute, Input, Node
from ascend_vision_ops.paths import onnxruntime_library

if TYPE_CHECKING:
    from ascend_vision_ops.onnx.exporter import export
    from ascend_vision_ops.opgen import Spec

__all__ = ["Attribute", "Input", "Node", "contracts", "export", "node", "nodes", "reference_ops", "register"]


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
    """Every ONNX node that means one of the operators, as `docs/contracts.md` describes the key `onnx`.

    That is each operator but gradients under its torch name in domain ``ascend_vision_ops``, and what mmcv and mmdeploy
    export in theirs. A node's outputs are results of its operator; `Node.arguments` gives the operator's parameters.
    """
    from ascend_vision_ops.opgen.model import all_nodes

    return tuple(all_nodes(list(contracts().values())))


def node(domain: str, name: str) -> Node | None:
    """The node of a domain and a name; None where there is none."""
    return next((found for found in nodes() if (found.domain, found.name) == (domain, name)), None)


def register(session_options, domains: Iterable[str] = ("mmcv", "mmdeploy", "ascend_vision_ops")) -> None:
    """Makes the nodes of some domains known to sessions with these options, on ONNX Runtime's CPU provider.

    ``session_options`` is an ``onnxruntime.SessionOptions``, of ONNX Runtime 1.17 or newer. A domain may be registered
    once only: leave out one that another library (mmcv's or mmdeploy's own) brings.

    Raises ValueError for a domain without nodes, FileNotFoundError where the package is not built, and what ONNX
    Runtime raises for a library that it cannot load.
    """
    library = onnxruntime_library()
    if not library.exists():
        raise FileNotFoundError(f"the library for ONNX Runtime is not built: no {library}")
    domains = (domains,) if isinstance(domains, str) else tuple(domains)
    # The library names the domains that it has where it does not know one.
    session_options.add_session_config_entry("ascend_vision_ops.domains", ",".join(domains))
    try:
        session_options.register_custom_ops_library(str(library))
    except Exception as error:
        if "ascend_vision_ops.domains" in str(error):
            raise ValueError(str(error).partition("ascend_vision_ops.domains: ")[2]) from None
        raise


def reference_ops() -> list[type]:
    """Every node for ``onnx.reference.ReferenceEvaluator(model, new_ops=reference_ops())``, by the NumPy reference."""
    from ascend_vision_ops.onnx.evaluator import operators

    return operators()
