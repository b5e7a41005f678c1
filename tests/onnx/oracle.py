# SPDX-License-Identifier: Apache-2.0
"""ONNX Runtime as the oracle: what a model computes. Of ours it only uses the library of custom operators."""

from __future__ import annotations

import numpy as np
import onnx
import onnxruntime as ort

from ascend_vision_ops.onnx import register
from ascend_vision_ops.paths import onnxruntime_library

HAS_LIBRARY = onnxruntime_library().is_file()


def run(proto: onnx.ModelProto, feeds: dict) -> dict[str, np.ndarray]:
    """Runs the unchanged graph and gives its outputs by name."""
    options = ort.SessionOptions()
    options.graph_optimization_level = ort.GraphOptimizationLevel.ORT_DISABLE_ALL
    options.log_severity_level = 4
    if HAS_LIBRARY:
        register(options)
    session = ort.InferenceSession(proto.SerializeToString(), options, providers=["CPUExecutionProvider"])
    return dict(zip([item.name for item in session.get_outputs()], session.run(None, feeds), strict=True))


def image(*shape: int, seed: int = 0) -> np.ndarray:
    return np.random.default_rng(seed).standard_normal(shape).astype(np.float32)


def types(proto: onnx.ModelProto) -> list[str]:
    return [node.op_type for node in proto.graph.node]


def shapes(values) -> dict[str, list]:
    """Gives shapes by name. A named dimension appears as its name, an unknown one as None."""

    def size(dim):
        return dim.dim_param or (dim.dim_value if dim.HasField("dim_value") else None)

    return {value.name: [size(dim) for dim in value.type.tensor_type.shape.dim] for value in values}
