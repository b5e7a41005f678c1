# SPDX-License-Identifier: Apache-2.0
"""Finds which nodes of two graphs belong to each other, and says what is different about them."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterable

import onnx_ir as ir

from ascend_vision_ops.onnx.passes._values import constant_tensor
from ascend_vision_ops.onnx.view.texts import attribute_text, tensor_text

# Weights above this size are equal where name, dtype and shape are.
COMPARED_BYTES = 64 << 20


def pairs(before: ir.Graph, after: ir.Graph) -> dict[ir.Node, ir.Node]:
    """The node of `after` for each node of `before` that is still there.

    Nodes of one type belong together where their outputs have the same names, else where the nodes have the same name,
    else where their inputs have the same names, as long as only one pair fits.
    """
    found: dict[ir.Node, ir.Node] = {}
    taken: set[ir.Node] = set()
    for key in (_outputs, _first_output, _name, _inputs):
        old = _by_key((node for node in before if node not in found), key)
        new = _by_key((node for node in after if node not in taken), key)
        for where, nodes in old.items():
            others = new.get(where, ())
            if len(nodes) == len(others) == 1:
                found[nodes[0]] = others[0]
                taken.add(others[0])
    return found


def _by_key(nodes: Iterable[ir.Node], key: Callable[[ir.Node], Hashable]) -> dict[Hashable, list[ir.Node]]:
    groups: dict[Hashable, list[ir.Node]] = {}
    for node in nodes:
        what = key(node)
        if what:
            groups.setdefault((node.domain, node.op_type, what), []).append(node)
    return groups


def _outputs(node: ir.Node) -> Hashable:
    return tuple(value.name for value in node.outputs)


def _first_output(node: ir.Node) -> Hashable:
    return node.outputs[0].name if node.outputs else None


def _name(node: ir.Node) -> Hashable:
    return node.name


def _inputs(node: ir.Node) -> Hashable:
    return tuple(value.name if value is not None else "" for value in node.inputs)


def differences(old: ir.Node, new: ir.Node, found: dict[ir.Node, ir.Node]) -> list[str]:
    """One line for each attribute and input that is not the same in two nodes that belong to each other.

    A value that another node makes now, but under its old name, is the same: passes keep the names of such values.
    """
    lines = []
    for name in sorted({*old.attributes, *new.attributes}):
        texts = [
            attribute_text(node.attributes[name]) if name in node.attributes else "not there"
            for node in (old, new)
        ]
        if texts[0] != texts[1]:
            lines.append(f"attribute {name}: {texts[0]} → {texts[1]}")
    for index in range(max(len(old.inputs), len(new.inputs))):
        was = old.inputs[index] if index < len(old.inputs) else None
        now = new.inputs[index] if index < len(new.inputs) else None
        if not _same_value(was, now, found):
            lines.append(f"input {index}: {_value_text(was)} → {_value_text(now)}")
    return lines


def _value_text(value: ir.Value | None) -> str:
    if value is None:
        return "left out"
    tensor = constant_tensor(value)
    return value.name if tensor is None else f"{value.name}, {tensor_text(tensor)}"


def _same_value(was: ir.Value | None, now: ir.Value | None, found: dict[ir.Node, ir.Node]) -> bool:
    if was is None or now is None:
        return was is now
    weights = constant_tensor(was), constant_tensor(now)
    if weights[0] is not None and weights[1] is not None:
        return _same_tensor(*weights)
    if weights[0] is not None or weights[1] is not None:
        return False
    producer = was.producer()
    partner = None if producer is None else found.get(producer)
    return was.name == now.name or (
        partner is not None and partner is now.producer() and was.index() == now.index()
    )


def _same_tensor(a: ir.TensorProtocol, b: ir.TensorProtocol) -> bool:
    if a is b:
        return True
    if a.dtype != b.dtype or list(a.shape) != list(b.shape):
        return False
    if a.dtype == ir.DataType.STRING:
        return a.numpy().tolist() == b.numpy().tolist()
    return a.nbytes > COMPARED_BYTES or a.tobytes() == b.tobytes()
