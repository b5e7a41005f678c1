# SPDX-License-Identifier: Apache-2.0
import numpy as np
import torch
from onnx import TensorProto, helper
from onnxruntime import InferenceSession

from ascend_vision_ops import cpu

NOT_RUN = {
    "mmcv": "the ONNX Runtime operators of mmcv 1.x are built from its sources, with the runtime's headers",
}


def test_torchvision_compares_with_the_threshold_in_float64(torchvision):
    """An IoU of 3/10, rounded to float32, is above a threshold of 0.3 in float64."""
    boxes, scores = np.array([[0, 0, 10, 1], [0, 0, 3, 1]], np.float32), np.array([0.9, 0.8], np.float32)
    theirs = torchvision.ops.nms(torch.from_numpy(boxes), torch.from_numpy(scores), 0.3)
    assert theirs.tolist() == [0]
    assert cpu.nms_padded(boxes, scores, 0.3)[1].tolist() == [2]


def test_torchvision_moves_classes_apart(torchvision):
    """Two boxes with an IoU of 2/3. torchvision moves their class to where float32 holds whole numbers only: IoU 1."""
    boxes = np.array([[1e7, 0, 1e7 + 4, 4], [0, 0, 1, 1], [0.2, 0, 1.2, 1]], np.float32)
    scores, classes = np.array([0.9, 0.8, 0.7], np.float32), np.array([0, 1, 1])
    theirs = torchvision.ops.batched_nms(*map(torch.from_numpy, (boxes, scores, classes)), 0.7)
    assert theirs.tolist() == [0, 1]
    assert cpu.nms_padded(boxes, scores, 0.7, idxs=classes)[1].tolist() == [3]


def onnx_runtime(boxes, scores, limit, threshold):
    """Indices that NonMaxSuppression of ONNX Runtime keeps."""
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
    """Two equal boxes, but the corners of the second are exchanged: ONNX Runtime suppresses it, ours keeps it."""
    boxes = np.array([[0, 0, 10, 10], [10, 0, 0, 10]], np.float32)
    scores = np.array([0.9, 0.8], np.float32)
    assert onnx_runtime(boxes, scores, 2, 0.5) == [0]
    indices, count = cpu.nms_padded(boxes, scores, 0.5)
    assert indices[: count[0]].tolist() == [0, 1]
