# SPDX-License-Identifier: Apache-2.0
"""Soft non-maximum suppression: published results, fields of tilings, and more boxes than the cases have."""

import random
from types import SimpleNamespace

import numpy as np
import pytest

import ascend_vision_ops as avo
from ascend_vision_ops import profiling, reference

BOXES = np.array([[6, 3, 8, 7], [3, 6, 9, 11], [3, 7, 10, 12], [1, 4, 13, 7]], np.float32)
SCORES = np.array([0.6, 0.9, 0.7, 0.2], np.float32)
# By method, the indices and scores that tests/test_ops/test_nms.py of mmcv expects of these boxes, with iou_threshold
# 0.3, sigma 0.5 and min_score 0.01.
PUBLISHED = {
    0: ([1, 0, 3], [0.9, 0.6, 0.2]),
    1: ([1, 0, 2, 3], [0.9, 0.6, 0.29024392, 0.2]),
    2: ([1, 0, 2, 3], [0.9, 0.59630775, 0.35275510, 0.18650459]),
}


@pytest.mark.parametrize("face", [reference, avo.cpu, avo.aclnn])
@pytest.mark.parametrize("method", PUBLISHED)
def test_published_results(face, method):
    indices, scores = PUBLISHED[method]
    dets, found = face.soft_nms(BOXES, SCORES, min_score=0.01, method=method)
    assert found.tolist() == indices
    np.testing.assert_array_equal(dets[:, :4], BOXES[indices])
    np.testing.assert_allclose(dets[:, 4], scores, rtol=1e-6)


@pytest.mark.parametrize("face", [reference, avo.cpu, avo.aclnn])
def test_example_of_mmcv(face):
    """The example in the docstring of mmcv.ops.soft_nms. Its boxes have no area; the one with score 0 is dropped."""
    boxes = np.array(
        [[4, 3, 5, 3], [4, 3, 5, 4], [3, 1, 3, 1], [3, 1, 3, 1], [3, 1, 3, 1], [3, 1, 3, 1]], np.float32
    )
    scores = np.array([0.9, 0.9, 0.5, 0.5, 0.4, 0.0], np.float32)
    dets, indices = face.soft_nms(boxes, scores, iou_threshold=0.6)
    assert len(dets) == len(indices) == 5


@pytest.mark.parametrize("face", [reference, avo.cpu, avo.aclnn])
def test_last_entries_move_to_dropped_ones_from_the_front(face):
    """Entries 1 and 2 are dropped. Box 6 moves to entry 1, box 5 to entry 2; entries decide between equal scores."""
    boxes = np.array([[0, 0, 9, 9]] * 3 + [[20 * k, 50, 20 * k + 9, 59] for k in range(4)], np.float32)
    scores = np.array([0.9, 0.8, 0.8, 0.5, 0.5, 0.5, 0.5], np.float32)
    _, indices = face.soft_nms(boxes, scores, method=0, iou_threshold=0.5)
    assert indices.tolist() == [0, 6, 5, 3, 4]


def test_boxes_without_area_overlap_wherever_they_are():
    """Their IoU is 0/0, which makes a score NaN. Boxes with an area that lie between them keep their scores."""
    corners = np.random.default_rng(0).uniform(0, 4000, (200, 2)).astype(np.float32)
    boxes = np.concatenate([corners, corners + 30], axis=1)
    boxes[::40, 2] = boxes[::40, 0]
    scores = np.linspace(1, 0.5, 200, dtype=np.float32)
    dets, indices = avo.cpu.soft_nms(boxes, scores, method=2)
    wanted, order = reference.soft_nms(boxes, scores, method=2)
    assert indices.tolist() == order.tolist()
    assert np.isnan(dets[:, 4]).sum() == 4
    np.testing.assert_array_equal(np.isnan(dets), np.isnan(wanted))


def plan_of(boxes, cores=48, ub_bytes=196608, method=1):
    from ascend_vision_ops import _native

    args = ((boxes, 4), "float32"), ((boxes,), "float32"), 0.3, 0.5, 1e-3, method, 0
    plan = _native.tiling.soft_nms_padded(*args, None, cores, ub_bytes)
    fields = {field["name"]: field["value"] for field in plan["fields"]}
    return SimpleNamespace(
        key=plan["tiling_key"], blocks=plan["block_dim"], workspace=plan["workspace"], **fields
    )


def test_tilings_cover_all_boxes():
    rng = random.Random(0)
    for _ in range(2000):
        boxes = int(2 ** rng.uniform(0, 24)) - 1
        cores, ub_bytes = rng.randint(1, 48), rng.choice([32768, 65536, 196608])
        plan = plan_of(boxes, cores, ub_bytes)
        assert plan.boxes == boxes
        assert plan.chunk % 64 == 0 and plan.chunk <= 255 * 64
        assert (plan.chunks - 1) * plan.chunk < max(boxes, 1) <= plan.chunks * plan.chunk
        assert 1 <= plan.blocks <= min(cores, plan.chunks)
        assert (plan.key == "streamed") == (plan.workspace > 0)
        assert plan.key == "streamed" or plan.chunks == 1
        assert plan.key != "pooled" or boxes > 64
        assert plan.workspace <= 48 * plan.chunks * plan.chunk


def heaps(count, heaps, size, rng):
    corner = rng.uniform(0, 2000, (heaps, 2))[rng.integers(0, heaps, count)] + rng.uniform(
        -20, 20, (count, 2)
    )
    boxes = np.concatenate([corner, corner + rng.uniform(60, size, corner.shape)], axis=1).astype(np.float32)
    return {"boxes": boxes, "scores": rng.random(count).astype(np.float32)}


@pytest.mark.parametrize("method", [0, 2])
def test_100000_boxes(method):
    """All cores have chunks of the table. A high min_score leaves about a dozen picks."""
    call = heaps(100_000, 8, 90, np.random.default_rng(method))
    call |= {"method": method, "iou_threshold": 0.05, "min_score": 0.999 if method else 0.5, "sigma": 0.1}
    figures = profiling.profile("soft_nms_padded", call)
    assert figures.cores == 48
    wanted, found = (face.soft_nms_padded(**call) for face in (avo.cpu, avo.aclnn))
    assert found[2].item() > 5
    np.testing.assert_array_equal(found[1], wanted[1])
    np.testing.assert_allclose(found[0], wanted[0], rtol=1e-5)


def test_1000_boxes_take_a_fraction_of_a_millisecond():
    figures = profiling.profile("soft_nms_padded", heaps(1000, 80, 90, np.random.default_rng(0)))
    assert figures.microseconds < 500


@pytest.mark.parametrize("face", [avo.cpu, avo.aclnn])
def test_a_sigma_that_is_0_in_float32_makes_scores_nan(face):
    """Weights are exp(-0 / 0) then. A NaN score is picked when it is the turn of its entry."""
    call = heaps(100, 5, 90, np.random.default_rng(0)) | {"method": 2, "sigma": 1e-50}
    wanted, found = reference.soft_nms_padded(**call), face.soft_nms_padded(**call)
    assert np.isnan(wanted[0][:, 4]).any()
    for one, other in zip(wanted, found, strict=True):
        np.testing.assert_array_equal(np.float32(one), np.float32(other))


@pytest.mark.parametrize("method", [0, 1, 2])
def test_pools_of_picks_equal_single_picks(method):
    """A box far away whose score is NaN changes no other score, but lets the kernel pick boxes one by one."""
    call = heaps(500, 25, 90, np.random.default_rng(method)) | {"method": method, "min_score": 0.01}
    assert plan_of(500, method=method).key == "pooled"
    found = avo.aclnn.soft_nms_padded(**call)
    wanted = avo.cpu.soft_nms_padded(**call)
    call["boxes"] = np.concatenate([call["boxes"], np.float32([[9000, 9000, 9010, 9010]])])
    call["scores"] = np.append(call["scores"], np.float32(np.nan))
    dets, indices, count = avo.aclnn.soft_nms_padded(**call)
    others = np.flatnonzero(indices[: count.item()] != 500)
    assert len(others) == found[2].item() < 500
    np.testing.assert_array_equal(found[1], wanted[1])
    np.testing.assert_array_equal(found[1][: len(others)], indices[others])
    np.testing.assert_array_equal(found[0][: len(others)], dets[others])


@pytest.mark.parametrize("rank", [0, 100, 250])
def test_entries_decide_between_equal_scores_of_a_pool(rank):
    """Boxes 0 and 1 move to other entries when the first boxes are picked, and then box 1 comes first."""
    call = heaps(300, 15, 90, np.random.default_rng(0)) | {"min_score": 0.01}
    call["boxes"][:2] += np.float32([[5000, 0] * 2, [0, 5000] * 2])
    call["scores"][:2] = np.sort(call["scores"])[::-1][rank : rank + 2].mean()
    wanted, found = (face.soft_nms_padded(**call) for face in (avo.cpu, avo.aclnn))
    order = wanted[1].tolist()
    assert order.index(1) < order.index(0)
    for one, other in zip(wanted, found, strict=True):
        np.testing.assert_array_equal(one, other)


@pytest.mark.parametrize("method", [1, 2])
@pytest.mark.parametrize("face", [reference, avo.cpu, avo.aclnn])
def test_agrees_with_opencv(face, method):
    """OpenCV keeps boxes in a heap. Without equal scores, on whole corners, the results are the same."""
    cv2 = pytest.importorskip("cv2")
    call = heaps(200, 20, 90, np.random.default_rng(method))
    corners = call["boxes"] = np.round(call["boxes"])
    rows = np.concatenate([corners[:, :2], corners[:, 2:] - corners[:, :2]], axis=1).astype(int)
    scores, indices = cv2.dnn.softNMSBoxes(rows, call["scores"], 0.01, 0.3001, 0, 0.5, method)
    dets, found = face.soft_nms(**call, iou_threshold=0.3001, min_score=0.01, method=method)
    assert found.tolist() == indices.ravel().tolist()
    np.testing.assert_allclose(dets[:, 4], scores, rtol=1e-5)


def test_differs_from_opencv():
    """OpenCV does not decay where the IoU equals the threshold, and picks no first box below min_score."""
    cv2 = pytest.importorskip("cv2")
    boxes, scores = np.array([[0, 0, 10, 10], [0, 0, 10, 5]], np.float32), np.array([0.9, 0.8], np.float32)
    theirs, _ = cv2.dnn.softNMSBoxes([[0, 0, 10, 10], [0, 0, 10, 5]], scores, 0.01, 0.5, 0, 0.5, 1)
    ours, _ = reference.soft_nms(boxes, scores, iou_threshold=0.5)
    np.testing.assert_allclose(theirs, [0.9, 0.8])
    np.testing.assert_allclose(ours[:, 4], [0.9, 0.4])
    theirs, _ = cv2.dnn.softNMSBoxes([[0, 0, 10, 10], [0, 0, 10, 5]], scores, 0.95, 0.5, 0, 0.5, 1)
    ours, _ = reference.soft_nms(boxes, scores, iou_threshold=0.5, min_score=0.95)
    assert len(theirs) == 0
    np.testing.assert_allclose(ours[:, 4], [0.9])
