# SPDX-License-Identifier: Apache-2.0
"""Boxes, scores and classes for cases, and non-maximum suppression that is not ours."""

import functools

import numpy as np


def clustered(rng, shape):
    """Boxes in clusters of about eight that overlap each other."""
    centres = rng.uniform(0, 200, (max(1, shape[0] // 8), 2))
    middle = centres[rng.integers(0, len(centres), shape[0])] + rng.normal(0, 2, (shape[0], 2))
    half = rng.uniform(8, 14, (shape[0], 2))
    return np.concatenate([middle - half, middle + half], 1)


def apart(rng, shape):
    """Boxes on a grid, of which none suppresses another."""
    corner = np.stack(np.divmod(rng.permutation(shape[0]), 40), 1) * 4.0
    return np.concatenate([corner, corner + 3], 1)


def chain(rng, shape):
    """Each box suppresses the next one alone: of those in order of score every other one is kept."""
    x = np.arange(shape[0])[:, None] * 4.0
    return np.concatenate([x, 0 * x, x + 16, 0 * x + 16], 1)


def of_all_sizes(rng, shape):
    """Squares of 1 to 1000 pixels, most of them within others."""
    corner = rng.uniform(0, 1000, (shape[0], 2))
    return np.concatenate([corner, corner + 10 ** rng.uniform(0, 3, (shape[0], 1))], 1)


def at_octaves(rng, shape):
    """Sides at powers of two, to the last bit, and places in quarters of them: many overlaps are at a threshold."""
    side = 2.0 ** rng.integers(0, 5, (shape[0], 2)) * rng.choice([1 - 2**-24, 1, 1 + 2**-23], (shape[0], 2))
    corner = rng.integers(0, 24, (shape[0], 2)) * side / 4
    return np.concatenate([corner, corner + side], 1)


def all_over(rng, shape):
    """Boxes of most of one place, with one far away and one that is nearly empty."""
    boxes = 100 + rng.uniform(0, 1, (shape[0], 1)) + np.array([0, 0, 100, 100])
    boxes[:1], boxes[1:2] = [6e4, 6e4, 6.1e4, 6.1e4], [0, 0, 2**-14, 2**-14]
    return boxes


def scattered(rng, shape):
    """Clusters, a few boxes far from them, some of those so far that the sum of two corners overflows, or huge."""
    boxes = clustered(rng, shape)
    far, huge = rng.random((2, shape[0], 1)) < 0.03
    boxes = boxes + far * rng.choice([1e4, -1e6, 2e38, -3e38], (shape[0], 1))
    return boxes * np.where(huge, [[1e3, 1, 1e4, 1]], 1)


def infinitesimal(rng, shape):
    """Clusters so small that areas are rounded to few digits, or to 0."""
    return clustered(rng, shape) * 2.0**-70


def degenerate(rng, shape):
    """Empty, reversed, equal, infinite and NaN boxes."""
    boxes = rng.integers(0, 4, shape).astype(float)
    strange = rng.random(shape) < 0.05
    return np.where(strange, rng.choice([np.nan, np.inf, -np.inf, 6e4, -0.0], shape), boxes)


def descending(rng, shape):
    return -np.arange(shape[0], dtype=float)


def few(rng, shape):
    """Many equal scores."""
    return rng.integers(0, 3, shape) / 4


def classes(rng, shape):
    """Classes that differ in their low or their high half alone."""
    return rng.choice(np.array([0, 1, -1, 2**32, 2**32 + 1, -(2**63)]), shape)


def halves(rng, shape):
    """Two classes of as many boxes."""
    return rng.integers(0, 2, shape)


@functools.cache
def nms_session():
    """NonMaxSuppression of ONNX Runtime: boxes (1, N, 4), scores (1, 1, N), most (1), threshold (1)."""
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
    """Places of the boxes that NonMaxSuppression keeps, of torch boxes in the order of their scores."""
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
    """nms_padded on torch tensors: order by torch.sort, suppression by ONNX Runtime, class by class.

    None where ONNX Runtime defines something else: for boxes that are not proper, with an offset that the corners
    cannot hold exactly, and for a threshold outside of [0, 1].
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
