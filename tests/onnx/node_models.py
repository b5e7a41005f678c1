# SPDX-License-Identifier: Apache-2.0
"""Makes models of one node from the cases of an operator, with the names of the node and without defaults."""

from __future__ import annotations

import functools
from dataclasses import dataclass

import numpy as np
from onnx import ModelProto, TensorProto, helper

from ascend_vision_ops.onnx import Node
from ascend_vision_ops.opgen.nodes import ONNX_DTYPES
from ascend_vision_ops.testing import BoundCase
from ascend_vision_ops.testing.cases import numpy_dtype
from ascend_vision_ops.testing.compare import compare
from ascend_vision_ops.testing.run import cases_of, expected, spec_of, tolerance_of

BFLOAT16 = numpy_dtype("bfloat16")


@dataclass(frozen=True)
class NodeModel:
    """A model of one node and its inputs. bfloat16 enters and leaves as float32, which every runtime takes."""

    node: Node
    model: ModelProto
    feeds: dict[str, np.ndarray]
    attributes: dict[str, object]
    arrays: dict[str, np.ndarray | None]  # by parameter
    dtypes: tuple[np.dtype, ...]  # of results

    @property
    def arguments(self) -> dict[str, object]:
        """Gives the arguments that the node passes to its operator."""
        return {**self.arrays, **self.node.arguments(self.attributes)}

    def wanted(self) -> tuple[np.ndarray, ...]:
        """Gives the results of the reference."""
        results = expected(self.node.operator, self.arguments)
        by_name = dict(zip(spec_of(self.node.operator).outputs, results, strict=True))
        return tuple(by_name[name] for name in self.node.outputs)

    def wrong(self, results: list[np.ndarray]) -> dict[str, str]:
        """Says what is wrong with each result, by its name."""
        spec, found = spec_of(self.node.operator), {}
        rows = zip(self.node.outputs, results, self.wanted(), self.dtypes, strict=True)
        for name, got, want, dtype in rows:
            got = got.astype(dtype) if dtype == BFLOAT16 else got
            verdict = compare(got, want, dtype, tolerance_of(spec, dtype.name, self.arguments))
            if not verdict.ok:
                found[name] = verdict.message
        return found


def as_attribute(value: object) -> object:
    """Gives the value of a parameter as ONNX writes it."""
    if isinstance(value, bool):
        return int(value)
    return list(value) if isinstance(value, tuple) else value


def one_node(
    node: Node,
    arrays: dict[str, np.ndarray | None],
    attributes: dict[str, object],
    dtypes: list[str],
    static: bool = False,
    opset: int = 16,
) -> NodeModel:
    """Makes the model of a node with these inputs, without those that are None. `dtypes` are the dtypes of its
    results.
    """
    names, feeds, inputs, casts = [], {}, [], []
    for item in node.inputs:
        array = arrays.get(item.parameter)
        if array is None:
            names.append("")
            continue
        name = item.parameter
        shape = list(array.shape) if static else [f"{name}_{i}" for i in range(array.ndim)]
        feeds[name] = np.ascontiguousarray(array).reshape(array.shape)
        element = ONNX_DTYPES[array.dtype.name]
        if array.dtype == BFLOAT16:
            feeds[name] = feeds[name].astype(np.float32)
            casts.append(helper.make_node("Cast", [name], [f"{name}_narrow"], to=element))
            element, names = TensorProto.FLOAT, [*names, f"{name}_narrow"]
        else:
            names.append(name)
        inputs.append(helper.make_tensor_value_info(name, element, shape))
    while names and not names[-1]:
        names.pop()
    outputs, after = [], []
    results = [f"{name}_result" for name in node.outputs]
    for name, result, dtype in zip(node.outputs, results, dtypes, strict=True):
        wide = dtype == "bfloat16"
        if wide:
            after.append(helper.make_node("Cast", [result], [f"{name}_wide"], to=TensorProto.FLOAT))
        element = TensorProto.FLOAT if wide else ONNX_DTYPES[dtype]
        outputs.append(helper.make_tensor_value_info(f"{name}_wide" if wide else result, element, None))
    made = helper.make_node(node.name, names, results, domain=node.domain, **attributes)
    graph = helper.make_graph([*casts, made, *after], "one_node", inputs, outputs)
    imports = [helper.make_opsetid("", opset), helper.make_opsetid(node.domain, 1)]
    model = helper.make_model(graph, opset_imports=imports, ir_version=8)
    return NodeModel(node, model, feeds, attributes, arrays, tuple(map(numpy_dtype, dtypes)))


def node_model(node: Node, case: BoundCase, static: bool = False) -> NodeModel | None:
    """Makes the model of a case; None where the node has no attribute for something in the case."""
    spec, arguments = spec_of(node.operator), case.arguments()
    tensors = {item.parameter for item in node.inputs}
    attributes = {}
    for parameter in spec.visible:
        value = arguments.get(parameter.name)
        attribute = next((a for a in node.attributes if a.parameter == parameter.name), None)
        if parameter.name in tensors or value is None:
            continue
        if attribute is None or attribute.type == "dtype":
            if not parameter.is_tensor and parameter.has_default and value == parameter.default:
                continue
            return None
        if attribute.required or as_attribute(value) != as_attribute(attribute.default):
            # The names take turns, so that aliases are tested too.
            name = attribute.names[len(case.text) % len(attribute.names)]
            attributes[name] = as_attribute(value)
    arrays = {name: arguments.get(name) for name in tensors}
    dtypes = [spec.dtype_of(name, case.dtypes) for name in node.outputs]
    return one_node(node, arrays, attributes, dtypes, static)


@functools.cache
def cases_in_turn(operator: str) -> list[BoundCase]:
    """Gives every case once; dtypes take turns: the first case has the first dtype, the next case the next dtype.

    Cases that choose dtypes of results are left out, because a runtime chooses them itself.
    """
    outputs, by_case = spec_of(operator).outputs, {}
    for case in cases_of(operator):
        if not any(name in case.dtypes for name in outputs):
            by_case.setdefault(case.case.id, []).append(case)
    return [cases[index % len(cases)] for index, cases in enumerate(by_case.values())]
