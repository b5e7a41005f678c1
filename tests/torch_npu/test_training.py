# SPDX-License-Identifier: Apache-2.0
"""Training in float16 on npu tensors."""

from __future__ import annotations

import torch
import torch.nn.functional as F
from torch import nn


def test_float16_training_with_a_scaler(npu):
    """An overflow halves the scale and leaves the weights alone, as torch.amp documents it; other steps learn."""
    torch.manual_seed(0)
    model = nn.Sequential(
        nn.Conv2d(3, 8, 3), nn.ReLU(), nn.Dropout(0.1), nn.Flatten(), nn.Linear(8 * 36, 2)
    ).to(npu)
    optimizer = torch.optim.SGD(model.parameters(), lr=0.05)
    scaler = torch.amp.GradScaler("npu", init_scale=2.0**10, growth_interval=3)
    images, target = torch.randn(8, 3, 8, 8, device=npu), torch.randint(0, 2, (8,), device=npu)

    def step(factor: float = 1.0) -> float:
        with torch.autocast("npu", dtype=torch.float16):
            loss = F.cross_entropy(model(images), target)
        optimizer.zero_grad()
        scaler.scale(loss * factor).backward()
        scaler.step(optimizer)
        scaler.update()
        return loss.item()

    found = [step() for _ in range(6)]
    assert found[-1] < 0.8 * found[0]
    assert scaler.get_scale() == 2.0**12
    before = [parameter.detach().cpu() for parameter in model.parameters()]
    step(float("inf"))
    assert scaler.get_scale() == 2.0**11
    for parameter, old in zip(model.parameters(), before, strict=True):
        assert torch.equal(parameter.cpu(), old)
