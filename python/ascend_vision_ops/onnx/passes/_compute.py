# SPDX-License-Identifier: Apache-2.0
"""Computes one node on constants: by NumPy where all implementations give the same bits, else by ONNX Runtime where
it is installed, else by onnx's reference evaluator."""

from __future__ import annotations

import functools
from importlib.util import find_spec

import numpy as np
import onnx
import onnx_ir as ir

from ascend_vision_ops.onnx.passes._numpy_nodes import by_numpy
from ascend_vision_ops.onnx.passes._values import CONTROL_FLOW, numpy_dtype

# What onnx's reference evaluator computes wrongly, by type and the last version of the operator set, in which it does.
WRONG = {
    "AveragePool": (99, "a last window that begins on padding"),
    "BatchNormalization": (13, "the outputs of versions 9 to 13 are those of training"),
    "GlobalMaxPool": (99, "two reduced axes, whatever the rank"),
    "Hardmax": (12, "versions up to 12 flatten the axes behind `axis`"),
    "LogSoftmax": (12, "versions up to 12 flatten the axes behind `axis`"),
    "LRN": (99, "the window along channels"),
    "Roi": (15, "versions up to 15 shift no coordinates"),  # all nodes of regions
    "Softmax": (12, "versions up to 12 flatten the axes behind `axis`"),
}

# What ONNX Runtime computes otherwise than onnx's published cases say: it rounds more, or takes other samples.
OTHER_IN_RUNTIME = {"Attention", "AveragePool", "DFT", "MaxUnpool", "Resize", "STFT"}


def compute(node: ir.Node, version: int, inputs: list[np.ndarray | None]) -> list[np.ndarray] | None:
    """The outputs of a node; None where nothing here computes them, or only what is known to be wrong."""
    if node.op_type in CONTROL_FLOW or any(array is not None and array.dtype == object for array in inputs):
        return None
    arrays = by_numpy(node, version, inputs)
    if arrays is None and _runtime() and node.op_type not in OTHER_IN_RUNTIME:
        arrays = _by_runtime(node, version, inputs)
    if arrays is None and not wrong_in_reference(node.op_type, version):
        arrays = _by_reference(node, version, inputs)
    if arrays is None or len(arrays) != len(node.outputs):
        return None
    for value, array in zip(node.outputs, arrays, strict=True):
        if not isinstance(array, np.ndarray):
            return None
        wanted = numpy_dtype(value)
        if wanted is not None and wanted != array.dtype:
            return None
    return arrays


def wrong_in_reference(op_type: str, version: int) -> str:
    """What onnx's reference evaluator does wrongly for a node of the standard operator set; "" where it is right."""
    last, why = WRONG.get(op_type) or WRONG.get(op_type[:3], (0, ""))
    return why if version <= last else ""


@functools.cache
def _runtime() -> bool:
    return find_spec("onnxruntime") is not None


def _by_runtime(node: ir.Node, version: int, inputs: list[np.ndarray | None]) -> list[np.ndarray] | None:
    given = [None if array is None else (array.dtype, array.ndim) for array in inputs]
    proto = onnx.NodeProto(op_type=node.op_type)
    proto.attribute.extend(ir.to_proto(attribute) for attribute in node.attributes.values())
    key = proto.SerializeToString(deterministic=True), version, tuple(given), len(node.outputs)
    session = _session(*key)
    if session is None:
        return None
    feeds = {f"x{index}": array for index, array in enumerate(inputs) if array is not None}
    try:
        return session.run(None, feeds)
    except Exception:  # sizes that do not fit each other: the node stays, and the runtime says what is wrong
        return None


@functools.lru_cache(64)
def _session(text: bytes, version: int, inputs: tuple, outputs: int):
    """A session of one node, for inputs of any size; None where ONNX Runtime has no kernel for their types."""
    import onnxruntime

    node = onnx.NodeProto.FromString(text)
    node.input.extend(f"x{index}" if item else "" for index, item in enumerate(inputs))
    node.output.extend(f"y{index}" for index in range(outputs))
    unknown = onnx.TypeProto()
    try:
        graph = onnx.helper.make_graph(
            [node],
            "node",
            [
                onnx.helper.make_tensor_value_info(
                    f"x{index}", onnx.helper.np_dtype_to_tensor_dtype(item[0]), [None] * item[1]
                )
                for index, item in enumerate(inputs)
                if item
            ],
            [onnx.helper.make_value_info(name, unknown) for name in node.output],
        )
        sets = [onnx.helper.make_opsetid("", version)]
        model = onnx.helper.make_model(graph, opset_imports=sets, ir_version=8)
        options = onnxruntime.SessionOptions()
        options.graph_optimization_level = onnxruntime.GraphOptimizationLevel.ORT_DISABLE_ALL
        options.log_severity_level, options.intra_op_num_threads = 4, 1
        providers = ["CPUExecutionProvider"]
        return onnxruntime.InferenceSession(model.SerializeToString(), options, providers=providers)
    except Exception:
        return None


@functools.cache
def _operator(op_type: str, version: int):
    from onnx.reference.ops import load_op  # takes long to import

    try:
        return load_op("", op_type, version)
    except Exception:  # the reference evaluator has no such operator
        return None


def _by_reference(node: ir.Node, version: int, inputs: list[np.ndarray | None]) -> list[np.ndarray] | None:
    operator = _operator(node.op_type, version)
    if operator is None:
        return None
    context = {"log": lambda *_: None, "opsets": {"": version}, "verbose": 0, "new_ops": None}
    try:
        with np.errstate(all="ignore"):
            return list(operator(ir.to_proto(node), context).run(*inputs))
    except Exception:  # a case that the reference implementation lacks
        return None
