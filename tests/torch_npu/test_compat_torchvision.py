# SPDX-License-Identifier: Apache-2.0
"""Compares torchvision's public operators on npu tensors with the same operators on cpu tensors."""

from __future__ import annotations

import copy

import pytest
import torch

import ascend_vision_ops as avo
from ascend_vision_ops.testing.peers import import_torchvision

try:
    vision = import_torchvision()
except ImportError as error:
    pytest.skip(str(error), allow_module_level=True)

avo.compat.patch_torchvision()


def boxes(count: int, seed: int = 0):
    generator = torch.Generator().manual_seed(seed)
    corners = torch.rand(count, 4, generator=generator) * 50
    corners[:, 2:] += corners[:, :2]
    return corners, torch.rand(count, generator=generator)


def both(function, *arguments):
    """Gives the results of one call on the CPU and on the NPU."""

    def on(device):
        return [a.to(device) if isinstance(a, torch.Tensor) else a for a in arguments]

    return function(*on("cpu")), function(*on("npu"))


def gradients(function, *tensors):
    """Gives result and gradients on the CPU and on the NPU; a tensor may be None."""
    found = []
    for device in ("cpu", "npu"):
        leaves = [t if t is None else t.detach().to(device).requires_grad_() for t in tensors]
        result = function(*leaves)
        result.square().sum().backward()
        found.append([result.detach().cpu(), *(leaf.grad.cpu() for leaf in leaves if leaf is not None)])
    return found


@pytest.mark.parametrize("threshold", [0.2, 0.5, 0.8])
@pytest.mark.parametrize("count", [0, 1, 700])
def test_nms(npu, count, threshold):
    near, far = both(vision.ops.nms, *boxes(count), threshold)
    assert far.device == npu
    assert torch.equal(far.cpu(), near)


def test_nms_at_the_threshold(npu):
    """torchvision finds an IoU of 3/10 above 0.3, but not an IoU of 1/2 above 0.5."""
    corners, scores = (
        torch.tensor([[0.0, 0, 10, 1], [0, 0, 3, 1], [0, 0, 5, 1]]),
        torch.tensor([0.9, 0.8, 0.7]),
    )
    for threshold, kept in ((0.3, [0]), (0.5, [0, 1]), (0.60001, [0, 1, 2])):
        near, far = both(vision.ops.nms, corners, scores, threshold)
        assert near.tolist() == far.tolist() == kept


@pytest.mark.parametrize("implementation", ["_batched_nms_vanilla", "_batched_nms_coordinate_trick"])
def test_batched_nms(npu, implementation):
    classes = torch.arange(300) % 4
    near, far = both(getattr(vision.ops.boxes, implementation), *boxes(300), classes, 0.4)
    assert torch.equal(far.cpu(), near)


@pytest.mark.parametrize(
    ("dets", "scores"), [([4], [3]), ([3, 5], [3]), ([3, 4], [3, 2]), ([3, 4], [4])], ids=str
)
def test_nms_of_wrong_shapes(npu, dets, scores):
    with pytest.raises(RuntimeError, match=r"(boxes|scores): expected"):
        vision.ops.nms(torch.rand(dets, device=npu), torch.rand(scores, device=npu), 0.5)


ROIS = [[0, 0, 0, 9, 9], [0, 0, 5, 4, 9], [0, 5, 5, 9, 9], [1, 0, 0, 9, 9], [1, 3, 2, 3.5, 2.5]]


@pytest.mark.parametrize("aligned", [False, True])
@pytest.mark.parametrize("sampling_ratio", [-1, 0, 2])
def test_roi_align(npu, aligned, sampling_ratio):
    def call(x):
        rois = torch.tensor(ROIS, device=x.device)
        return vision.ops.RoIAlign((5, 3), 0.5, sampling_ratio, aligned)(x, rois)

    near, far = gradients(call, torch.rand(2, 6, 10, 12).permute(0, 1, 3, 2))
    # Positions and sums are rounded in another order.
    torch.testing.assert_close(far, near, rtol=1e-5, atol=1e-5)


def test_roi_align_of_boxes_by_image(npu):
    x = torch.rand(2, 3, 10, 10)
    listed = [torch.tensor([[0.0, 0, 9, 9], [0, 5, 4, 9]]), torch.tensor([[1.0, 1, 5, 5]])]
    near = vision.ops.roi_align(x, listed, 3)
    far = vision.ops.roi_align(x.to(npu), [rois.to(npu) for rois in listed], 3)
    torch.testing.assert_close(far.cpu(), near)


def test_multi_scale_roi_align(npu):
    pooler = vision.ops.MultiScaleRoIAlign(["a", "b"], 3, 2)
    maps = {"a": torch.rand(1, 4, 32, 32), "b": torch.rand(1, 4, 16, 16)}
    found = [torch.tensor([[0.0, 0, 100, 90], [4, 4, 20, 30], [0, 0, 127, 127]])]
    near = pooler(maps, found, [(128, 128)])
    far = pooler({k: v.to(npu) for k, v in maps.items()}, [found[0].to(npu)], [(128, 128)])
    torch.testing.assert_close(far.cpu(), near)


@pytest.mark.parametrize("images", [0, 3])
@pytest.mark.parametrize("masked", [True, False], ids=["mask", "no mask"])
def test_deform_conv2d(npu, masked, images):
    window = {"stride": (2, 1), "padding": (1, 0), "dilation": (2, 1)}
    x = torch.rand(images, 6, 5, 4)
    offset = torch.randn(images, 3 * 2 * 6, 2, 3)
    # Gradients jump where a sample lies on a row or column of pixels, so these samples avoid them.
    offset = offset.floor() + offset.frac().abs() * 0.8 + 0.1
    mask = torch.rand(images, 3 * 6, 2, 3) if masked else None
    weight, bias = torch.randn(2, 3, 3, 2), torch.randn(2)

    def call(x, offset, mask, weight, bias):
        return vision.ops.deform_conv2d(x, offset, weight, bias, mask=mask, **window)

    near, far = gradients(call, x, offset, mask, weight, bias)
    torch.testing.assert_close(
        far, near, rtol=1e-4, atol=1e-4
    )  # sums over taps and channels in another order


def test_deform_conv2d_module(npu):
    module = vision.ops.DeformConv2d(4, 8, 3, padding=1, groups=2)
    x, offset = torch.rand(1, 4, 6, 7), torch.randn(1, 18, 6, 7)
    far = copy.deepcopy(module).to(npu)(x.to(npu), offset.to(npu))
    torch.testing.assert_close(far.cpu(), module(x, offset), rtol=1e-4, atol=1e-4)


@pytest.mark.parametrize("x_dtype", [torch.float32, torch.float16])
@pytest.mark.parametrize("rois_dtype", [torch.float32, torch.float16])
def test_autocast(npu, x_dtype, rois_dtype):
    x, rois = torch.rand(2, 4, 10, 10).to(x_dtype), torch.tensor(ROIS).to(rois_dtype)
    with torch.autocast("npu", dtype=torch.float16):
        far = vision.ops.roi_align(x.to(npu), rois.to(npu), 3)
        kept = vision.ops.nms(*(t.to(npu).half() for t in boxes(50)), 0.5)
    assert far.dtype == x_dtype
    torch.testing.assert_close(
        far.float().cpu(), vision.ops.roi_align(x.float(), rois.float(), 3), atol=1e-3, rtol=0
    )
    assert torch.equal(kept.cpu(), vision.ops.nms(*(t.half().float() for t in boxes(50)), 0.5))


def test_compile(npu):
    x, rois = torch.rand(2, 4, 10, 10), torch.tensor(ROIS)
    torch._dynamo.reset()
    compiled = torch.compile(
        lambda x, rois: vision.ops.roi_align(x, rois, 3) * 2, backend="aot_eager", fullgraph=True
    )
    far = x.to(npu).requires_grad_()
    result = compiled(far, rois.to(npu))
    torch.testing.assert_close(result.cpu(), 2 * vision.ops.roi_align(x, rois, 3))
    result.sum().backward()
    assert far.grad.abs().sum() > 0


def test_float64_is_refused_by_name(npu):
    with pytest.raises(
        RuntimeError, match="roi_align: input: expected float32, float16 or bfloat16, got float64"
    ):
        vision.ops.roi_align(torch.rand(1, 1, 4, 4).double().to(npu), torch.zeros(1, 5).double().to(npu), 2)


def test_twice(npu):
    avo.compat.patch_torchvision()
    near, far = both(vision.ops.nms, *boxes(20), 0.5)
    assert torch.equal(far.cpu(), near)


def detector():
    """Builds a small Faster R-CNN of torchvision."""
    torch.manual_seed(0)
    backbone = vision.models.detection.backbone_utils.resnet_fpn_backbone(
        backbone_name="resnet18", weights=None
    )
    sizes = {
        f"rpn_{when}_nms_top_n_{mode}": n
        for when, n in (("pre", 200), ("post", 50))
        for mode in ("train", "test")
    }
    return vision.models.detection.FasterRCNN(backbone, 5, **sizes)


def stages(model, image, targets=None):
    """Gives proposals, detections and losses: all of the model except the scaling of images."""
    images = vision.models.detection.image_list.ImageList(image, [tuple(image.shape[2:])])
    features = model.backbone(image)
    proposals, losses = model.rpn(images, features, targets)
    found, more = model.roi_heads(features, proposals, images.image_sizes, targets)
    return proposals, found, {**losses, **more}


@torch.no_grad()
def test_a_detector_detects(npu):
    model, image = detector().eval(), torch.rand(1, 3, 96, 128)
    (near_proposals,), (near,), _ = stages(model, image)
    (far_proposals,), (far,), _ = stages(copy.deepcopy(model).to(npu), image.to(npu))
    # ATen computes the convolutions on both devices; RoIAlign rounds samples and sums in another order.
    torch.testing.assert_close(far_proposals.cpu(), near_proposals, rtol=1e-4, atol=1e-3)
    assert len(near["boxes"]) > 10
    assert torch.equal(far["labels"].cpu(), near["labels"])
    torch.testing.assert_close(far["scores"].cpu(), near["scores"], rtol=1e-3, atol=1e-4)


def test_a_detector_trains(npu):
    model = detector().to(npu)
    targets = [
        {"boxes": torch.tensor([[10.0, 10, 60, 70], [30, 20, 100, 90]], device=npu),
         "labels": torch.tensor([1, 2], device=npu)}
    ]  # fmt: skip
    *_, losses = stages(model, torch.rand(1, 3, 96, 128, device=npu), targets)
    sum(losses.values()).backward()
    for name, parameter in model.roi_heads.named_parameters():
        assert parameter.grad.isfinite().all() and parameter.grad.abs().sum() > 0, name
