# SPDX-License-Identifier: Apache-2.0
"""Translates calls of torch operators into nodes of ours, for torch's exporter."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Mapping, Sequence

import onnx
import onnx_ir as ir
from onnxscript import opset18
from onnxscript.values import Op, Opset

from ascend_vision_ops.onnx import Attribute, Node, contracts, node
from ascend_vision_ops.opgen.nodes import DOMAIN, ONNX_DTYPES


class ExportError(ValueError):
    """A model that has no counterpart in ONNX. The text names the part of the model."""


def translation(operator: str) -> Callable:
    """The function that makes the node of an operator, for a torch operator with the same parameters."""
    found, spec = node(DOMAIN, operator), contracts()[operator]
    kinds = inspect.Parameter.POSITIONAL_OR_KEYWORD, inspect.Parameter.KEYWORD_ONLY
    parameters = [
        inspect.Parameter(
            parameter.name,
            kinds[parameter.keyword_only],
            default=parameter.default if parameter.has_default else inspect.Parameter.empty,
        )
        for parameter in spec.visible
    ]
    signature = inspect.Signature(parameters)

    def translate(*args, **kwargs):
        given = signature.bind(*args, **kwargs).arguments
        attributes, casts = {}, {}
        for attribute in found.attributes:
            value = _value(found, attribute, given.get(attribute.parameter))
            if attribute.type == "dtype":
                chosen = [name for name, by in spec.dtype_from.items() if attribute.parameter in by.names]
                casts |= {
                    name: value for name in chosen if value not in (None, ONNX_DTYPES[spec.dtypes[name][0]])
                }
            elif value is not None:
                attributes[attribute.name] = value
        return make_node(found, [given.get(item.parameter) for item in found.inputs], attributes, casts)

    translate.__name__ = operator
    return translate


def make_node(
    found: Node, inputs: list, attributes: Mapping[str, object], casts: Mapping[str, int] | None = None
):
    """Makes a node and gives its result or results.

    casts: results that another dtype is wanted of, and its number in onnx.TensorProto.DataType. ONNX Runtime fixes the
    dtype of a result before it sees the attributes; so the node gives the first dtype of the contract, and a Cast
    follows.
    """
    while inputs and inputs[-1] is None:
        inputs.pop()
    operator = Op(Opset(found.domain, 1), found.name, onnx.defs.get_schema(found.name, 1, found.domain))
    results = operator(*inputs, **attributes)
    if not casts:
        return results
    several = isinstance(results, Sequence)
    made = [
        opset18.Cast(result, to=casts[name]) if name in casts else result
        for name, result in zip(found.outputs, results if several else [results], strict=True)
    ]
    return made if several else made[0]


def _value(found: Node, attribute: Attribute, value: object) -> object:
    """A parameter as an attribute's value; None where the attribute is left out."""
    if value is None or (attribute.type == "dtype" and value == -1):  # torch's exporter writes -1 for None
        return None
    parts = value if isinstance(value, (list, tuple)) else [value]
    if any(isinstance(part, ir.Value) for part in parts):
        raise ExportError(
            f"{found.operator}: {attribute.parameter}: expected a constant, since it is an attribute in ONNX, got a "
            "value that is known at run time alone, such as a size of dynamic_shapes"
        )
    if attribute.type == "ints":
        repeated = parts * attribute.length if attribute.length and len(parts) == 1 else parts
        return [int(part) for part in repeated]
    return {"float": float, "str": str}.get(attribute.type, int)(value)
