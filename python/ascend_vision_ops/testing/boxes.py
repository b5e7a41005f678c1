# SPDX-License-Identifier: Apache-2.0
"""Values of boxes, scores and classes for case files, and non-maximum suppression by ONNX Runtime.

Boxes have the shape (N, 4), rows x1, y1, x2, y2. Scores and classes have the shape (N,).
"""

import functools

import numpy as np


def clustered(rng, shape):
    """Returns boxes in clusters; about eight boxes of a cluster overlap each other."""
    centres = rng.uniform(0, 200, (max(1, shape[0] // 8), 2))
    middle = centres[rng.integers(0, len(centres), shape[0])] + rng.normal(0, 2, (shape[0], 2))
    half = rng.uniform(8, 14, (shape[0], 2))
    return np.concatenate([middle - half, middle + half], 1)


def apart(rng, shape):
    """Returns boxes on a grid, none of which overlaps another."""
    corner = np.stack(np.divmod(rng.permutation(shape[0]), 40), 1) * 4.0
    return np.concatenate([corner, corner + 3], 1)


def chain(rng, shape):
    """Returns a row of boxes. Each overlaps only its neighbours, so NMS in order of the row keeps every second box."""
    x = np.arange(shape[0])[:, None] * 4.0
    return np.concatenate([x, 0 * x, x + 16, 0 * x + 16], 1)


def of_all_sizes(rng, shape):
    """Returns squares with sides of 1 to 1000 pixels; most squares lie inside another."""
    corner = rng.uniform(0, 1000, (shape[0], 2))
    return np.concatenate([corner, corner + 10 ** rng.uniform(0, 3, (shape[0], 1))], 1)


def at_octaves(rng, shape):
    """Returns boxes whose sides are powers of two, or one bit more or less, at multiples of a quarter of the side.

    Many of their overlaps are exactly at a threshold.
    """
    side = 2.0 ** rng.integers(0, 5, (shape[0], 2)) * rng.choice([1 - 2**-24, 1, 1 + 2**-23], (shape[0], 2))
    corner = rng.integers(0, 24, (shape[0], 2)) * side / 4
    return np.concatenate([corner, corner + side], 1)


def all_over(rng, shape):
    """Returns boxes that cover nearly the same place, one box far away, and one that is nearly empty."""
    boxes = 100 + rng.uniform(0, 1, (shape[0], 1)) + np.array([0, 0, 100, 100])
    boxes[:1], boxes[1:2] = [6e4, 6e4, 6.1e4, 6.1e4], [0, 0, 2**-14, 2**-14]
    return boxes


def scattered(rng, shape):
    """Returns clusters and a few boxes far from them; some are huge, or so far that sums of corners overflow."""
    boxes = clustered(rng, shape)
    far, huge = rng.random((2, shape[0], 1)) < 0.03
    boxes = boxes + far * rng.choice([1e4, -1e6, 2e38, -3e38], (shape[0], 1))
    return boxes * np.where(huge, [[1e3, 1, 1e4, 1]], 1)


def infinitesimal(rng, shape):
    """Returns clusters of boxes so small that their areas keep few digits, or become 0."""
    return clustered(rng, shape) * 2.0**-70


def degenerate(rng, shape):
    """Returns boxes of which some are empty, reversed, equal, infinite or NaN."""
    boxes = rng.integers(0, 4, shape).astype(float)
    strange = rng.random(shape) < 0.05
    return np.where(strange, rng.choice([np.nan, np.inf, -np.inf, 6e4, -0.0], shape), boxes)


def descending(rng, shape):
    """Returns scores in descending order."""
    return -np.arange(shape[0], dtype=float)


def few(rng, shape):
    """Returns scores of three values, so that many are equal."""
    return rng.integers(0, 3, shape) / 4


def classes(rng, shape):
    """Returns int64 classes, some of which differ only in their upper or only in their lower 32 bits."""
    return rng.choice(np.array([0, 1, -1, 2**32, 2**32 + 1, -(2**63)]), shape)


def halves(rng, shape):
    """Returns two classes of about equally many boxes."""
    return rng.integers(0, 2, shape)


@functools.cache
def nms_session():
    """Makes a session of ONNX Runtime with one NonMaxSuppression.

    Its inputs are boxes (1, N, 4), scores (1, 1, N), the most boxes to keep (1,), and the threshold (1,).
    """
    import onnx
    import onnxruntime

    types = onnx.TensorProto
    kinds = {"boxes": types.FLOAT, "scores": types.FLOAT, "most": types.INT64, "threshold": types.FLOAT}
    inputs = [onnx.helper.make_tensor_value_info(name, kind, None) for name, kind in kinds.items()]
    output = onnx.helper.make_tensor_value_info("kept", types.INT64, None)
    node = onnx.helper.make_node("NonMaxSuppression", list(kinds), ["kept"])
    graph = onnx.helper.make_graph([node], "nms", inputs, [output])
    model = onnx.helper.make_model(graph, opset_imports=[onnx.helper.make_opsetid("", 11)], ir_version=8)
    return onnxruntime.InferenceSession(model.SerializeToString())


def kept_by_onnx_runtime(boxes, iou_threshold):
    """Returns the indices of the boxes that NonMaxSuppression keeps, of boxes in descending order of their scores."""
    count = len(boxes)
    feeds = {
        "boxes": boxes.float().numpy()[None],
        "scores": np.arange(count, 0, -1, dtype=np.float32)[None, None],
        "most": np.array([count]),
        "threshold": np.float32([iou_threshold]),
    }
    return nms_session().run(None, feeds)[0][:, 2]


def kept_by_others(
    boxes, scores, iou_threshold, max_output=-1, offset=0, score_threshold=0.0, max_num=-1, idxs=None
):
    """Computes nms_padded on torch tensors: torch.sort orders the boxes, ONNX Runtime suppresses class by class.

    Returns None where ONNX Runtime defines something else: for a box of no area or with infinite corners, for an
    offset that float32 corners cannot hold exactly, and for a threshold outside of [0, 1].
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
