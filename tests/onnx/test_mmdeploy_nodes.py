# SPDX-License-Identifier: Apache-2.0
"""Nodes that mmdeploy exports, as it writes them, in ONNX Runtime: against implementations that are not ours."""

from __future__ import annotations

import numpy as np
import pytest

onnx = pytest.importorskip("onnx", reason="models are made with the package onnx")
ort = pytest.importorskip("onnxruntime", reason="the package onnxruntime is not installed")
torch = pytest.importorskip("torch", reason="torch and torchvision are the oracles")

from ascend_vision_ops.onnx import node  # noqa: E402
from ascend_vision_ops.testing.peers import import_torchvision, mmcv_function  # noqa: E402
from tests.onnx.commands import runner  # noqa: E402
from tests.onnx.node_models import one_node  # noqa: E402
from tests.onnx.test_onnxruntime import run  # noqa: E402


def random_arrays(seed: int = 0, **shapes) -> dict[str, np.ndarray]:
    rng = np.random.default_rng(seed)
    return {name: rng.standard_normal(shape).astype(np.float32) for name, shape in shapes.items()}


def tensors(arrays: dict[str, np.ndarray]) -> list:
    return [torch.from_numpy(array) for array in arrays.values()]


def run_node(name: str, arrays, attributes, dtypes=("float32",)):
    made = one_node(node("mmdeploy", name), arrays, attributes, list(dtypes))
    return run(made)


# --- MMCVDeformConv2d

CONV = {"stride": [2, 1], "dilation": [1, 2], "groups": 2, "deform_groups": 3}


def conv_arrays():
    return random_arrays(input=(2, 12, 9, 11), offset=(2, 54, 5, 11), weight=(4, 6, 3, 3))


def test_deform_conv_has_the_padding_of_mmdeploy():
    """mmdeploy writes each padding twice: rows before and after, then columns before and after."""
    try:
        torchvision = import_torchvision()
    except ImportError as error:
        pytest.skip(str(error))
    arrays = conv_arrays()
    (found,) = run_node("MMCVDeformConv2d", arrays, {**CONV, "padding": [1, 1, 2, 2]})
    wanted = torchvision.ops.deform_conv2d(*tensors(arrays), None, (2, 1), (1, 2), (1, 2))
    np.testing.assert_allclose(found, wanted.numpy(), atol=3e-5)


def test_deform_conv_of_mmcv_has_attributes_without_effect():
    arrays = conv_arrays()
    (wanted,) = run_node("MMCVDeformConv2d", arrays, {**CONV, "padding": [1, 1, 2, 2]})
    of_mmcv = {**CONV, "padding": [1, 2], "bias": 0, "im2col_step": 64}
    made = one_node(node("mmcv", "MMCVDeformConv2d"), arrays, of_mmcv, ["float32"])
    assert not made.wrong(run(made))
    np.testing.assert_array_equal(run(made)[0], wanted)


@pytest.mark.parametrize(
    ("attributes", "message"),
    [
        (
            {"padding": [1, 2, 1, 2]},
            r"padding: expected 2 ints \(or each of them twice\), got \[1, 2, 1, 2\]",
        ),
        ({"padding": [1, 2], "bias": 1}, "bias: expected 0, got 1"),
    ],
)
def test_what_deform_conv_cannot_honour_is_an_error(attributes, message):
    found = node("mmdeploy", "MMCVDeformConv2d")
    with pytest.raises(Exception, match=message):
        run_node("MMCVDeformConv2d", conv_arrays(), {**CONV, **attributes})
    with pytest.raises(ValueError, match=message):
        found.arguments({**CONV, **attributes})


# --- MMCVMultiScaleDeformableAttention

SHAPES = np.array([[6, 5], [3, 2], [1, 4]])
STARTS = np.array([0, 30, 36])


def attention_arrays(shapes=SHAPES, starts=STARTS):
    arrays = random_arrays(value=(2, 40, 3, 8), attention_weights=(2, 7, 3, 3, 4))
    locations = np.random.default_rng(1).uniform(-0.1, 1.1, (2, 7, 3, 3, 4, 2)).astype(np.float32)
    levels = {"value_spatial_shapes": shapes, "value_level_start_index": starts}
    return {**arrays, **levels, "sampling_locations": locations}


@pytest.mark.parametrize("dtype", [np.int64, np.int32])
def test_attention_is_that_of_mmcv(dtype):
    try:
        theirs = mmcv_function("multi_scale_deform_attn", "multi_scale_deformable_attn_pytorch")
    except ImportError as error:
        pytest.skip(str(error))
    arrays = attention_arrays(SHAPES.astype(dtype), STARTS.astype(dtype))
    (found,) = run_node("MMCVMultiScaleDeformableAttention", arrays, {"im2col_step": 64})
    values = (
        arrays[name] for name in ("value", "value_spatial_shapes", "sampling_locations", "attention_weights")
    )
    np.testing.assert_allclose(found, theirs(*map(torch.from_numpy, values)).numpy(), atol=2e-5)


@pytest.mark.parametrize(
    ("shapes", "starts", "got"),
    [
        ([[6, 5], [3, 2], [1, 5]], STARTS, "1 x 5 from position 36 in row 2"),
        ([[6, 5], [-3, -2], [1, 4]], STARTS, "-3 x -2 from position 30 in row 1"),
        ([[2**32, 2**32], [3, 2], [1, 4]], STARTS, "4294967296 x 4294967296 from position 0 in row 0"),
        ([[2**62, 4], [3, 2], [1, 4]], STARTS, "4611686018427387904 x 4 from position 0 in row 0"),
        (SHAPES, [0, 30, 2**62], "1 x 4 from position 4611686018427387904 in row 2"),
        (SHAPES, [0, 30, -1], "1 x 4 from position -1 in row 2"),
        (SHAPES, [0, 30, 41], "1 x 4 from position 41 in row 2"),
    ],
)
def test_levels_that_lie_about_their_sizes(shapes, starts, got):
    message = f"value_spatial_shapes: expected maps within the 40 positions of value, got {got}"
    with pytest.raises(Exception, match=message):
        run_node(
            "MMCVMultiScaleDeformableAttention", attention_arrays(np.array(shapes), np.array(starts)), {}
        )


# --- MMCVRoIAlignRotated

REGION = {
    "output_height": 3,
    "output_width": 3,
    "spatial_scale": 0.5,
    "aligned": 1,
    "clockwise": 0,
    "sampling_ratio": 2,
}


def regions(*rows):
    return {**random_arrays(input=(2, 5, 12, 12)), "rois": np.float32(rows)}


def test_a_region_without_an_angle_is_that_of_roi_align():
    arrays = regions((1, 10, 9, 12, 8, 0))
    (found,) = run_node("MMCVRoIAlignRotated", arrays, REGION)
    corners = np.float32([(1, 4, 5, 16, 13)])
    plain = one_node(node("mmcv", "MMCVRoiAlign"), {**arrays, "rois": corners}, _of_roi_align(), ["float32"])
    np.testing.assert_allclose(found, run(plain)[0], atol=1e-5)


def _of_roi_align():
    return {name: value for name, value in REGION.items() if name != "clockwise"}


@pytest.mark.parametrize(("clockwise", "turns"), [(0, 1), (1, -1)])
def test_a_quarter_turn_turns_the_bins(clockwise, turns):
    """A positive angle turns against the clock on the image, so the first row of bins runs down its left side."""
    (straight,) = run_node("MMCVRoIAlignRotated", regions((0, 12, 12, 9, 9, 0)), REGION)
    quarter = regions((0, 12, 12, 9, 9, np.pi / 2))
    (found,) = run_node("MMCVRoIAlignRotated", quarter, {**REGION, "clockwise": clockwise})
    np.testing.assert_allclose(found, np.rot90(straight, turns, (3, 2)), atol=1e-4)


def test_the_other_spelling_is_the_same_node():
    arrays = regions((1, 10, 9, 12, 8, 0.4))
    spelled = [run_node(name, arrays, REGION)[0] for name in ("MMCVRoIAlignRotated", "MMCVRoiAlignRotated")]
    np.testing.assert_array_equal(*spelled)


@pytest.mark.parametrize(
    ("rows", "attributes", "message"),
    [
        ([(2, 1, 1, 1, 1, 0)], {}, r"rois: expected an index of a feature map in \[0, 2\), got 2"),
        ([(np.nan, 1, 1, 1, 1, 0)], {}, r"rois: expected an index of a feature map in \[0, 2\), got -?nan"),
        (
            [(0, 1, 1, 1e30, 1e30, 0)],
            {"sampling_ratio": 0},
            "rois: expected fewer samples; rows up to 0 have too many",
        ),
        (
            [(0, 1, 1, 1, 1, 0)],
            {"sampling_ratio": 2**40},
            "too many for a call, with sampling_ratio 1099511627776",
        ),
        ([(0, 1, 1, 1, 1, 0)] * 300, {"sampling_ratio": 100}, "rows up to [0-9]+ have too many for a call"),
        ([(0, 1, 1, 1, 1)], {}, "rois: shape|rois: expected"),
        ([(0, 1, 1, 1, 1, 0)], {"output_height": 0}, "output_height: expected output_height > 0"),
    ],
)
def test_regions_that_nobody_means(rows, attributes, message):
    with pytest.raises(Exception, match=message):
        run_node("MMCVRoIAlignRotated", regions(*rows), {**REGION, **attributes})


# --- NMSRotated

ROTATED = {"iou_threshold": 0.5, "score_threshold": 0.1}


def kept_by_opencv(cv2, boxes, scores, iou_threshold, score_threshold):
    """Rows (image, class, box) by cv2.rotatedRectangleIntersection, whose angles are in degrees."""
    rows = []
    for image, each in np.ndindex(scores.shape[:2]):
        kept = []
        for i in np.argsort(-scores[image, each], kind="stable"):
            if scores[image, each, i] <= score_threshold:
                continue
            rectangles = [_rectangle(boxes[image, k]) for k in (i, *kept)]
            areas = [rectangle[1][0] * rectangle[1][1] for rectangle in rectangles]
            shared = [_shared(cv2, rectangles[0], other) for other in rectangles[1:]]
            overlaps = [s / (areas[0] + a - s) for s, a in zip(shared, areas[1:], strict=True)]
            assert all(abs(overlap - iou_threshold) > 2e-5 for overlap in overlaps), (
                "OpenCV rounds to float32"
            )
            if not any(overlap > iou_threshold for overlap in overlaps):
                kept.append(i)
        rows += [[image, each, i] for i in kept]
    return rows


def _rectangle(box):
    x, y, width, height, angle = map(float, box)
    return (x, y), (width, height), np.degrees(angle)


def _shared(cv2, a, b):
    points = cv2.rotatedRectangleIntersection(a, b)[1]
    return 0.0 if points is None else cv2.contourArea(cv2.convexHull(points))


def test_rotated_suppression_is_that_of_opencv():
    cv2 = pytest.importorskip("cv2", reason="OpenCV is the oracle")
    rng = np.random.default_rng(3)
    middles = rng.uniform(0, 60, (2, 40, 2)) // 20 * 20 + rng.normal(0, 3, (2, 40, 2))
    boxes = np.concatenate([middles, rng.uniform(6, 25, (2, 40, 2)), rng.uniform(-4, 4, (2, 40, 1))], 2)
    arrays = {"boxes": boxes.astype(np.float32), "scores": rng.random((2, 3, 40)).astype(np.float32)}
    for iou_threshold in (0.1, 0.3, 0.6):
        attributes = {"iou_threshold": iou_threshold, "score_threshold": 0.1}
        (found,) = run_node("NMSRotated", arrays, attributes, ["int64"])
        wanted = kept_by_opencv(cv2, arrays["boxes"], arrays["scores"], **attributes)
        assert found.tolist() == wanted and 20 < len(wanted) < (arrays["scores"] > 0.1).sum()


def test_an_overlap_at_the_threshold_suppresses_nothing():
    """The smaller box is a half of the larger one, also where both are turned a quarter: the overlap is 1 / 2."""
    boxes = np.float32([[[5, 5, 10, 10, 0], [5, 5, 10, 5, 0], [5, 5, 10, 10, 1e-3]]])
    arrays = {"boxes": boxes, "scores": np.float32([[[0.9, 0.8, 0.7]]])}
    (found,) = run_node("NMSRotated", arrays, ROTATED, ["int64"])
    assert found.tolist() == [[0, 0, 0], [0, 0, 1]]
    (found,) = run_node("NMSRotated", arrays, {**ROTATED, "iou_threshold": 0.4999}, ["int64"])
    assert found.tolist() == [[0, 0, 0]]


@pytest.mark.parametrize("gone", ["iou_threshold", "score_threshold"])
def test_rotated_suppression_needs_both_thresholds(gone):
    arrays = {"boxes": np.zeros((1, 2, 5), np.float32), "scores": np.zeros((1, 1, 2), np.float32)}
    with pytest.raises(Exception, match=f"{gone}: expected this attribute, got none"):
        run_node("NMSRotated", arrays, {k: v for k, v in ROTATED.items() if k != gone}, ["int64"])


def test_scores_of_other_boxes_are_an_error():
    arrays = {"boxes": np.zeros((1, 2, 5), np.float32), "scores": np.zeros((1, 1, 3), np.float32)}
    with pytest.raises(Exception, match=r"scores: expected shape \(N, C, L\) = \(1, 1, 2\), got \(1, 1, 3\)"):
        run_node("NMSRotated", arrays, ROTATED, ["int64"])


# --- NMSMatch

MATCHED = np.float32([[[0, 0, 10, 10], [0, 0, 10, 5], [20, 0, 30, 10], [1, 0, 10, 10], [0, 0, 10, 9]]])


def match(scores, iou_threshold=0.5, score_threshold=0.1):
    arrays = {"boxes": MATCHED, "scores": np.float32([scores])}
    thresholds = {"iou_threshold": iou_threshold, "score_threshold": score_threshold}
    arrays |= {name: np.float32([value]) for name, value in thresholds.items()}
    return run_node("NMSMatch", arrays, {}, ["int64"])[0].tolist()


def test_who_suppresses_whom():
    """The second box shares exactly a half with the first one, which suffices. The third is alone: it has no row."""
    assert match([[0.9, 0.8, 0.7, 0.6, 0.5]]) == [[0, 0, 0, 1], [0, 0, 0, 3], [0, 0, 0, 4]]
    # In another order, box 3 suppresses 4 and 0, and shares less than a half with 1. The second class has no row.
    other = match([[0.3, 0.2, 0.7, 0.9, 0.5], [0.1, 0.1, 0.05, 0.0, -1.0]])
    assert other == [[0, 0, 3, 4], [0, 0, 3, 0]]
    assert match([[0.9, 0.8, 0.7, 0.6, 0.5]], score_threshold=0.9) == []


def test_a_threshold_is_one_number():
    arrays = {"boxes": MATCHED, "scores": np.zeros((1, 1, 5), np.float32)}
    arrays |= {"iou_threshold": np.zeros(2, np.float32), "score_threshold": np.zeros(1, np.float32)}
    with pytest.raises(Exception, match=r"iou_threshold: expected shape \(1,\) = \(1,\), got \(2,\)"):
        run_node("NMSMatch", arrays, {}, ["int64"])


# --- all of them in one model


def test_parity_of_a_model_with_each_node(tmp_path, capsys):
    """`avo onnx parity` compares each node with the reference, by the names that mmdeploy writes."""
    pytest.importorskip("onnx_ir", reason="the extra onnx is not installed")
    rotated = {"boxes": random_arrays(b=(1, 9, 5))["b"], "scores": random_arrays(s=(1, 2, 9))["s"]}
    matched = {"boxes": MATCHED, "scores": random_arrays(s=(1, 2, 5))["s"]}
    matched |= {name: np.float32([0.5]) for name in ("iou_threshold", "score_threshold")}
    nodes = {
        "MMCVDeformConv2d": (conv_arrays(), {**CONV, "padding": [1, 1, 2, 2]}, "float32"),
        "MMCVMultiScaleDeformableAttention": (attention_arrays(), {"im2col_step": 64}, "float32"),
        "MMCVRoIAlignRotated": (regions((1, 10, 9, 12, 8, 0.4), (0, 3, 3, 5, 9, 2)), REGION, "float32"),
        "NMSRotated": (rotated, ROTATED, "int64"),
        "NMSMatch": (matched, {}, "int64"),
    }
    whole = onnx.GraphProto(name="each")
    for name, (arrays, attributes, dtype) in nodes.items():
        made = one_node(node("mmdeploy", name), arrays, attributes, [dtype])
        for key, array in made.feeds.items():
            whole.initializer.append(onnx.numpy_helper.from_array(array, f"{name}_{key}"))
        prefixed = onnx.compose.add_prefix_graph(made.model.graph, f"{name}_")
        whole.node.extend(prefixed.node)
        whole.output.extend(prefixed.output)
    imports = [onnx.helper.make_opsetid(domain, version) for domain, version in (("", 16), ("mmdeploy", 1))]
    onnx.save(onnx.helper.make_model(whole, opset_imports=imports, ir_version=8), tmp_path / "each.onnx")
    status, printed, errors = runner(capsys)("parity", tmp_path / "each.onnx")
    assert status == 0, printed + errors
    assert all(f"mmdeploy::{name}" in printed for name in nodes)
    assert "none of 5 nodes diverges" in printed and "not compared:" not in printed
