# SPDX-License-Identifier: Apache-2.0
"""RoIAlign: published numbers, what others do differently, and what tests of all tilings do not know of its own."""

import random
from types import SimpleNamespace

import numpy as np
import pytest

import ascend_vision_ops as avo

ITEM = {"float32": 4, "float16": 2, "bfloat16": 2}
FACES = [avo.reference, avo.cpu, avo.aclnn]
faces = pytest.mark.parametrize("face", FACES, ids=["reference", "cpu", "aclnn"])


def array(*values):
    return np.array(values, np.float32)


# --- published numbers: mmcv's tests of RoIAlign: maps, region, mean, and the gradient of its sum

ONE = array(0, 0, 0, 1, 1)[None]
PUBLISHED = [
    ([[1, 2], [3, 4]], [[1.0, 1.25], [1.5, 1.75]], [[3.0625, 0.4375], [0.4375, 0.0625]]),
    ([[4, 3], [2, 1]], [[4.0, 3.75], [3.5, 3.25]], [[3.0625, 0.4375], [0.4375, 0.0625]]),
]


@faces
@pytest.mark.parametrize(("values", "mean", "gradient"), PUBLISHED)
def test_published_numbers(face, values, mean, gradient):
    maps = array(values)[None]
    call = {"output_height": 2, "output_width": 2, "sampling_ratio": 2}
    np.testing.assert_allclose(face.roi_align(maps, ONE, **call)[0, 0], mean, atol=1e-6)
    ones = np.ones((1, 1, 2, 2), np.float32)
    np.testing.assert_allclose(
        face.roi_align_backward(ones, ONE, [1, 1, 2, 2], **call)[0, 0], gradient, atol=1e-6
    )


@faces
def test_published_numbers_of_cann(face):
    """The example of aclnnRoiAlignV2's documentation."""
    maps = np.arange(1, 37, dtype=np.float32).reshape(1, 1, 6, 6)
    out = face.roi_align(maps, array(0, -2, -2, 22, 22)[None], 3, 3, 0.25, 2, aligned=False)
    np.testing.assert_allclose(
        out[0, 0], array([4.5, 6.5, 8.5], [16.5, 18.5, 20.5], [28.5, 30.5, 32.5]), atol=1e-5
    )


# --- where others differ


@faces
def test_maximum_of_large_negative_values(face):
    """mmcv's CPU kernel starts from -10000."""
    maps = np.full((1, 1, 4, 4), -20000, np.float32)
    assert (face.roi_align(maps, array(0, 1, 1, 3, 3)[None], 2, 2, mode="max") == -20000).all()


@faces
def test_region_of_negative_size(face):
    """mmcv asserts; torchvision pools backwards."""
    maps = np.ones((1, 1, 8, 8), np.float32)
    for ratio in (0, 2):
        assert (face.roi_align(maps, array(0, 5, 5, 2, 3)[None], 2, 2, sampling_ratio=ratio) == 0).all()


@pytest.mark.parametrize("face", [avo.reference, avo.cpu], ids=["reference", "cpu"])
@pytest.mark.parametrize("index", [-1, 2, np.nan, 1e9])
def test_region_of_no_map_is_an_error(face, index):
    """torchvision reads whatever lies there."""
    maps = np.ones((2, 1, 8, 8), np.float32)
    with pytest.raises(ValueError, match="rois"):
        face.roi_align(maps, array(index, 1, 1, 3, 3)[None], 2, 2)


@pytest.mark.parametrize("index", [-1, 2, np.nan, 1e9])
def test_region_of_no_map_is_zero_on_devices(index):
    maps = np.ones((2, 1, 8, 8), np.float32)
    rois = array([index, 1, 1, 3, 3], [1, 1, 1, 3, 3])
    out = avo.aclnn.roi_align(maps, rois, 2, 2)
    assert (out[0] == 0).all()
    assert (out[1] == 1).all()


@faces
def test_maximum_of_onnx_is_of_weighted_elements(face):
    maps = array([[0, 0], [0, 4]])[None]
    region = array(0, 0, 0, 2, 2)[None]
    call = {"output_height": 1, "output_width": 1, "sampling_ratio": 1}
    assert face.roi_align(maps, region, mode="max", **call).item() == 1.0
    assert face.roi_align(maps, region, mode="onnx_max", **call).item() == 1.0
    maps[...] = 4
    assert face.roi_align(maps, region, mode="max", **call).item() == 4.0
    assert face.roi_align(maps, region, mode="onnx_max", **call).item() == 1.0


# Samples lie at x = 3 and x = 4, so that the first one reads column 4 with weight 0.
ON_COLUMNS = {"rois": array(0, 2.5, 1, 4.5, 3)[None], "output_height": 1, "output_width": 1}


@faces
@pytest.mark.parametrize("column", [3, 4, 5, 6])
def test_infinity_that_a_sample_reads_with_weight_0(face, column):
    """The mean is NaN, although the weights of all samples together are positive in column 4."""
    maps = np.ones((1, 1, 8, 8), np.float32)
    maps[0, 0, 2, column] = np.inf
    out = face.roi_align(maps, **ON_COLUMNS, sampling_ratio=2, aligned=False).item()
    assert {3: out == np.inf, 4: np.isnan(out), 5: np.isnan(out), 6: out == 1}[column], out


@faces
def test_infinite_gradient_that_goes_to_a_column_with_weight_0(face):
    grads = np.full((1, 1, 1, 1), np.inf, np.float32)
    out = face.roi_align_backward(
        grads, input_size=[1, 1, 8, 8], **ON_COLUMNS, sampling_ratio=2, aligned=False
    )[0, 0, 2]
    np.testing.assert_array_equal(out, array(0, 0, 0, np.inf, np.nan, np.nan, 0, 0))


@pytest.mark.parametrize("ratio", [0, 2])
def test_infinities_between_samples(ratio):
    """No sample lies on a pixel, so that sums of rows and columns have the infinities of the definition."""
    rng = np.random.default_rng(0)
    rois = np.concatenate([rng.integers(0, 2, (9, 1)), rng.uniform(1.1, 9.9, (9, 4))], axis=1)
    rois[:, 3:] += rois[:, 1:3]
    call = {"rois": rois.astype(np.float32), "output_height": 5, "output_width": 3, "sampling_ratio": ratio}
    maps = rng.standard_normal((2, 20, 24, 32)).astype(np.float32)
    maps[rng.random(maps.shape) < 0.01] = np.inf
    maps[rng.random(maps.shape) < 0.01] = -np.inf
    expected = avo.reference.roi_align(maps, **call)
    assert 0.1 < np.isfinite(expected).mean() < 0.9
    np.testing.assert_allclose(avo.aclnn.roi_align(maps, **call), expected, atol=1e-5)
    grads = rng.standard_normal((9, 20, 5, 3)).astype(np.float32)
    grads[rng.random(grads.shape) < 0.1] = np.inf
    call["input_size"] = list(maps.shape)
    expected = avo.reference.roi_align_backward(grads, **call)
    assert 0.1 < np.isfinite(expected).mean() < 0.97
    np.testing.assert_allclose(avo.aclnn.roi_align_backward(grads, **call), expected, atol=2e-5)


@pytest.mark.parametrize("dtype", ITEM)
@pytest.mark.parametrize("bins", [(7, 7), (1, 1), (3, 128), (3, 129), (40, 2)])
@pytest.mark.parametrize("width", [3.0, 40.0, 150.0])
def test_means_in_pieces_of_columns_and_rows(dtype, bins, width):
    """Regions with more columns than there is room for, and with several bins to a pixel."""
    import ml_dtypes

    dtype = getattr(ml_dtypes, dtype, None) or np.dtype(dtype)
    rng = np.random.default_rng(0)
    maps = rng.standard_normal((1, 200, 20, 160)).astype(dtype)
    rois = array([0, 2.3, 1.1, 2.3 + width, 17.2], [0, 150, 12, 150 + width, 30]).astype(dtype)
    for ratio in (0, 2):
        out, expected = (
            f.roi_align(maps, rois, *bins, sampling_ratio=ratio) for f in (avo.aclnn, avo.reference)
        )
        bound = 1e-5 if dtype == np.float32 else 2**-7
        np.testing.assert_allclose(out.astype(float), expected.astype(float), atol=bound)


@pytest.mark.parametrize("dtype", ITEM)
@pytest.mark.parametrize("large", [[], [63], [5, 20], list(range(0, 64, 2)), list(range(64))])
@pytest.mark.parametrize("soc", ["Ascend910B1", "Ascend910B3", "Ascend910B4"])
def test_few_regions_of_different_sizes(soc, large, dtype):
    """Whole regions for each core are right, and so are equal shares, which cores take where one is too large."""
    import ml_dtypes

    from ascend_vision_ops import _native

    dtype = getattr(ml_dtypes, dtype, None) or np.dtype(dtype)
    rois = np.tile(array(0, 3.25, 4.5, 5.75, 6.5), (64, 1))
    rois[:, 0] = np.arange(64) % 2
    rois[large, 3:] = 60, 58
    maps = np.random.default_rng(0).standard_normal((2, 37, 63, 61)).astype(dtype)
    call = {"output_height": 5, "output_width": 4, "sampling_ratio": 4}
    _native.sim.set_soc(soc)
    try:
        out = avo.aclnn.roi_align(maps, rois.astype(dtype), **call)
    finally:
        _native.sim.set_soc("Ascend910B1")
    expected = avo.reference.roi_align(maps, rois.astype(dtype), **call)
    bound = 1e-5 if dtype == np.float32 else 2**-7
    np.testing.assert_allclose(out.astype(float), expected.astype(float), atol=bound)


# --- tilings


def plan_of(maps, rois, bins, dtype, cores, ub_bytes, backward, mode, ratio=0):
    from ascend_vision_ops import _native

    device, attributes = (None, cores, ub_bytes), (0.25, ratio)
    region = ((rois, 5), dtype)
    if backward:
        grads = ((rois, maps[1], *bins), dtype)
        given = None if mode == "avg" else (maps, dtype)
        plan = _native.tiling.roi_align_backward(
            grads, region, list(maps), *bins, *attributes, True, mode, given, *device
        )
    else:
        plan = _native.tiling.roi_align((maps, dtype), region, *bins, *attributes, mode, True, *device)
    fields = {field["name"]: field["value"] for field in plan["fields"]}
    return SimpleNamespace(
        blocks=plan["block_dim"], space=plan["workspace"], tiling_key=plan["tiling_key"], **fields
    )


def up(value, step):
    return -(-value // step) * step


def channels_last_bytes(maps, item, plan, prefix, taps):
    """Checks the tiles of a channels-last copy: they move whole rows where they move several, or runs of pixels.

    Returns its bytes.
    """
    channels, rows, columns, pitch = (
        getattr(plan, prefix + name) for name in ("Channels", "Rows", "Columns", "Pitch")
    )
    assert channels % 16 == 0
    assert pitch >= up(max(rows, 1) * columns, 32 // item)
    assert pitch * item % 64 == 32, "the pitch is not an odd number of data blocks"
    assert rows <= 1 or columns == maps[3]
    assert 1 <= columns <= maps[3] * (maps[2] if rows == 0 else 1)
    return maps[0] * (maps[2] + 2 * taps - 1) * (maps[3] + taps - 1) * up(maps[1], 16) * item


def test_means_of_detectors_are_sums_of_rows():
    for dtype in ITEM:
        plan = plan_of((1, 256, 200, 304), 1000, (7, 7), dtype, 48, 196608, False, "avg")
        assert (plan.tiling_key, plan.sumRows, plan.sumChunk) == ("sums", 7, 256)


@pytest.mark.parametrize(
    ("maps", "dtype", "rows", "columns"),
    [
        ((2, 127, 63, 63), "float16", 0, 83),
        ((2, 128, 32, 32), "float32", 0, 32),
        ((3, 127, 31, 31), "float32", 0, 41),
        ((2, 256, 64, 64), "float16", 2, 64),
        ((4, 251, 63, 65), "float32", 1, 65),
    ],
)
def test_tiles_of_small_maps_keep_all_cores_busy(maps, dtype, rows, columns):
    """Each of 48 cores gets two runs of 83 of 3969 pixels of two images, in place of two or three of their 63 rows.

    Larger maps are copied in whole rows, as are those whose rows begin at sectors of the L2 where runs would not.
    """
    plan = plan_of(maps, 64, (7, 7), dtype, 48, 196608, False, "avg")
    assert (plan.tileRows, plan.tileColumns) == (rows, columns)


@pytest.mark.parametrize("cores", [20, 24, 40, 48, 50])
@pytest.mark.parametrize("rois", [1, 19, 24, 29, 30, 48, 50, 60, 64, 65, 1000])
def test_cores_may_get_whole_regions(cores, rois):
    """There is one for each core, others for a quarter of the cores, and no more than one tile of regions."""
    for ratio, mode in ((2, "avg"), (1, "avg"), (0, "avg"), (2, "max")):
        plan = plan_of((2, 127, 63, 63), rois, (4, 4), "float16", cores, 196608, False, mode, ratio)
        left = rois % cores
        few = cores <= rois <= 64
        assert plan.whole == (ratio > 0 and mode == "avg" and few and left >= cores / 4)


def test_bands_of_gradients_have_several_rows():
    for dtype, rows in (("float32", 5), ("float16", 2)):
        plan = plan_of((1, 256, 200, 304), 512, (7, 7), dtype, 48, 196608, True, "avg")
        assert rows <= plan.bandRows <= 8


def check(maps, rois, bins, dtype, cores, ub_bytes, backward=False, mode="avg"):
    plan, item = plan_of(maps, rois, bins, dtype, cores, ub_bytes, backward, mode), ITEM[dtype]
    assert plan.blocks <= cores
    assert plan.pixel == up(maps[1], 16)
    assert plan.located % 64 == 0
    assert plan.chunk % 16 == 0
    assert plan.chunk * 2 * 4 // 32 <= 255, "two pixels are further apart than a repeat stride allows"
    images = channels_last_bytes(maps, item, plan, "tile", 2)
    if backward:
        grads = (rois, maps[1], *bins)
        assert plan.grads >= (0 if mode == "avg" else images)
        assert plan.costs - plan.grads >= channels_last_bytes(grads, item, plan, "gradTile", 1)
        slots = up(plan.bandRows * plan.bandColumns, 16)
        assert plan.bandPitch >= slots
        assert plan.bandColumns == maps[3] or plan.bandColumns % 16 == 0
        assert plan.bandRows <= (8 if mode == "avg" else maps[2])
    else:
        slots = up(plan.outBins, 16)
        assert plan.costs >= images
        assert plan.batch % 8 == 0
        assert plan.batch <= plan.located
        assert plan.outPitch >= slots
        assert plan.space >= plan.costs + 4 * rois + 32 * cores
        if plan.tiling_key == "sums":
            assert mode == "avg"
            assert 1 <= plan.sumSlots <= 32
            assert plan.sumBin >= plan.sumChunk
            assert plan.sumChunk % 16 == 0
            assert plan.sumPitch >= up(plan.sumRows * bins[1], 16)
            assert 1 <= plan.sumRows <= min(bins[0], 8)


@pytest.mark.parametrize("backward", [False, True])
@pytest.mark.parametrize("mode", ["avg", "max"])
def test_shapes(backward, mode):
    for dtype in ITEM:
        check((1, 256, 200, 304), 1000, (7, 7), dtype, 48, 196608, backward, mode)
        check((2, 3, 1, 1), 1, (1, 1), dtype, 48, 196608, backward, mode)
        check((1, 4096, 13, 13), 8, (14, 14), dtype, 40, 196608, backward, mode)
        check((1, 1, 3, 2_000_000), 2, (2, 900), dtype, 48, 196608, backward, mode)
        check((8, 64, 800, 1333), 100_000, (7, 7), dtype, 48, 196608, backward, mode)


@pytest.mark.parametrize("backward", [False, True])
def test_random_shapes_cores_and_unified_buffers(backward):
    rng = random.Random(0)
    for _ in range(300):
        maps = (rng.randint(1, 4), rng.randint(1, 600), rng.randint(1, 300), rng.randint(1, 300))
        bins = (rng.randint(1, 20), rng.randint(1, 20))
        ub_bytes = rng.choice([65536, 98304, 196608, 262144])
        mode = rng.choice(["avg", "max", "onnx_max"])
        check(
            maps,
            rng.randint(1, 3000),
            bins,
            rng.choice(list(ITEM)),
            rng.randint(1, 48),
            ub_bytes,
            backward,
            mode,
        )
