# SPDX-License-Identifier: Apache-2.0
import numpy as np
from hypothesis import strategies as st

from ascend_vision_ops.testing import Array, Case


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


# Around 64 lanes and rows, and the places where blocks, bands and sorted runs end.
COUNTS = (1, 2, 7, 8, 31, 33, 63, 64, 65, 127, 129, 200)


def call(count, boxes, scores="uniform", **attributes):
    args = {
        "boxes": Array(count, 4, values=boxes),
        "scores": Array(count, values=scores),
        "iou_threshold": 0.5,
    }
    return {**args, **attributes}


def cases():
    for count in COUNTS:
        yield Case(f"{count} boxes", call(count, clustered))
    for boxes, count in ((clustered, 1500), (apart, 1100), (chain, 1030)):
        scores = descending if boxes is chain else "uniform"
        yield Case(f"{boxes.__name__} {count}", call(count, boxes, scores), ("float32",))
    for scores in ("special", few, "constant"):
        yield Case(f"scores {scores}", call(150, clustered, scores))
    yield Case("degenerate", call(300, degenerate, few, iou_threshold=0.0))
    yield Case("offset", call(100, degenerate, few, iou_threshold=0.3, offset=1))
    yield Case("score threshold", call(150, clustered, "special", score_threshold=0.5))
    yield Case("no score is enough", call(70, clustered, score_threshold=2.0))
    for most in (0, 1, 9, 100):
        yield Case(f"max output {most}", call(80, clustered, max_output=most, max_num=20))
    yield Case("classes", call(260, clustered, few, idxs=Array(260, values=classes)))
    yield Case("strided", call(90, clustered, iou_threshold=0.25), out="strided")
    yield Case("none", call(0, clustered))
    yield Case("none, padded", call(0, clustered, max_output=5))


def oracle(boxes, scores, iou_threshold, max_output=-1, offset=0, score_threshold=0.0, max_num=-1, idxs=None):
    """Order by torch.sort, suppression by ONNX Runtime, which takes proper boxes and has no offset."""
    import onnx
    import onnxruntime
    import torch

    boxes = boxes.float() + torch.tensor([0.0, 0.0, offset, offset])
    proper = (boxes[:, 2:] > boxes[:, :2]).all() and boxes.isfinite().all()
    if not proper or (offset and not torch.equal(boxes, boxes.round())):
        return None
    order = scores.float().sort(descending=True, stable=True).indices
    if score_threshold > 0:
        order = order[scores[order] > score_threshold]
    names = ["boxes", "scores", "most", "threshold"]
    kinds = [onnx.TensorProto.FLOAT, onnx.TensorProto.FLOAT, onnx.TensorProto.INT64, onnx.TensorProto.FLOAT]
    node = onnx.helper.make_node("NonMaxSuppression", names, ["kept"])
    inputs = [onnx.helper.make_tensor_value_info(*pair, None) for pair in zip(names, kinds, strict=True)]
    output = onnx.helper.make_tensor_value_info("kept", onnx.TensorProto.INT64, None)
    graph = onnx.helper.make_graph([node], "nms", inputs, [output])
    model = onnx.helper.make_model(graph, opset_imports=[onnx.helper.make_opsetid("", 11)], ir_version=8)
    session = onnxruntime.InferenceSession(model.SerializeToString())
    kept = torch.zeros(len(order), dtype=torch.bool)
    for each in torch.zeros(1) if idxs is None else idxs.unique():
        own = torch.arange(len(order)) if idxs is None else (idxs[order] == each).nonzero().flatten()
        ranks = np.arange(len(own), 0, -1, dtype=np.float32)[None, None]
        feed = [boxes[order[own]][None].numpy(), ranks, np.array([len(own)]), np.float32([iou_threshold])]
        kept[own[session.run(None, dict(zip(names, feed, strict=True)))[0][:, 2]]] = True
    length = max_output if max_output >= 0 else len(boxes)
    order = order[kept][: min(length, max_num) if max_num > 0 else length]
    indices = torch.full((length,), -1)
    indices[: len(order)] = order
    return indices, torch.tensor([len(order)])


@st.composite
def strategy(draw):
    count = draw(st.integers(0, 150))
    boxes = draw(st.sampled_from([clustered, apart, degenerate]))
    args = call(count, boxes, draw(st.sampled_from(["special", few, "uniform"])))
    args |= {"iou_threshold": draw(st.sampled_from([0.0, 0.3, 0.7])), "offset": draw(st.integers(0, 1))}
    args |= {"max_output": draw(st.integers(-1, 60)), "max_num": draw(st.integers(-1, 40))}
    if draw(st.booleans()):
        args["idxs"] = Array(count, values=classes)
    return args
