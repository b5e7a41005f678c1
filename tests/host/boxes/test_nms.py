# SPDX-License-Identifier: Apache-2.0
"""Non-maximum suppression: fields of tilings, orders and sizes that the cases do not reach, and published examples."""

import random
from types import SimpleNamespace

import numpy as np
import pytest

import ascend_vision_ops as avo
from ascend_vision_ops import reference
from ascend_vision_ops.testing import cases_module

BOXES = cases_module("_boxes")
DTYPES = ("float32", "float16", "bfloat16")
LANES = 64  # boxes of a word


def plan_of(count, dtype="float32", outputs=-1, cores=48, ub_bytes=196608, has_classes=False, threshold=0.5):
    from ascend_vision_ops import _native

    idxs = ((count,), "int64") if has_classes else None
    plan = _native.tiling.nms_padded(
        ((count, 4), dtype), ((count,), dtype), threshold, outputs, 0, 0.0, -1, idxs, None, cores, ub_bytes
    )
    fields = {field["name"]: field["value"] for field in plan["fields"]}
    return SimpleNamespace(
        key=plan["tiling_key"], blocks=plan["block_dim"], workspace=plan["workspace"], **fields
    )


def check(count, dtype, outputs, cores, ub_bytes, has_classes):
    """What instructions of the kernel ask of the fields of a tiling, and pieces of its workspace."""
    plan = plan_of(count, dtype, outputs, cores, ub_bytes, has_classes)
    planes = 8 if has_classes else 6
    assert plan.key == ("classes" if has_classes else "one_class")
    assert 1 <= plan.blocks <= cores
    # Chunks cover the scores. Sort takes 255 groups of 32 at most, MrgSort lists of 4095 at most, Compare whole
    # repeats.
    assert plan.chunks == (-(-count // plan.chunk) if count else 0)
    assert plan.chunk % 64 == 0
    assert plan.chunk <= min(255 * 32, 2 * 4095)
    assert plan.chunks <= 1 or 8 <= plan.window <= 4095
    # A repeat of Brcb and of GatherMask takes eight rows. A band has whole words, and one row of its words fits a tile.
    assert plan.tile % 8 == 0
    assert plan.tile > 0
    assert plan.rows % 8 == 0
    assert 8 <= plan.rows <= 255
    assert plan.band % LANES == 0 == plan.lanes % LANES
    assert plan.band * 8 <= plan.rows * LANES * 4
    # Bands of the second round start where those of the first round end.
    assert plan.best == count or (plan.best % plan.band == 0 and plan.most < plan.best < count)
    # The pieces of the workspace do not overlap, and hold what is stored there.
    pieces = [
        (plan.runs, 2 * plan.chunks * plan.chunk * 8),
        (plan.merged, 2 * count * 8),
        (plan.lengths, 2 * plan.chunks * 4),
        (plan.sorted, planes * plan.pitch * 4),
        (plan.kept, planes * plan.keptPitch * 4),
        (plan.masks, plan.blocks * plan.band // 8),
        (plan.words, plan.band // LANES * plan.band * 8),
        (plan.state, 32),
    ]
    if plan.strip:
        check_strips(plan, count, plan.blocks)
        strips, sides = -(-plan.stage // plan.strip), 2
        if plan.stage < count:
            strips, sides = max(strips, 8), 5
        pieces.append((plan.guesses, sides * strips * (-(-plan.stage // 256) * 32)))
    for (start, size), end in zip(pieces, [start for start, _ in pieces[1:]] + [plan.workspace], strict=True):
        assert start % 512 == 0
        assert start + size <= end
    assert plan.pitch >= count
    assert plan.keptPitch >= count + (LANES - 1) * -(-count // plan.band)


def check_strips(plan, count, cores):
    """What strips ask of a tiling: pieces that are enough for the cores, whole words, and a sort of one last merge."""
    whole = -(-plan.stage // LANES) * LANES
    assert plan.strip % LANES == 0 == plan.stripRoom % LANES
    assert plan.strip <= plan.stripRoom
    assert plan.share % 16 == 0
    assert sum(-(-(whole - first) // plan.share) for first in range(0, whole, plan.strip)) <= cores
    # A second stage has as many boxes at most, and compares all of them with all boxes of the first one.
    assert plan.stage == count or (plan.stage % 256 == 0 and plan.stage < count <= 2 * plan.stage)
    if plan.stage < count:
        strips = -(-plan.stage // plan.stripRoom)
        assert -(-plan.stage // (cores // strips)) <= plan.share
    # A repeat of Brcb takes eight rows; an instruction has 255 repeats at most.
    assert plan.stripRows % 8 == 0
    assert 8 <= plan.stripRows <= 255
    assert 2 * -(-plan.share // LANES) * (plan.stripRoom // LANES) * LANES * 4 <= 192 * 1024
    # All pairs lie in UB, each list from a data block on.
    assert 4 * plan.window >= count + 16 * 3
    assert plan.chunks <= 16


def test_some_thousand_boxes_are_decided_at_once():
    assert all(plan_of(count).strip for count in (1, 64, 1000, 4096))
    assert not plan_of(4097).strip
    assert not plan_of(4096, cores=1).strip  # the words of all pairs do not fit one core


def test_tiles_of_strips_are_larger_than_half_a_bank():
    """Two tiles share a bank of 64 KB and what is left of the next one: each instruction then has more rows."""
    half_bank = 64 * 1024 // 2 // (LANES * 4)
    assert all(plan_of(count).stripRows > half_bank for count in (2047, 4096))


def test_tilings_suit_the_instructions():
    rng = random.Random(0)
    for _ in range(600):
        count = rng.choice([0, 1, int(2 ** rng.uniform(0, 21))])
        outputs = rng.choice([-1, 0, 5, count])
        check(
            count,
            rng.choice(DTYPES),
            outputs,
            rng.randint(1, 48),
            rng.choice([98304, 196608, 253952]),
            rng.random() < 0.5,
        )


def test_all_cores_work():
    assert plan_of(100_000).blocks == 48
    assert 40 <= plan_of(1000).blocks <= 48  # each strip has whole pieces, and fewer cores start earlier
    assert plan_of(60).blocks == 4  # a piece has 16 rows


def test_workspace_grows_with_boxes_alone():
    """Nothing in it has the size of all pairs of boxes."""
    assert plan_of(1_000_000).workspace < 11 * plan_of(100_000).workspace


# --- order and size


@pytest.mark.parametrize("dtype", ["float32", "float16"])
@pytest.mark.parametrize("count", [2500, 9000])
def test_order_is_that_of_torch(dtype, count):
    """Nothing is suppressed, so the indices are those of a stable descending sort.

    Scores are equal, NaN, infinite and zeros of both signs, over several runs of a merge.
    """
    import torch

    rng = np.random.default_rng(count)
    with np.errstate(over="ignore"):
        scores = rng.choice(
            [np.nan, np.inf, -np.inf, 0.0, -0.0, 3e38, *rng.standard_normal(9)], count
        ).astype(dtype)
    wanted = torch.from_numpy(scores).sort(descending=True, stable=True).indices.numpy()
    boxes = np.full((count, 4), np.nan, dtype)
    indices, kept = avo.aclnn.nms_padded(boxes, scores, 0.5, 1500)
    assert kept == 1500
    np.testing.assert_array_equal(indices, wanted[:1500])
    indices, _ = avo.cpu.nms_padded(boxes, scores, 0.5)
    np.testing.assert_array_equal(indices, wanted)


def test_hundred_thousand_boxes():
    rng = np.random.default_rng(0)
    middle = rng.uniform(0, 400, (80, 2))[rng.integers(0, 80, 100_000)] + rng.normal(0, 2, (100_000, 2))
    boxes = np.concatenate([middle - 20, middle + 20], 1).astype(np.float32)
    scores = rng.random(100_000).astype(np.float32)
    wanted, count = reference.nms_padded(boxes, scores, 0.5, 500)
    for face in (avo.cpu, avo.aclnn):
        indices, kept = face.nms_padded(boxes, scores, 0.5, 500)
        assert kept == count
        np.testing.assert_array_equal(indices, wanted)


@pytest.mark.parametrize("passing", [0, 2047, 2048, 2049, 9000], ids=lambda passing: f"{passing} scores pass")
@pytest.mark.parametrize("values", ["apart", "clustered"])
def test_first_round_decides_the_best_boxes(values, passing):
    """Boxes apart fill the result in the first round. Of clustered boxes it keeps too few, and a second round follows,
    if other boxes are left. Half of the scores are NaN or equal.
    """
    count, outputs = 9000, 500
    assert plan_of(count, outputs=outputs).best == 2048
    rng = np.random.default_rng(passing)
    boxes = getattr(BOXES, values)(rng, (count, 4)).astype(np.float32)
    scores = np.where(np.arange(count) < passing, 0.75, 0.25).astype(np.float32)
    scores[: passing // 2] = rng.uniform(0.6, 0.9, passing // 2)
    rng.shuffle(scores)
    for filters in ({"score_threshold": 0.5}, {}):
        if not filters:
            scores[scores == 0.25] = np.nan
        wanted, kept = reference.nms_padded(boxes, scores, 0.3, outputs, **filters)
        indices, found = avo.aclnn.nms_padded(boxes, scores, 0.3, outputs, **filters)
        assert found == kept
        np.testing.assert_array_equal(indices, wanted)
        if values == "apart":
            assert kept == min(outputs, passing if filters else count)


@pytest.mark.parametrize("boxes", [3000, 5000])
def test_every_box_kept(boxes):
    rng = np.random.default_rng(1)
    scores = rng.random(boxes).astype(np.float32)
    indices, count = avo.aclnn.nms_padded(BOXES.apart(rng, (boxes, 4)).astype(np.float32), scores, 0.5)
    assert count == boxes
    np.testing.assert_array_equal(indices, np.argsort(-scores, kind="stable"))


@pytest.mark.parametrize("length", [5, 16, 17, 18, 40, 700])
def test_chains(length):
    """Each box overlaps the next one of its chain alone, so every second one is kept. A guess decides one box of a
    chain at a time: chains of more than 16 boxes take more steps than there are, and bands decide them.
    """
    rng = np.random.default_rng(length)
    chains = 1400 // length
    x, y = np.meshgrid(np.arange(length), np.arange(chains))
    boxes = np.stack([x, 2 * y, x + 1.6, 2 * y + 1], -1).reshape(-1, 4).astype(np.float32)
    scores = (1 - (x + 0.5 * rng.random(x.shape)) / (length + 1)).reshape(-1).astype(np.float32)
    shuffle = rng.permutation(len(boxes))
    boxes, scores = boxes[shuffle], scores[shuffle]
    wanted, kept = reference.nms_padded(boxes, scores, 0.2)
    assert kept == chains * -(-length // 2)
    for classes in (None, np.zeros(len(boxes), np.int64)):
        indices, count = avo.aclnn.nms_padded(boxes, scores, 0.2, idxs=classes)
        assert count == kept
        np.testing.assert_array_equal(indices, wanted)


@pytest.mark.parametrize("dtype", DTYPES[:2])
@pytest.mark.parametrize("count", [1, 63, 65, 129, 1000, 1025, 2049, 3073, 4095])
def test_boxes_that_are_decided_at_once(count, dtype):
    """Sizes around those of words, strips and sorted lists; a tenth of the scores is NaN, and many are equal."""
    rng = np.random.default_rng(count)
    boxes = BOXES.clustered(rng, (count, 4)).astype(dtype)
    scores = np.where(rng.random(count) < 0.1, np.nan, rng.integers(0, 300, count) / 300).astype(dtype)
    idxs = rng.integers(-1, 2, count) << 33
    assert plan_of(count, dtype).strip
    for options in ({}, {"offset": 1}, {"max_num": 7}, {"idxs": idxs}, {"score_threshold": 0.5}):
        wanted, kept = reference.nms_padded(boxes, scores, 0.4, **options)
        indices, found = avo.aclnn.nms_padded(boxes, scores, 0.4, **options)
        assert found == kept
        np.testing.assert_array_equal(indices, wanted)


@pytest.mark.parametrize("values", ["clustered", "degenerate", "at_octaves", "infinitesimal", "scattered"])
@pytest.mark.parametrize("count", [2561, 3001, 4096])
def test_two_stages(count, values):
    """More than 2560 boxes are decided in two stages. Thresholds are powers of two, which need no quotient, or others;
    some overlaps are equal to them, some areas are negative, and some products overflow or are rounded to few digits.
    """
    assert plan_of(count).stage < count
    assert plan_of(2560).stage == 2560
    rng = np.random.default_rng(count)
    with np.errstate(over="ignore"):
        boxes = getattr(BOXES, values)(rng, (count, 4)).astype(np.float32)
    scores = np.where(rng.random(count) < 0.1, np.nan, rng.integers(0, 900, count) / 900).astype(np.float32)
    idxs = rng.integers(-1, 2, count) << 33
    for threshold, options in (
        (0.5, {}),
        (0.25, {"offset": 1, "idxs": idxs}),
        (0.7, {"max_num": count // 3}),
        (0.0, {"score_threshold": 0.1}),
    ):
        wanted, kept = reference.nms_padded(boxes, scores, threshold, **options)
        indices, found = avo.aclnn.nms_padded(boxes, scores, threshold, **options)
        assert found == kept
        np.testing.assert_array_equal(indices, wanted)


@pytest.mark.parametrize(
    "threshold", [0.5, 0.25, 2**-10, 0.75, 1.0, 2.0, 0.0, -0.5, np.nextafter(np.float32(0.5), 1)]
)
def test_thresholds_that_need_no_quotient(threshold):
    exact = 0 < threshold <= 0.5 and np.log2(threshold).is_integer()
    assert plan_of(100, threshold=float(threshold)).ratio == (1 / threshold if exact else 0)


def test_classes_suppress_apart():
    """A class keeps the boxes that it keeps alone, with float16 corners near the largest float16."""
    rng = np.random.default_rng(2)
    boxes = (BOXES.clustered(rng, (300, 4)) + 32000).astype(np.float16)
    scores, idxs = rng.random(300).astype(np.float16), BOXES.classes(rng, (300,))
    for face in (reference, avo.cpu, avo.aclnn):
        indices, count = face.nms_padded(boxes, scores, 0.5, idxs=idxs)
        kept = indices[: count[0]]
        for each in np.unique(idxs):
            own = np.flatnonzero(idxs == each)
            alone, n = face.nms_padded(boxes[own], scores[own], 0.5)
            np.testing.assert_array_equal(kept[idxs[kept] == each], own[alone[: n[0]]])


# --- others


def kept_by(face, boxes, scores, threshold, **attributes):
    boxes, scores = np.array(boxes, np.float32), np.array(scores, np.float32)
    indices, count = face.nms_padded(boxes, scores, threshold, **attributes)
    return indices[: count[0]].tolist()


FACES = pytest.mark.parametrize("face", [reference, avo.cpu, avo.aclnn], ids=["reference", "cpu", "aclnn"])


@FACES
def test_example_of_mmcv(face):
    """The boxes, scores and result in tests/test_ops/test_nms.py of mmcv 2.x."""
    boxes = [[6, 3, 8, 7], [3, 6, 9, 11], [3, 7, 10, 12], [1, 4, 13, 7]]
    assert kept_by(face, boxes, [0.6, 0.9, 0.7, 0.2], 0.3) == [1, 0, 3]


@FACES
def test_example_in_the_docstring_of_mmcv(face):
    boxes = np.array(
        [
            [49.1, 32.4, 51.0, 35.9],
            [49.3, 32.9, 51.0, 35.3],
            [49.2, 31.8, 51.0, 35.4],
            [35.1, 11.5, 39.1, 15.7],
            [35.6, 11.8, 39.3, 14.2],
            [35.3, 11.5, 39.9, 14.5],
            [35.2, 11.7, 39.7, 15.7],
        ],
        np.float32,
    )
    scores = np.array([0.9, 0.9, 0.5, 0.5, 0.5, 0.4, 0.3], np.float32)
    dets, indices = face.nms(boxes, scores, 0.6)
    assert len(dets) == len(indices) == 3
    np.testing.assert_array_equal(dets, np.column_stack([boxes, scores])[indices])
    with pytest.raises(TypeError):
        face.nms(boxes, scores, 0.6, 0)


@FACES
def test_overlap_equal_to_the_threshold_keeps(face):
    """The IoU is 1/2, as the threshold is. mmcv 1.x for ONNX Runtime suppresses where IoU >= threshold."""
    assert kept_by(face, [[0, 0, 4, 2], [0, 0, 2, 2]], [1, 0.5], 0.5) == [0, 1]


@FACES
def test_threshold_in_float32(face):
    """The IoU 3/10 in float32 is above 0.3 in float64, so torchvision suppresses; it is not above 0.3 in float32."""
    assert np.float64(np.float32(3) / np.float32(10)) > 0.3
    assert kept_by(face, [[0, 0, 10, 1], [0, 0, 3, 1]], [1, 0.5], 0.3) == [0, 1]


@FACES
def test_classes_are_not_moved_apart(face):
    """torchvision moves classes apart, which rounds large corners: an IoU of 12/20 becomes 0 or 1."""
    big = 2.0**25
    boxes = np.array([[0, 0, 4, 4], [0, 0, 4, 4], [1, 0, 5, 4], [big, 0, big + 4, 4]], np.float32)
    idxs = np.array([0, 1, 1, 0])
    moved = boxes + (idxs * (boxes.max() + 1))[:, None].astype(np.float32)
    kept = [len(kept_by(reference, moved, [4, 3, 2, 1], threshold)) for threshold in (0.5, 0.7)]
    assert kept[0] == kept[1]
    assert kept_by(face, boxes, [4, 3, 2, 1], 0.5, idxs=idxs) == [0, 1, 3]
    assert kept_by(face, boxes, [4, 3, 2, 1], 0.7, idxs=idxs) == [0, 1, 2, 3]


@FACES
def test_reversed_corners(face):
    """ONNX Runtime takes two corners in any order. Here, as in torchvision, a reversed box has a negative width."""
    import torch

    boxes = [[0, 0, 4, 4], [4, 4, 0, 0]]
    assert cases_module("_suppression").kept_by_onnx_runtime(torch.tensor(boxes), 0.5).tolist() == [0]
    assert kept_by(face, boxes, [1, 0.5], 0.5) == [0, 1]
