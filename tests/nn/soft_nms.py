# SPDX-License-Identifier: Apache-2.0
import torch

from ascend_vision_ops import nn

BOXES = torch.tensor([[6.0, 3, 8, 7], [3, 6, 9, 11], [3, 7, 10, 12], [1, 4, 13, 7]])
SCORES = torch.tensor([0.6, 0.9, 0.7, 0.2])
HAS_GRADIENT = False
CALLS = [
    (nn.SoftNMS(), BOXES, SCORES),
    (nn.SoftNMS(method="gaussian", sigma=0.4, min_score=0.3, offset=1), BOXES, SCORES),
]
# No IoU reaches the threshold, so no score decays: the boxes come sorted by score.
SAME = [
    (
        nn.SoftNMS(0.99, method="naive"),
        lambda boxes, scores: torch.cat([boxes, scores[:, None]], 1)[scores.argsort(descending=True)],
        BOXES,
        SCORES,
    )
]
BAD = [
    (lambda: nn.SoftNMS(method="cubic"), "SoftNMS: method: expected naive, linear or gaussian, got 'cubic'"),
    (lambda: nn.SoftNMS(sigma=0.0), "SoftNMS: sigma: expected above 0, got 0.0"),
    (lambda: nn.SoftNMS(offset=2), "SoftNMS: offset: expected 0 or 1, got 2"),
]
