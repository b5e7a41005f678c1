# SPDX-License-Identifier: Apache-2.0
"""Merges a sum or a product with constants into the weights of the convolution before it or behind it."""

from __future__ import annotations

import numpy as np
import onnx_ir as ir

from ascend_vision_ops.onnx.passes._base import ROUNDED, NodePass, Refused, register
from ascend_vision_ops.onnx.passes._convs import explicit_pads, need_constants, only_user, scale_outputs
from ascend_vision_ops.onnx.passes._values import (
    constant,
    constant_tensor,
    input_of,
    is_onnx,
    new_initializer,
    supersede,
)

KINDS = {"Add", "Sub", "Mul", "Div"}
CONVS = {"Conv", "ConvTranspose"}
# For a factor k > 0, each gives f(k x) = k f(x), so that the factor may change sides.
HOMOGENEOUS = {"Relu", "LeakyRelu", "PRelu"}


@register
class FuseConvAffine(NodePass):
    name = "fuse_conv_affine"
    summary = (
        "Conv or ConvTranspose and Add, Sub, Mul or Div with one constant for each channel behind it become one node; "
        "so do Mul and Div before them, and Add, Sub and BatchNormalization before Conv; positive factors pass Relu, "
        "LeakyRelu and PRelu"
    )
    tolerance = ROUNDED
    op_types = frozenset(KINDS | CONVS)

    def applies(self, node: ir.Node, model: ir.Model) -> bool:
        return (_before(node) if node.op_type in CONVS else _behind(node)) is not None

    def transform(self, node: ir.Node, model: ir.Model) -> None:
        if node.op_type in CONVS:
            _merge_before(node, *_before(node))
            return
        conv, between, scale, shift = _behind(node)
        scale_outputs(conv, scale, shift, node.outputs[0].name)
        supersede(node, between.outputs[0], rename=True)


def _activation(node: ir.Node | None) -> ir.Node | None:
    """The node if it is an activation that a positive factor may pass; None otherwise."""
    if not is_onnx(node, *HOMOGENEOUS):
        return None
    return node if node.op_type != "PRelu" or constant_tensor(node.inputs[1]) is not None else None


def _need_positive(scale: np.ndarray, activation: ir.Node) -> None:
    only_user(activation.outputs[0])
    if not np.all(scale > 0):
        raise Refused(f"a factor on the other side of {activation.op_type} is not positive")


def _behind(node: ir.Node) -> tuple[ir.Node, ir.Node, np.ndarray, np.ndarray] | None:
    """The convolution before the node, the last node between them, what the node multiplies with and what it adds."""
    for place in (0, 1) if node.op_type in ("Add", "Mul") else (0,):
        conv, array = node.inputs[place].producer(), constant(node.inputs[1 - place])
        between = _activation(conv) if node.op_type in ("Mul", "Div") else None
        conv = conv if between is None else between.inputs[0].producer()
        if between is not None and between.graph is not node.graph:
            continue
        if not is_onnx(conv, *CONVS) or array is None or conv.graph is not node.graph:
            continue
        need_constants(conv, (1, 2), "weight")
        only_user(conv.outputs[0])
        weight = conv.inputs[1]
        groups = conv.attributes.get_int("group", 1)
        count = weight.shape[0] if conv.op_type == "Conv" else weight.shape[1] * groups
        scale, shift = _affine(node.op_type, _by_channel(array, count, len(weight.shape)))
        if between is not None:
            _need_positive(scale, between)
        return conv, between or conv, scale, shift
    return None


def _affine(op_type: str, array: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    one, zero = np.ones_like(array), np.zeros_like(array)
    if op_type in ("Mul", "Div"):
        if op_type == "Div" and not np.all(array):
            raise Refused("it divides by 0")
        scale = array if op_type == "Mul" else 1 / array
        if not np.isfinite(scale).all():
            raise Refused("a factor is not finite")
        return scale, zero
    return one, array if op_type == "Add" else -array


def _by_channel(array: np.ndarray, count: int, rank: int) -> np.ndarray:
    """The constant as one number for each channel, in float64. Raises Refused where it differs along another axis."""
    if array.ndim > rank:
        raise Refused("the constant has more dimensions than the convolution's result")
    dims = (1,) * (rank - array.ndim) + array.shape
    if any(dim != 1 for axis, dim in enumerate(dims) if axis != 1) or dims[1] not in (1, count):
        raise Refused(
            f"the constant of shape {list(array.shape)} is not one number for each of {count} channels"
        )
    return np.broadcast_to(array.astype(np.float64).reshape(-1), (count,))


# --- before a convolution -------------------------------------------------------------------------------------------


def _before(conv: ir.Node) -> tuple[ir.Node, int, np.ndarray, np.ndarray, ir.Node] | None:
    """The node before the convolution, the index of its tensor, what it multiplies channels with and adds, its user."""
    node, user = conv.inputs[0].producer(), conv
    passed = _activation(node)
    if passed is not None and is_onnx(passed.inputs[0].producer(), "Mul", "Div"):
        node, user = passed.inputs[0].producer(), passed
    if not is_onnx(node, *KINDS, "BatchNormalization") or not (node.graph is user.graph is conv.graph):
        return None
    place = 0
    if node.op_type != "BatchNormalization":
        known = [constant(value) is not None for value in node.inputs]
        if sum(known) != 1 or (known[0] and node.op_type in ("Sub", "Div")):
            return None
        place = known.index(False)
    if is_onnx(node.inputs[place].producer(), *CONVS):
        return None  # that convolution takes it without a condition on padding
    need_constants(conv, (1, 2), "weight")
    weight = conv.inputs[1]
    transposed = conv.op_type == "ConvTranspose"
    count = weight.shape[0] if transposed else weight.shape[1] * conv.attributes.get_int("group", 1)
    if node.op_type == "BatchNormalization":
        scale, shift = _norm(node)
    else:
        scale, shift = _affine(
            node.op_type, _by_channel(constant(node.inputs[1 - place]), count, len(weight.shape))
        )
    shape = node.inputs[place].shape
    if shape is None or len(shape) != len(weight.shape) or shape[1] != count:
        raise Refused("the channels before it are not known")
    only_user(node.outputs[0])
    if user is not conv:
        _need_positive(scale, user)
    if transposed and np.any(shift):
        raise Refused("at its ends, a transposed convolution gives less of the sum than inside")
    if np.any(shift) and any(explicit_pads(conv, len(weight.shape) - 2)):
        raise Refused("the convolution pads with 0 behind the sum")
    return node, place, scale, shift, user


def _norm(node: ir.Node) -> tuple[np.ndarray, np.ndarray]:
    need_constants(node, range(1, 5), "parameter")
    if node.attributes.get_int("training_mode", 0) or any(value.uses() for value in node.outputs[1:]):
        raise Refused("it trains")
    scale, shift, mean, variance = (constant(value).astype(np.float64) for value in node.inputs[1:5])
    factor = scale / np.sqrt(variance + node.attributes.get_float("epsilon", 1e-5))
    return factor, shift - mean * factor


def _merge_before(
    conv: ir.Node, node: ir.Node, place: int, scale: np.ndarray, shift: np.ndarray, user: ir.Node
) -> None:
    weight, bias = constant(conv.inputs[1]), constant(input_of(conv, 2))
    name, wide = conv.outputs[0].name, weight.astype(np.float64)

    def spread(numbers: np.ndarray) -> np.ndarray:
        """One number for each input channel, along the axes of the weight."""
        if conv.op_type == "ConvTranspose":  # (inputs, outputs / groups, …)
            rows = numbers[:, None]
        else:  # (outputs, inputs / groups, …): outputs of a group see the inputs of the group
            groups = conv.attributes.get_int("group", 1)
            rows = np.repeat(numbers.reshape(groups, -1), weight.shape[0] // groups, axis=0)
        return rows.reshape(*rows.shape, *[1] * (weight.ndim - 2))

    made = (wide * spread(scale)).astype(weight.dtype)
    conv.replace_input_with(1, new_initializer(conv.graph, f"{name}_weight", made))
    if np.any(shift):  # never before a transposed convolution
        conv.resize_inputs(3)
        added = (wide * spread(shift)).reshape(len(weight), -1).sum(1)
        total = (added + (0 if bias is None else bias)).astype(weight.dtype)
        conv.replace_input_with(2, new_initializer(conv.graph, f"{name}_bias", total))
    user.replace_input_with(0, node.inputs[place])
    node.graph.remove(node, safe=True)
