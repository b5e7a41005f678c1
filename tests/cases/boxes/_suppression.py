# SPDX-License-Identifier: Apache-2.0
"""Non-maximum suppression that is not ours: by ONNX Runtime."""

import functools

import numpy as np


@functools.cache
def session():
    """NonMaxSuppression of ONNX Runtime: boxes (1, N, 4), scores (1, 1, N), most (1), threshold (1)."""
    import onnx
    import onnxruntime

    types = onnx.TensorProto
    kinds = {"boxes": types.FLOAT, "scores": types.FLOAT, "most": types.INT64, "threshold": types.FLOAT}
    inputs = [onnx.helper.make_tensor_value_info(name, kind, None) for name, kind in kinds.items()]
    output = onnx.helper.make_tensor_value_info("kept", types.INT64, None)
    node = onnx.helper.make_node("NonMaxSuppression", list(kinds), ["kept"])
    graph = onnx.helper.make_graph([node], "suppression", inputs, [output])
    model = onnx.helper.make_model(graph, opset_imports=[onnx.helper.make_opsetid("", 11)], ir_version=8)
    return onnxruntime.InferenceSession(model.SerializeToString())


def kept_by_onnx_runtime(boxes, iou_threshold):
    """The rows that NonMaxSuppression keeps of torch boxes (N, 4), which are sorted by descending score."""
    count = len(boxes)
    feeds = {
        "boxes": boxes.float().numpy()[None],
        "scores": np.arange(count, 0, -1, dtype=np.float32)[None, None],
        "most": np.array([count]),
        "threshold": np.float32([iou_threshold]),
    }
    return session().run(None, feeds)[0][:, 2]


def kept_by_others(
    boxes, scores, iou_threshold, max_output=-1, offset=0, score_threshold=0.0, max_num=-1, idxs=None
):
    """Padded indices and the count of kept torch boxes: torch.sort orders them, ONNX Runtime suppresses in each class.

    Returns None where ONNX Runtime defines something else: for boxes that are not proper, for a threshold outside
    [0, 1], and with an offset, which is added to the corners here, for corners that are not whole numbers.
    """
    import torch

    boxes = boxes.float() + torch.tensor([0.0, 0.0, offset, offset])
    proper = (boxes[:, 2:] > boxes[:, :2]).all() and boxes.isfinite().all()
    if not (proper and 0 <= iou_threshold <= 1) or (offset and not torch.equal(boxes, boxes.round())):
        return None
    order = scores.float().sort(descending=True, stable=True).indices
    if score_threshold > 0:
        order = order[scores[order] > score_threshold]
    kept = torch.zeros(len(order), dtype=torch.bool)
    own_classes = torch.zeros(len(boxes)) if idxs is None else idxs
    for each in own_classes.unique():
        own = (own_classes[order] == each).nonzero().flatten()
        kept[own[kept_by_onnx_runtime(boxes[order[own]], iou_threshold)]] = True
    length = max_output if max_output >= 0 else len(boxes)
    order = order[kept][: min(length, max_num) if max_num > 0 else length]
    indices = torch.full((length,), -1)
    indices[: len(order)] = order
    return indices, torch.tensor([len(order)])


def valid_by_others(boxes, scores, iou_threshold, **attributes):
    """Like kept_by_others, but only the indices of kept boxes."""
    padded = kept_by_others(boxes, scores, iou_threshold, **attributes)
    return None if padded is None else padded[0][: padded[1].item()]
