# SPDX-License-Identifier: Apache-2.0
"""Compares mmcv's public operators on npu tensors with the numbers that mmcv's own tests publish, and with torch."""

from __future__ import annotations

import pytest
import torch

import ascend_vision_ops as avo

pytest.importorskip("mmcv", reason="mmcv is not installed")
avo.compat.patch_mmcv()
import mmcv.ops  # noqa: E402  patched before

BOXES = torch.tensor([[6.0, 3, 8, 7], [3, 6, 9, 11], [3, 7, 10, 12], [1, 4, 13, 7]])
SCORES = torch.tensor([0.6, 0.9, 0.7, 0.2])


def test_nms(npu):
    dets, indices = mmcv.ops.nms(BOXES.to(npu), SCORES.to(npu), iou_threshold=0.3, offset=0)
    assert dets.device == indices.device == npu
    assert indices.tolist() == [1, 0, 3]
    assert torch.equal(dets.cpu(), torch.cat([BOXES, SCORES[:, None]], 1)[[1, 0, 3]])


def test_nms_with_thresholds(npu):
    arguments = {"iou_threshold": 0.9, "score_threshold": 0.3, "max_num": 2}
    assert mmcv.ops.nms(BOXES.to(npu), SCORES.to(npu), **arguments)[1].tolist() == [1, 2]


@pytest.mark.parametrize(
    ("method", "scores", "indices"),
    [
        ("linear", [0.9, 0.6, 0.29024392, 0.2], [1, 0, 2, 3]),
        ("gaussian", [0.9, 0.59630775, 0.35275510, 0.18650459], [1, 0, 2, 3]),
        ("naive", [0.9, 0.6, 0.2], [1, 0, 3]),
    ],
)
@pytest.mark.parametrize("name", ["iou_threshold", "iou_thr"])
def test_soft_nms(npu, method, scores, indices, name):
    dets, found = mmcv.ops.soft_nms(
        BOXES.to(npu), SCORES.to(npu), sigma=0.5, min_score=0.01, method=method, **{name: 0.3}
    )
    assert dets.device == found.device == npu
    assert found.tolist() == indices
    torch.testing.assert_close(dets.cpu(), torch.cat([BOXES[indices], torch.tensor(scores)[:, None]], 1))


def test_soft_nms_stays_on_the_device(npu, monkeypatch):
    monkeypatch.setattr(torch.Tensor, "cpu", lambda tensor: pytest.fail("a tensor went to the CPU"))
    mmcv.ops.soft_nms(BOXES.to(npu), SCORES.to(npu))


def test_soft_nms_of_an_unknown_method(npu):
    with pytest.raises(ValueError, match="method: expected one of naive, linear, gaussian, got 'cubic'"):
        mmcv.ops.soft_nms(BOXES.to(npu), SCORES.to(npu), method="cubic")


@pytest.mark.parametrize("kind", ["nms", "soft_nms"])
@pytest.mark.parametrize("agnostic", [False, True])
@pytest.mark.parametrize("more", [{}, {"split_thr": 100}], ids=["at once", "by class"])
def test_batched_nms(npu, kind, agnostic, more):
    corners = torch.rand(200, 4, generator=torch.Generator().manual_seed(0)) * 40
    corners[:, 2:] += corners[:, :2]
    scores, classes = torch.rand(200, generator=torch.Generator().manual_seed(1)), torch.arange(200) % 3
    config = {"type": kind, "iou_threshold": 0.5, **more}
    near_dets, near = mmcv.ops.batched_nms(corners, scores, classes, config, agnostic)
    far_dets, far = mmcv.ops.batched_nms(corners.to(npu), scores.to(npu), classes.to(npu), config, agnostic)
    assert torch.equal(far.cpu(), near)
    torch.testing.assert_close(far_dets.cpu(), near_dets)
    assert 3 < len(far) <= 200


PUBLISHED = [
    (
        [[[[1.0, 2], [3, 4]], [[4, 3], [2, 1]]]],
        [[0.0, 0, 0, 1, 1]],
        [[[[1.0, 1.25], [1.5, 1.75]], [[4, 3.75], [3.5, 3.25]]]],
        [[[[3.0625, 0.4375], [0.4375, 0.0625]]] * 2],
    ),
    (
        [[[[1.0, 2, 5, 6], [3, 4, 7, 8], [9, 10, 13, 14], [11, 12, 15, 16]]]],
        [[0.0, 0, 0, 3, 3]],
        [[[[1.9375, 4.75], [7.5625, 10.375]]]],
        None,
    ),
]


@pytest.mark.parametrize("dtype", [torch.float32, torch.float16])
@pytest.mark.parametrize(("x", "rois", "out", "grad"), PUBLISHED)
def test_roi_align(npu, x, rois, out, grad, dtype):
    x = torch.tensor(x, dtype=dtype, device=npu, requires_grad=True)
    result = mmcv.ops.roi_align(x, torch.tensor(rois, dtype=dtype, device=npu), (2, 2), 1.0, 2, "avg", True)
    result.backward(torch.ones_like(result))
    # The published numbers are exact in float16.
    assert torch.equal(result.detach().cpu().float(), torch.tensor(out))
    if grad is not None:
        assert torch.equal(x.grad.cpu().float(), torch.tensor(grad))


def test_roi_align_of_maxima(npu):
    """Each bin has one sample, on a pixel. The maximum is that pixel, and the gradient goes there."""
    x = torch.arange(16.0, device=npu).reshape(1, 1, 4, 4).requires_grad_()
    module = mmcv.ops.RoIAlign(2, sampling_ratio=1, pool_mode="max", aligned=False)
    result = module(x, torch.tensor([[0.0, 0, 0, 4, 4]], device=npu))
    result.sum().backward()
    assert result.flatten().tolist() == [5, 7, 13, 15]
    assert x.grad.flatten().nonzero().flatten().tolist() == [5, 7, 13, 15]


SIDES = {"left": (3, True), "right": (3, False), "top": (2, True), "bottom": (2, False)}


@pytest.mark.parametrize("side", SIDES)
def test_corner_pool(npu, side):
    x = torch.randn(2, 3, 5, 7)
    dim, flip = SIDES[side]
    want = (x.flip(dim) if flip else x).cummax(dim)[0]
    assert torch.equal(mmcv.ops.CornerPool(side)(x.to(npu)).cpu(), want.flip(dim) if flip else want)


def test_corner_pool_uses_one_operator(npu, monkeypatch):
    monkeypatch.setattr(torch, "cummax", lambda *args, **kwargs: pytest.fail("torch.cummax was called"))
    mmcv.ops.CornerPool("left")(torch.rand(1, 1, 3, 3, device=npu))


@pytest.mark.parametrize("autocast", [False, True])
def test_modulated_deform_conv2d_pack(npu, autocast):
    x = torch.tensor([[[[1.0, 2, 3]] * 3]], device=npu, requires_grad=True)
    module = mmcv.ops.ModulatedDeformConv2dPack(1, 1, 2, stride=1, padding=1, deform_groups=1, bias=False).to(
        npu
    )
    module.weight.data.fill_(1)
    with torch.autocast("npu", enabled=autocast, dtype=torch.float16):
        result = module(x)
    result.sum().backward()
    assert result.flatten().tolist() == [0.5, 1.5, 2.5, 1.5, *[1, 3, 5, 3] * 2, 0.5, 1.5, 2.5, 1.5]
    assert x.grad.flatten().tolist() == [2] * 9
    assert module.weight.grad.flatten().tolist() == [9] * 4
    bias = [-3, -1.5, -3, -1.5, -3, -1.5, -3, -1.5, 4.5, 4.5, 4.5, 4.5]
    torch.testing.assert_close(module.conv_offset.bias.grad.cpu(), torch.tensor(bias))


def test_a_checkpoint_of_mmcv_loads_into_our_module(npu):
    theirs = mmcv.ops.ModulatedDeformConv2dPack(4, 6, 3, padding=1, deform_groups=2).to(npu)
    torch.nn.init.normal_(theirs.conv_offset.weight)
    ours = avo.nn.ModulatedDeformConv2dPack(4, 6, 3, padding=1, deform_groups=2)
    ours.load_state_dict(theirs.state_dict())
    x = torch.rand(1, 4, 5, 5, device=npu)
    assert torch.equal(ours.to(npu)(x).cpu(), theirs(x).cpu())


def test_float64_is_refused_by_name(npu):
    with pytest.raises(RuntimeError, match="boxes: expected float32, float16 or bfloat16, got float64"):
        mmcv.ops.nms(BOXES.double().to(npu), SCORES.double().to(npu), 0.5)
