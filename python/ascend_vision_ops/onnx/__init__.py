# SPDX-License-Identifier: Apache-2.0
"""The operators as ONNX nodes: which nodes exported models contain, and what runs them.

``nodes()``  every node, from the contracts
"""

from __future__ import annotations

import functools

from ascend_vision_ops.opgen.nodes import Attribute, Input, Node

__all__ = ["Attribute", "Input", "Node", "node", "nodes"]


@functools.cache
def nodes() -> tuple[Node, ...]:
    """Every ONNX node that means one of the operators, as `docs/contracts.md` describes the key `onnx`.

    That is each operator but gradients under its torch name in domain ``ascend_vision_ops``, and what mmcv and mmdeploy
    export in theirs. A node's outputs are results of its operator; `Node.arguments` gives the operator's parameters.
    """
    from ascend_vision_ops.opgen import load_spec
    from ascend_vision_ops.opgen.model import all_nodes
    from ascend_vision_ops.paths import specs_dir

    return tuple(all_nodes([load_spec(path) for path in sorted(specs_dir().glob("*.yaml"))]))


def node(domain: str, name: str) -> Node | None:
    """The node of a domain and a name; None where there is none."""
    return next((found for found in nodes() if (found.domain, found.name) == (domain, name)), None)
