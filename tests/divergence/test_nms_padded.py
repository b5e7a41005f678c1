# SPDX-License-Identifier: Apache-2.0
import numpy as np
from onnx import TensorProto, helper
from onnxruntime import InferenceSession

from ascend_vision_ops import cpu

NOT_RUN = {
    "torchvision": "its wheel for this torch needs the libraries of CUDA",
    "mmcv": "the ONNX Runtime operators of mmcv 1.x are built from its sources, with the runtime's headers",
}


def onnx_runtime(boxes, scores, limit, threshold):
    kinds = [("boxes", TensorProto.FLOAT), ("scores", TensorProto.FLOAT), ("limit", TensorProto.INT64)]
    kinds.append(("threshold", TensorProto.FLOAT))
    node = helper.make_node("NonMaxSuppression", [name for name, _ in kinds], ["out"])
    inputs = [helper.make_tensor_value_info(name, kind, None) for name, kind in kinds]
    out = helper.make_tensor_value_info("out", TensorProto.INT64, None)
    graph = helper.make_graph([node], "nms", inputs, [out])
    model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", 11)], ir_version=9)
    feed = {
        "boxes": boxes[None], "scores": scores[None, None], "limit": np.array([limit], np.int64),
        "threshold": np.array([threshold], np.float32),
    }  # fmt: skip
    return InferenceSession(model.SerializeToString()).run(None, feed)[0][:, 2].tolist()


def test_onnx_runtime_takes_corners_in_any_order():
    """Two boxes of one place, the second with its corners swapped: suppressed there, kept here."""
    boxes = np.array([[0, 0, 10, 10], [10, 0, 0, 10]], np.float32)
    scores = np.array([0.9, 0.8], np.float32)
    assert onnx_runtime(boxes, scores, 2, 0.5) == [0]
    indices, count = cpu.nms_padded(boxes, scores, 0.5)
    assert indices[: count[0]].tolist() == [0, 1]
