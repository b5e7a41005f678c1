# SPDX-License-Identifier: Apache-2.0
"""Helpers of passes that change convolutions."""

from __future__ import annotations

import numpy as np
import onnx_ir as ir

from ascend_vision_ops.onnx.passes._base import Refused
from ascend_vision_ops.onnx.passes._values import constant, constant_tensor, input_of, new_initializer


def only_user(value: ir.Value) -> ir.Node:
    """The only node that uses a value. Raises Refused where there are several, or where it is an output."""
    if value.is_graph_output():
        raise Refused(f"{value.name!r} is an output of the graph")
    users = {node for node, _ in value.uses()}
    if len(users) != 1:
        raise Refused(f"{value.name!r} has {len(users)} users, expected one")
    return users.pop()


def need_constants(node: ir.Node, indices, what: str) -> None:
    for index in indices:
        value = input_of(node, index)
        if value is not None and constant_tensor(value) is None:
            raise Refused(f"{what} {value.name!r} is no constant")


def explicit_pads(conv: ir.Node, rank: int) -> list[int]:
    """The padding before and after each of `rank` axes. Raises Refused where it depends on the input's size."""
    mode = conv.attributes.get_string("auto_pad", "NOTSET")
    if mode == "VALID":
        return [0] * (2 * rank)
    if mode != "NOTSET":
        raise Refused(f"auto_pad is {mode}")
    return list(conv.attributes.get_ints("pads", [0] * (2 * rank)))


def set_pads(conv: ir.Node, pads: list[int]) -> None:
    conv.attributes.pop("auto_pad", None)
    conv.attributes["pads"] = ir.AttrInt64s("pads", pads)


def scale_outputs(conv: ir.Node, scale: np.ndarray, shift: np.ndarray, name: str) -> None:
    """Gives a convolution new weights: its channels are multiplied with `scale`, then `shift` is added, in float64.

    The weights are new ones, since another convolution may use the old ones. `name` is the beginning of their names.
    """
    weight, bias = constant(conv.inputs[1]), constant(input_of(conv, 2))
    if conv.op_type == "Conv":
        spread = scale.reshape(-1, *[1] * (weight.ndim - 1))
    else:
        # The weight is (inputs, outputs / groups, …): inputs of a group have the factors of its outputs.
        groups = conv.attributes.get_int("group", 1)
        rows = np.repeat(scale.reshape(groups, -1), weight.shape[0] // groups, axis=0)
        spread = rows.reshape(*weight.shape[:2], *[1] * (weight.ndim - 2))
    total = shift if bias is None else bias.astype(np.float64) * scale + shift
    conv.resize_inputs(3)
    if np.any(scale != 1):
        wide = weight.astype(np.float64)
        wide *= spread  # in place, since weights are large
        made = wide.astype(weight.dtype)
        conv.replace_input_with(1, new_initializer(conv.graph, f"{name}_weight", made))
    conv.replace_input_with(2, new_initializer(conv.graph, f"{name}_bias", total.astype(weight.dtype)))
