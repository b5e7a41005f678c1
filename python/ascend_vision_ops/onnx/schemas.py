# SPDX-License-Identifier: Apache-2.0
"""Schemas of the nodes for onnx itself, made from the contracts, with inference of types and shapes.

After `register`, ``onnx.checker`` accepts models with these nodes, ``onnx.shape_inference`` infers their results, and
tools that fold constants or export by schema know their inputs and results.
"""

from __future__ import annotations

import functools
from collections.abc import Mapping, Sequence

import onnx
from onnx import TypeProto, helper
from onnx.defs import OpSchema

from ascend_vision_ops.onnx import Attribute, Node, contracts, nodes
from ascend_vision_ops.opgen import Spec
from ascend_vision_ops.opgen.calls import Shaped, sizes_of_arguments
from ascend_vision_ops.opgen.model import Pattern
from ascend_vision_ops.opgen.nodes import ONNX_DTYPES

Dim = int | str | None  # a known size, a named one, or one that is open
ONNX_NAMES = {"float32": "float", "float64": "double"}  # where ONNX calls a dtype otherwise than NumPy does


def result_dtypes(
    node: Node, dtypes: Mapping[str, str | None], arguments: Mapping[str, object]
) -> list[str | None]:
    """The dtype of each result of a node, from its tensors' dtypes and the operator's arguments; None where unknown."""
    spec = contracts()[node.operator]
    known = {spec.followed(name): dtype for name, dtype in dtypes.items() if dtype is not None}
    found: list[str | None] = []
    for output in node.outputs:
        chosen = spec.dtype_from.get(output)
        wanted = arguments.get(chosen.names[0]) if chosen else None
        follows = spec.followed(output)
        of_input = follows not in spec.outputs
        found.append(wanted or (known.get(follows) if of_input else spec.dtypes[follows][0]))
    return found


def result_shapes(
    node: Node, shapes: Mapping[str, Sequence[Dim] | None], arguments: Mapping[str, object]
) -> list[list[Dim] | None]:
    """The shape of each result of a node, as far as it follows from its tensors; None where even the rank is unknown.

    shapes: by parameter; None for a tensor of unknown rank. A tensor that is left out is not in it.

    Raises ValueError for a rank or an attribute that the operator does not take.
    """
    spec = contracts()[node.operator]
    full: dict[str, list[Dim] | None] = {}
    for name, shape in shapes.items():
        pattern = spec.patterns.get(name)
        rank = len(pattern.dims) if pattern and pattern.dims is not None else None
        if shape is not None and rank not in (None, len(shape)):
            raise ValueError(f"{name}: expected rank {rank} {pattern.text}, got rank {len(shape)}")
        full[name] = list(shape) if shape is not None else None if rank is None else [None] * rank
    tensors = {
        name: Shaped(tuple(d if isinstance(d, int) else -1 for d in shape or ()), "")
        for name, shape in full.items()
    }
    values = sizes_of_arguments(spec, {**tensors, **arguments})
    return [_shape(spec, spec.patterns[output], full, values) for output in node.outputs]


def _shape(spec: Spec, pattern: Pattern, shapes, values) -> list[Dim] | None:
    if pattern.dims is None:
        tensor = next(name for name in pattern.whole.names if name in shapes)
        if shapes[tensor] is None:
            return None
        if pattern.whole.text == f"{tensor}.shape":
            return shapes[tensor]
        return [value if value >= 0 else None for value in pattern.whole.evaluate(values)]
    found: list[Dim] = []
    for dim in pattern.dims:
        same, sources = spec.same_size(dim), spec.sources(dim)
        if same is not None and same[0] in shapes:
            found.append(shapes[same[0]][same[1]])
        elif set(spec.names_within(dim)) & set(spec.dynamic):
            found.append(None)
        else:
            certain = all(isinstance(shapes[name][index], int) for name, index in sources if name in shapes)
            found.append(dim.evaluate(values) if certain else None)
    return found


def _infer(node: Node, context) -> None:
    """The inference that onnx calls. It sets the types of results, and leaves open what does not follow from inputs."""
    dtypes, shapes = {}, {}
    names = {number: name for name, number in ONNX_DTYPES.items()}
    for index in range(context.get_num_inputs()):
        given = context.get_input_type(index)
        if given is None or not given.HasField("tensor_type"):
            continue
        tensor, name = given.tensor_type, node.inputs[index].parameter
        dtypes[name] = names.get(tensor.elem_type)
        shapes[name] = [_dim(dim) for dim in tensor.shape.dim] if tensor.HasField("shape") else None
    given = {name: context.get_attribute(name) for a in node.attributes for name in a.names}
    attributes = {
        name: helper.get_attribute_value(value) for name, value in given.items() if value is not None
    }
    try:
        arguments = node.arguments(attributes)
        found = result_shapes(node, shapes, arguments)
    except ValueError as error:
        raise onnx.shape_inference.InferenceError(f"{node.qualified}: {error}") from None
    for index, (dtype, shape) in enumerate(zip(result_dtypes(node, dtypes, arguments), found, strict=True)):
        if index < context.get_num_outputs() and dtype is not None:
            context.set_output_type(index, _type(dtype, shape))


def _dim(dim) -> Dim:
    return dim.dim_value if dim.HasField("dim_value") else dim.dim_param or None


def _type(dtype: str, shape: Sequence[Dim] | None) -> TypeProto:
    return helper.make_tensor_type_proto(ONNX_DTYPES[dtype], shape)


def _attribute(attribute: Attribute, name: str) -> OpSchema.Attribute:
    kind = getattr(OpSchema.AttrType, attribute.onnx_type)
    alone = len(attribute.names) == 1
    if attribute.default is None or attribute.required or not alone:
        return OpSchema.Attribute(name, kind, required=attribute.required and alone)
    default = attribute.default
    if attribute.onnx_type == "INT":
        default = int(default)
    if attribute.onnx_type == "INTS" and not default:
        return OpSchema.Attribute(name, kind, required=False)
    return OpSchema.Attribute(name, helper.make_attribute(name, default))


def _types(names: Sequence[str]) -> list[str]:
    """Dtypes as a schema names them: tensor(float) for float32."""
    return [f"tensor({ONNX_NAMES.get(name, name)})" for name in names]


def _schema(node: Node) -> OpSchema:
    """Makes the schema of a node. Tensors of one dtype share a letter: T, T1, T2, …"""
    spec = contracts()[node.operator]
    letters: dict[str, str] = {}
    for item in node.inputs:
        letters.setdefault(spec.followed(item.parameter), f"T{len(letters)}" if letters else "T")
    constraints = []
    for tensor, letter in letters.items():
        names = spec.dtypes.get(tensor, []) + spec.cpu_dtypes.get(tensor, [])
        constraints.append((letter, _types(names), f"dtypes of {tensor}"))
    option = OpSchema.FormalParameterOption
    inputs = [
        OpSchema.FormalParameter(
            item.parameter,
            letters[spec.followed(item.parameter)],
            spec.docs[item.parameter],
            param_option=option.Optional if item.optional else option.Single,
        )
        for item in node.inputs
    ]
    outputs = []
    for output in node.outputs:
        letter = letters.get(spec.followed(output))
        if letter is None:  # a dtype of its own: one that an attribute chooses, or a fixed one
            letter = f"T{len(letters) + len(outputs)}"
            names = spec.dtypes[spec.followed(output)][: None if output in spec.dtype_from else 1]
            constraints.append((letter, _types(names), f"dtypes of {output}"))
        outputs.append(OpSchema.FormalParameter(output, letter, spec.docs[output]))
    schema = OpSchema(
        node.name,
        node.domain,
        1,
        spec.summary,
        inputs=inputs,
        outputs=outputs,
        type_constraints=constraints,
        attributes=[_attribute(attribute, name) for attribute in node.attributes for name in attribute.names],
    )
    schema.set_type_and_shape_inference_function(functools.partial(_infer, node))
    return schema


def register() -> None:
    """Makes the nodes known to onnx in this process. Nodes that onnx knows already stay as they are.

    Raises RuntimeError, which names the node and its operator, where onnx takes a schema for a wrong one.
    """
    for node in nodes():
        if onnx.defs.has(node.name, 1, node.domain):
            continue
        try:
            onnx.defs.register_schema(_schema(node))
        except Exception as error:  # onnx's own errors have no common type, and name neither of the two
            raise RuntimeError(
                f"{node.qualified}: expected a schema that onnx takes for operator {node.operator}, got {error}"
            ) from error


@functools.cache
def schemas() -> tuple[OpSchema, ...]:
    """A schema of each node, version 1 of its domain."""
    return tuple(_schema(node) for node in nodes())
