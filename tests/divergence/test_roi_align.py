# SPDX-License-Identifier: Apache-2.0
from itertools import product

import numpy as np
import pytest
import torch

import ascend_vision_ops as avo
from ascend_vision_ops.testing import Array, cases_module
from ascend_vision_ops.testing.run import expected, from_torch, to_torch

NOT_RUN = {"mmcv": "its wheels with operators exist for older releases of torch only"}


def test_torchvision_checks_no_sizes(torchvision):
    """torchvision returns results for output_height 0 and for a negative spatial_scale; here both are errors."""
    x, rois = torch.rand(1, 2, 6, 6), torch.tensor([[0.0, 1, 1, 4, 4]])
    assert torchvision.ops.roi_align(x, rois, (0, 2)).shape == (1, 2, 0, 2)
    with pytest.raises(RuntimeError, match="output_height"):
        avo.roi_align(x, rois, 0, 2)
    assert torchvision.ops.roi_align(x, rois, (2, 2), spatial_scale=-1.0).shape == (1, 2, 2, 2)
    with pytest.raises(RuntimeError, match="spatial_scale"):
        avo.roi_align(x, rois, 2, 2, -1.0)


DTYPES = ("float32", "float16", "bfloat16")
FACES = {
    "reference": lambda **call: expected("roi_align", call)[0],
    "cpu": avo.cpu.roi_align,
    "aclnn": avo.aclnn.roi_align,
}


@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("face", FACES)
def test_torchvision_has_the_same_samples_on_pixels(torchvision, face, dtype):
    """A corner of weight 0 makes NaN of an infinity. So the same means are not finite only if positions are the same
    float32 numbers as torchvision's, to the last bit."""
    rng = np.random.default_rng(0)
    for bins, ratio, aligned in product((3, 5, 7, 9), (0, 1, 3, 6), (True, False)):
        maps = Array(2, 18, 24, 32, values="special").make(dtype, rng)
        rois = Array(40, 5, values=cases_module("_rois").on_pixels).make(dtype, rng)
        call = {"output_height": bins, "output_width": bins, "sampling_ratio": ratio, "aligned": aligned}
        ours = FACES[face](input=maps, rois=rois, **call).astype(np.float64)
        tensors = (to_torch(array).float() for array in (maps, rois))
        theirs = torchvision.ops.roi_align(*tensors, bins, 1.0, ratio, aligned).to(to_torch(maps).dtype)
        theirs = from_torch(theirs).astype(np.float64)
        not_finite = ~np.isfinite(theirs)
        assert 0.1 < not_finite.mean() < 0.9
        np.testing.assert_array_equal(np.isfinite(ours), ~not_finite)
        np.testing.assert_array_equal(ours[not_finite], theirs[not_finite])


def test_torchvision_counts_the_last_pixel_again(torchvision):
    """In torchvision the last pixel is also its own other neighbour, with weight 0: an infinity there gives NaN. Here
    it has no other neighbour."""
    x, rois = torch.full((1, 1, 6, 6), torch.inf), torch.tensor([[0.0, 5, 5, 6, 6]])
    assert torchvision.ops.roi_align(x, rois, 1, 1.0, 1, True).isnan().all()
    assert (avo.roi_align(x, rois, 1, 1, 1.0, 1) == torch.inf).all()
