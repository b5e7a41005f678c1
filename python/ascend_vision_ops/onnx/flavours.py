# SPDX-License-Identifier: Apache-2.0
"""Names of custom nodes: with a domain for ONNX Runtime, and without a domain for Ascend's ATC.

ATC accepts models with one operator set only, so that a custom node has no domain there. Its name must not be one of
ONNX's or CANN's: without its domain, ``mmcv::NonMaxSuppression`` would be ONNX's node. A name for ATC therefore is the
domain and the name, each word with a capital:

    mmcv::NonMaxSuppression            MmcvNonMaxSuppression
    ascend_vision_ops::corner_pool     AscendVisionOpsCornerPool
    mmcv::MMCVRoiAlign                 MMCVRoiAlign, since it begins with its domain
"""

from __future__ import annotations

import ascend_vision_ops.onnx._needs  # noqa: F401

# isort: split
import onnx
import onnx_ir as ir

from ascend_vision_ops.onnx import domains
from ascend_vision_ops.onnx.runners import ATC_OPERATORS, ATC_OPSET, atc_runs, names_of_ours
from ascend_vision_ops.opgen.model import atc_name, camel

__all__ = [
    "ATC_OPERATORS", "ATC_OPSET", "atc_name", "atc_runs", "from_atc_name", "give_domains", "names_of_ours",
    "needs_domains",
]  # fmt: skip


def from_atc_name(op_type: str) -> tuple[str, str] | None:
    """Domain and type of the node that has a name for ATC; None for other names.

    Types begin with a capital, except those that the contracts state with a small letter, such as ``mmcv::cummax``.
    """
    ours = {atc_name(*key): key for key in sorted(names_of_ours())}
    if op_type in ours:
        return ours[op_type]
    for domain in domains():
        for known in (op_type.removeprefix(camel(domain)), op_type):
            if known and atc_name(domain, known) == op_type:
                return domain, known
    return None


def needs_domains(model: ir.Model) -> bool:
    """Whether nodes have names for ATC."""
    return any(_known(node) for node in model.graph.all_nodes())


def _known(node: ir.Node) -> tuple[str, str] | None:
    return None if node.domain or onnx.defs.has(node.op_type) else from_atc_name(node.op_type)


def give_domains(model: ir.Model) -> int:
    """Gives custom nodes with names for ATC their domain and type back, in place. Returns how many."""
    count = 0
    for node in model.graph.all_nodes():
        known = _known(node)
        if known is not None:
            node.domain, node.op_type = known
            model.graph.opset_imports.setdefault(node.domain, 1)
            count += 1
    return count
