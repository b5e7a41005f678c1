# SPDX-License-Identifier: Apache-2.0
"""The built-in operators that everyday code needs give the same on npu as on the CPU, which computes them."""

from __future__ import annotations

import copy
import functools

import pytest
import torch
import torch.nn.functional as F
from torch import nn

UNARY = (
    "abs ceil cos erf exp floor log neg reciprocal relu round rsqrt sigmoid sign sin sqrt tanh trunc isfinite "
    "isnan cumsum:0 sum mean max min amax amin argmax argmin all any prod std var norm softmax:1 log_softmax:1 "
    "clamp:0.3 sort topk:3 tril triu nonzero square t contiguous half bfloat16 long bool flatten"
)
BINARY = "add sub mul div maximum minimum eq ne gt ge lt le pow remainder isclose allclose equal"


def pair(seed: int = 0):
    generator = torch.Generator().manual_seed(seed)
    return torch.rand(5, 6, generator=generator) + 0.1, torch.rand(5, 6, generator=generator) + 0.1


def same(ours, theirs):
    if isinstance(ours, (tuple, list)):
        for one, other in zip(ours, theirs, strict=True):
            same(one, other)
    elif isinstance(ours, torch.Tensor):
        assert ours.device.type == "npu"
        torch.testing.assert_close(ours.cpu(), theirs, rtol=0, atol=0)  # ATen computes both
    else:
        assert ours == theirs


@pytest.mark.parametrize("name", UNARY.split())
def test_one_tensor(npu, name):
    name, _, argument = name.partition(":")
    arguments = [float(argument) if "." in argument else int(argument)] if argument else []
    x, _ = pair()
    same(getattr(x.to(npu), name)(*arguments), getattr(x, name)(*arguments))


@pytest.mark.parametrize("name", BINARY.split())
def test_two_tensors(npu, name):
    x, y = pair()
    same(getattr(x.to(npu), name)(y.to(npu)), getattr(x, name)(y))


@pytest.mark.parametrize(
    "function",
    [
        lambda x, y: 2 - x, lambda x, y: x * 3 + 1, lambda x, y: x / 2, lambda x, y: (x > 0.5) & (y < 0.5),
        lambda x, y: (x > 0.5) | ~(y < 0.5), lambda x, y: torch.where(x > y, x, y), lambda x, y: x[x > 0.5],
        lambda x, y: x[[0, 2]], lambda x, y: x[:, ::2].contiguous(), lambda x, y: torch.cat([x, y], 1),
        lambda x, y: torch.stack([x, y]), lambda x, y: x @ y.t(), lambda x, y: torch.addmm(x[:, :5], x, y.t()),
        lambda x, y: x.gather(1, (y * 5).long()), lambda x, y: x.scatter_add(1, (y * 5).long(), y),
        lambda x, y: x.index_select(0, torch.tensor([1, 1], device=x.device)), lambda x, y: x.masked_fill(y > 0.5, 0),
        lambda x, y: F.pad(x, (1, 2)), lambda x, y: x.flip(0), lambda x, y: torch.zeros_like(x) + torch.ones_like(y),
        lambda x, y: torch.full_like(x, 3), lambda x, y: torch.arange(5, device=x.device),
        lambda x, y: torch.linspace(0, 1, 5, device=x.device), lambda x, y: torch.eye(4, device=x.device),
        lambda x, y: x.clone().add_(y).mul_(2).sub_(1).div_(3), lambda x, y: x.max(1),
        lambda x, y: x.unsqueeze(0).repeat(2, 1, 1),
        lambda x, y: torch.lerp(x, y, 0.3), lambda x, y: x.addcmul(x, y, value=2), lambda x, y: x.clamp(0.2, 0.8),
        lambda x, y: F.mse_loss(x, y), lambda x, y: F.smooth_l1_loss(x, y), lambda x, y: F.gelu(x),
        lambda x, y: F.leaky_relu(x - 0.5), lambda x, y: F.embedding((y * 4).long(), x),
        lambda x, y: x.sum().item(), lambda x, y: torch.unique((x * 3).int()),
        lambda x, y: torch.randperm(9, device=x.device).sort()[0],
        lambda x, y: torch.unique((y * 3).int(), return_inverse=True, return_counts=True),
    ],
)  # fmt: skip
def test_expressions(npu, function):
    x, y = pair(1)
    same(function(x.to(npu), y.to(npu)), function(x, y))


class Detector(nn.Module):
    """Backbone, neck and head, as small as they can be."""

    def __init__(self):
        super().__init__()
        self.stem, self.stem_norm = nn.Conv2d(3, 8, 3, 2, 1), nn.BatchNorm2d(8)
        self.body, self.body_norm = nn.Conv2d(8, 16, 3, padding=1), nn.BatchNorm2d(16)
        self.lateral, self.boxes = nn.Conv2d(8, 16, 1), nn.Conv2d(16, 4, 1)
        self.classes = nn.Conv2d(16, 3, 3, padding=1)

    def forward(self, image):
        low = F.relu(self.stem_norm(self.stem(image)))
        high = F.silu(self.body_norm(self.body(F.max_pool2d(low, 2))))
        merged = self.lateral(low) + F.interpolate(high, scale_factor=2.0, mode="nearest")
        return self.classes(merged), self.boxes(merged)


@pytest.mark.parametrize("name", ["add", "sub", "mul", "div", "maximum", "minimum", "pow"])
def test_lists_of_tensors_with_a_scalar_each(npu, name):
    tensors, scalars = pair(2), [0.5, 2.0]
    function = getattr(torch, f"_foreach_{name}")
    # torch_npu splits the call when there are more tensors than one call takes.
    for count in (1, 20):
        same(
            function([x.to(npu) for x in tensors] * count, scalars * count),
            function(list(tensors) * count, scalars * count),
        )


@pytest.mark.parametrize("scalars", [[0.5, 2.0], torch.tensor([0.5, 2.0])], ids=["list", "tensor"])
@pytest.mark.parametrize("name", ["addcdiv", "addcmul"])
def test_lists_of_three_with_a_scalar_each(npu, name, scalars):
    lists, function = [list(pair(seed)) for seed in range(3)], getattr(torch, f"_foreach_{name}")
    same(function(*([x.to(npu) for x in tensors] for tensors in lists), scalars), function(*lists, scalars))


@pytest.mark.parametrize("optimizer", [
    torch.optim.SGD, torch.optim.Adam, torch.optim.AdamW, functools.partial(torch.optim.Adam, foreach=True),
    functools.partial(torch.optim.SGD, momentum=0.9, foreach=True),
])  # fmt: skip
def test_a_detector_trains(npu, optimizer):
    torch.manual_seed(0)
    model, image = Detector(), torch.randn(2, 3, 16, 16)
    target, offsets = torch.randint(0, 3, (2, 8, 8)), torch.randn(2, 4, 8, 8)
    far = copy.deepcopy(model).to(npu)

    def train(model, *batch):
        image, target, offsets = batch
        steps, losses = optimizer(model.parameters(), lr=0.01), []
        for _ in range(2):
            classes, boxes = model(image)
            loss = F.cross_entropy(classes, target) + F.smooth_l1_loss(boxes, offsets)
            steps.zero_grad()
            loss.backward()
            steps.step()
            losses.append(loss.item())
        return losses

    batch = image, target, offsets
    near = train(model, *batch)
    assert train(far, *(tensor.to(npu) for tensor in batch)) == pytest.approx(near, rel=1e-5)
    for ours, theirs in zip(far.parameters(), model.parameters(), strict=True):
        # On npu, optimisers fuse their steps in another order.
        torch.testing.assert_close(ours.cpu(), theirs, rtol=1e-4, atol=1e-5)


@pytest.mark.parametrize("rank", range(1, 6))
def test_operators_that_are_ours_at_every_rank(npu, rank):
    """torch_npu gives tensors of three to five dimensions a format; aclnnCummax and aclnnArgMax accept it."""
    x = torch.randint(-5, 5, (2, 3, 2, 4, 3)[:rank]).float()
    for function in (torch.cummax, torch.cummin):
        for got, want in zip(function(x.to(npu), rank - 1), function(x, rank - 1), strict=True):
            torch.testing.assert_close(got.cpu(), want, rtol=0, atol=0)
    assert torch.equal(x.to(npu).argmax(rank - 1).cpu(), x.argmax(rank - 1))
