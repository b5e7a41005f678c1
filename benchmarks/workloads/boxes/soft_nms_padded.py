# SPDX-License-Identifier: Apache-2.0
"""A thousand boxes in heaps, for the operator that soft_nms calls."""

import numpy as np
import torch

from benchmarks.workloads.boxes.soft_nms import METHODS, THRESHOLD


def device():
    """The vector unit of one core is the bound. A pick takes a maximum over all scores that are left and decays them,
    and the next pick depends on that. Cores that share a pick would have to meet after each. What would make it faster:
    scores only fall, so the next largest score is the next pick for certain where no pick before it in the step decays
    it. Of these boxes, a step of at most eight picks would take 6.8 on average with linear decay and 6.1 with the
    gaussian one. One instruction could then compute the overlaps of all picks of a step, where now the start of each
    instruction takes longer than its 16 repeats.
    """
    generator = np.random.default_rng(0)
    corner = generator.integers(0, 1000, (50, 2))[generator.integers(0, 50, 1000)]
    corner += generator.integers(-12, 13, corner.shape)
    boxes = np.concatenate([corner, corner + generator.integers(20, 60, corner.shape)], axis=1)
    boxes, scores = torch.from_numpy(boxes).float(), torch.from_numpy(generator.random(1000)).float()
    for method, name in METHODS.items():
        call = {"boxes": boxes, "scores": scores, "iou_threshold": THRESHOLD, "method": method}
        yield call, "3000 us", name
