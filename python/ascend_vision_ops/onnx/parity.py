# SPDX-License-Identifier: Apache-2.0
"""Compares ONNX Runtime with onnx's reference evaluator, node by node, on the inputs that ONNX Runtime computed."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace

import ml_dtypes
import numpy as np
import onnx
import onnx_ir as ir
from onnx.reference import ReferenceEvaluator

from ascend_vision_ops.onnx import reference_ops
from ascend_vision_ops.onnx.execute import Runner, first_line
from ascend_vision_ops.onnx.files import ModelError
from ascend_vision_ops.onnx.passes._compute import wrong_in_reference
from ascend_vision_ops.onnx.passes._values import constant, graphs_in, label, opset
from ascend_vision_ops.opgen.model import Tolerance
from ascend_vision_ops.testing.compare import compare, is_float

NEAR = Tolerance(largest=1e-5, relative=1e-5, why="sums in another order")
# Functions with results in [-1, 1]. Kernels compute them to some rounding steps of 1, also where the results are small.
UNIT = {"Cos", "Erf", "HardSigmoid", "Sigmoid", "Sin", "Softmax", "Softsign", "Tanh"}
UNIT_STEPS = 8


@dataclass(frozen=True)
class NodeVerdict:
    """The result of the comparison of one node.

    verdict: equal, near (within the tolerance), wrong, or not compared.
    """

    label: str
    op_type: str
    verdict: str
    max_error: float = 0.0
    message: str = ""


def compare_nodes(model: ir.Model, feeds: Mapping[str, np.ndarray]) -> Iterator[NodeVerdict]:
    """One verdict for each node of the main graph, in its order.

    Errors do not add up, since the reference gets the inputs that ONNX Runtime computed for the node. Outputs that
    nothing uses are left out, such as the mask of an old Dropout. Where onnx's reference is known to be wrong, a
    difference tells nothing, and the node is not compared. Raises ModelError where ONNX Runtime cannot run the model.
    """
    exposed = model.clone()
    graph = exposed.graph
    given = set(graph.outputs)
    made = [value for node in graph for value in node.outputs if value.name and value not in given]
    graph.outputs.extend(made)
    runner = Runner(exposed, stand_ins=False)
    values = {**feeds, **runner(feeds)}
    if runner.how != "ONNX Runtime":
        raise ModelError(f"ONNX Runtime cannot run the model: {runner.reason}")
    for value in graph.initializers.values():
        values[value.name] = constant(value)
    for node in model.graph:
        verdict = _compare(node, values, model.graph.opset_imports)
        why = wrong_in_reference(node.op_type, opset(model)) if node.domain == "" else ""
        if verdict.verdict == "wrong" and why:
            verdict = replace(
                verdict,
                verdict="not compared",
                max_error=0.0,
                message=f"onnx's reference is wrong here: {why}",
            )
        yield verdict


def _compare(node: ir.Node, values: Mapping[str, np.ndarray], imports: Mapping[str, int]) -> NodeVerdict:
    name = f"{node.domain}::{node.op_type}" if node.domain else node.op_type
    read = [value.name for value in (*node.inputs, *_outer(node)) if value is not None]
    inputs = {name: values[name] for name in read if name in values}
    outputs = [value.name for value in node.outputs if value.name]
    try:
        wanted = ReferenceEvaluator(_model_of(node, inputs, outputs, imports), new_ops=reference_ops()).run(
            None, inputs
        )
    except Exception as error:  # an operator, a subgraph or a case that the reference lacks
        return NodeVerdict(label(node), name, "not compared", message=first_line(error))
    worst, used = 0.0, {value.name for value in node.outputs if value.uses() or value.is_graph_output()}
    pairs = []
    for output, want in zip(outputs, wanted, strict=True):
        ours, theirs = _tensors(values[output]), _tensors(want)
        if output in used and len(ours) != len(theirs):
            message = f"{output}: a sequence of {len(ours)} tensors, expected {len(theirs)}"
            return NodeVerdict(label(node), name, "wrong", message=message)
        pairs += [(output, *pair) for pair in zip(ours, theirs, strict=True)] if output in used else []
    for output, got, want in pairs:
        # Large weights are most often equal; everything else takes several times as long.
        if got.dtype == want.dtype and np.array_equal(got, want):
            continue
        wide = want.astype(np.float64) if want.dtype.kind not in "biuSO" else want
        verdict = compare(got, wide, got.dtype, NEAR)
        if not verdict.ok and not (node.domain == "" and node.op_type in UNIT and _near_one(got, want)):
            return NodeVerdict(label(node), name, "wrong", verdict.max_error, f"{output}: {verdict.message}")
        worst = max(worst, verdict.max_error)
    return NodeVerdict(label(node), name, "near" if worst else "equal", worst)


def _outer(node: ir.Node) -> list[ir.Value]:
    """What the graphs of a node, and those in them, read or return; values of the model are among them."""
    found = []
    for graph in graphs_in(node):
        for inner in graph.all_nodes():
            found += [*inner.inputs, *(value for item in graphs_in(inner) for value in item.outputs)]
        found.extend(graph.outputs)
    return found


def _tensors(value) -> list[np.ndarray]:
    """The tensors of a value: those of a sequence in their order, none of an optional that holds nothing."""
    if isinstance(value, list):
        return [array for item in value for array in _tensors(item)]
    return [] if value is None else [np.asarray(value)]


def _near_one(got: np.ndarray, want: np.ndarray) -> bool:
    """Whether two results of a function with results in [-1, 1] differ by a few rounding steps of 1 at most."""
    if got.shape != want.shape or got.dtype != want.dtype or not is_float(got.dtype):
        return False
    away = np.abs(got.astype(np.float64) - want.astype(np.float64))
    return bool(np.all(away <= UNIT_STEPS * float(ml_dtypes.finfo(got.dtype).eps)))


def _model_of(node: ir.Node, inputs, outputs, imports) -> onnx.ModelProto:
    unknown = onnx.TypeProto()
    graph = onnx.helper.make_graph(
        [ir.to_proto(node)],
        "node",
        [onnx.helper.make_value_info(name, unknown) for name in inputs],
        [onnx.helper.make_value_info(name, unknown) for name in outputs],
    )
    sets = [onnx.helper.make_opsetid(domain, version) for domain, version in imports.items()]
    return onnx.helper.make_model(graph, opset_imports=sets)
