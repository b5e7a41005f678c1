# SPDX-License-Identifier: Apache-2.0
"""Renames custom nodes between the flavours of `ascend_vision_ops.onnx.flavours`."""

from __future__ import annotations

from collections.abc import Callable

import onnx
import onnx_ir as ir

from ascend_vision_ops.onnx.execute import Runner
from ascend_vision_ops.onnx.flavours import ATC_OPERATORS, DOMAINS, atc_name, from_atc_name
from ascend_vision_ops.onnx.passes._base import Refused


def rename_for_atc(model: ir.Model) -> int:
    """Custom nodes lose their domain and get a name of their own; then one operator set is left."""
    if model.functions:
        raise Refused("it has functions of its own: inline_functions first")
    custom = [node for node in model.graph.all_nodes() if node.domain]
    for node in custom:
        name = atc_name(node.domain, node.op_type)
        if onnx.defs.has(name) or name.lower() in ATC_OPERATORS:
            raise Refused(
                f"{node.domain}::{node.op_type} would be called {name}, which is a standard operator"
            )
        if from_atc_name(name) != (node.domain, node.op_type):
            raise Refused(
                f"{node.domain}::{node.op_type} has no name for ATC that leads back to it: nodes of "
                f"{', '.join(DOMAINS)} have"
            )
    for node in custom:
        node.op_type, node.domain = atc_name(node.domain, node.op_type), ""
    extra = [domain for domain in model.graph.opset_imports if domain]
    for domain in extra:
        del model.graph.opset_imports[domain]
    return len(custom) + len(extra)


def rename_for_ort(model: ir.Model) -> int:
    """The way back: custom nodes get their domain and type again."""
    count = 0
    for node in model.graph.all_nodes():
        known = None if node.domain or onnx.defs.has(node.op_type) else from_atc_name(node.op_type)
        if known is not None:
            node.domain, node.op_type = known
            model.graph.opset_imports.setdefault(node.domain, 1)
            count += 1
    return count


def renamed(runner: Runner, rename: Callable[[ir.Model], int]) -> Runner:
    """The runner's model under other names: one flavour cannot run, so it is compared through the other."""
    model = runner.model.clone()
    rename(model)
    return Runner(model)
