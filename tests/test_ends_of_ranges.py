# SPDX-License-Identifier: Apache-2.0
"""Kernels at the ends of what their numbers hold: signs of zeros, places, indices."""

from __future__ import annotations

import numpy as np
import pytest

import ascend_vision_ops as avo
from ascend_vision_ops.testing.run import missing

pytestmark = pytest.mark.skipif(bool(missing("aclnn")), reason="the simulated device is not built")


def test_a_region_without_samples_is_positive_zero_behind_any_other():
    """Every second region is empty: its end is before its begin. Means before it are negative."""
    images = -np.ones((1, 16, 20, 20), "float32")
    rois = np.array([[0, 2, 2, 15, 15], [0, 10, 10, 5, 5]] * 40, "float32")
    means = avo.aclnn.roi_align(images, rois, 7, 7, 1.0, 2)
    assert (means[::2] == -1).all()
    assert (means[1::2] == 0).all() and not np.signbit(means[1::2]).any()


MOST = 2**24  # whole numbers up to this one are exact in float32
# Rows and columns of the image, kernel, stride, padding, dilation. Each window has a tap in the image.
EXACT = [
    ((5, 5), [3, 3], [1, 1], [MOST // 2, MOST // 2 - 1], [MOST // 2, MOST // 2 - 1]),
    ((2, 1), [1, 1], [1, MOST // 2], [0, MOST // 2], [1, 1]),
    ((40, 1), [1, 1], [1, MOST // 2 - 1], [0, MOST // 2 - 1], [1, 1]),
    ((1, 1), [1, 1], [2**40, 2**40], [0, 0], [1, 1]),
]


def deform_arguments(size, kernel, stride, padding, dilation):
    rng = np.random.default_rng(0)
    taps = kernel[0] * kernel[1]
    places = [
        (size[i] + 2 * padding[i] - dilation[i] * (kernel[i] - 1) - 1) // stride[i] + 1 for i in range(2)
    ]
    shapes = (1, 1, *size), (1, 2 * taps, *places), (1, taps, *places), (1, 1, *kernel)
    image, offset, mask, weight = (rng.standard_normal(shape).astype("float32") for shape in shapes)
    return [image, np.zeros_like(offset), mask, weight], [stride, padding, dilation]


@pytest.mark.parametrize("call", EXACT)
def test_deformable_windows_lie_exactly_where_they_are(call):
    (image, offset, mask, weight), windows = deform_arguments(*call)
    wanted = avo.reference.modulated_deform_conv2d(image, offset, mask, weight, None, *windows)
    assert np.count_nonzero(wanted) > 0
    got = avo.aclnn.modulated_deform_conv2d(image, offset, mask, weight, None, *windows)
    np.testing.assert_allclose(got, wanted, rtol=1e-5, atol=1e-6)
    grad = np.ones_like(got)
    wanted = avo.reference.modulated_deform_conv2d_backward(grad, image, offset, mask, weight, *windows)
    got = avo.aclnn.modulated_deform_conv2d_backward(grad, image, offset, mask, weight, *windows)
    for mine, other in zip(got, wanted, strict=True):
        np.testing.assert_allclose(mine, other, rtol=1e-4, atol=1e-5)


BEYOND = [
    (((5, 5), [3, 1], [1, 1], [MOST, 0], [MOST, 1]), "dilation"),
    (((5, 5), [1, 1], [MOST // 2, 1], [MOST + 1, 0], [1, 1]), "padding"),
    (((1, 1), [1, 1], [1, MOST + 1], [0, MOST], [1, 1]), "stride"),
]


@pytest.mark.parametrize(("call", "name"), BEYOND)
def test_deformable_windows_that_floats_do_not_hold_are_an_error(call, name):
    tensors, windows = deform_arguments(*call)
    with pytest.raises(RuntimeError, match=f"{name}: expected at most {MOST}.* on the device, got"):
        avo.aclnn.modulated_deform_conv2d(*tensors, None, *windows)
    grad = np.ones((1, 1, *tensors[1].shape[2:]), "float32")
    with pytest.raises(RuntimeError, match=f"{name}: expected at most {MOST}.* on the device, got"):
        avo.aclnn.modulated_deform_conv2d_backward(grad, *tensors, *windows)


@pytest.mark.parametrize(
    ("shape", "dtype", "fits"),
    [
        ([2**31, 2], "int64", True),
        ([2**31 + 1, 2], "int64", False),
        ([2**31 + 1], "int64", True),
        ([2**31], "int32", True),
        ([2**31 + 1], "int32", False),
    ],
)
def test_an_index_that_does_not_fit_is_an_error(shape, dtype, fits):
    from ascend_vision_ops import _native

    call = (tuple(shape), "int8"), 0, False, False, dtype, None, None, None
    if fits:
        assert _native.tiling.argmax(*call)["block_dim"] > 0
        return
    with pytest.raises(
        ValueError, match=f"self: expected at most {2**31} elements along dim, got {2**31 + 1}"
    ):
        _native.tiling.argmax(*call)


MOST_INDICES = 2**31


@pytest.mark.parametrize("dim", [0, None])
def test_argmax_on_the_cpu_refuses_indices_that_int32_does_not_hold(dim):
    one = np.broadcast_to(np.zeros(1, "int8"), MOST_INDICES + 1)
    expected = f"self: expected at most {MOST_INDICES} elements along dim for indices of int32, got {MOST_INDICES + 1}"
    with pytest.raises(ValueError, match=expected):
        avo.cpu.argmax(one, dim, dtype="int32")
    lines = np.broadcast_to(np.zeros(1, "int8"), (MOST_INDICES + 1, 2))
    with pytest.raises(ValueError, match=r"self: expected at most .* along dim for indices of int32, got"):
        avo.cpu.argmax(lines, dim, dtype="int32")


@pytest.mark.parametrize("operator", ["cummax", "cummin"])
def test_scans_on_the_cpu_refuse_indices_that_int32_does_not_hold(operator, tmp_path):
    one = np.broadcast_to(np.zeros(1, "int8"), MOST_INDICES + 1)
    # Files without blocks: nobody writes to these results.
    out = tuple(np.memmap(tmp_path / dtype, dtype, "w+", shape=one.shape) for dtype in ("int8", "int32"))
    with pytest.raises(ValueError, match=r"input: expected at most .* along dim for indices of int32, got"):
        getattr(avo.cpu, operator)(one, 0, out=out)
