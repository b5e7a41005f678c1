# SPDX-License-Identifier: Apache-2.0
"""A thousand boxes in heaps, for the operator that soft_nms calls."""

import numpy as np
import torch

from benchmarks.workloads.boxes.soft_nms import METHODS, THRESHOLD


def device():
    """The vector unit of one core is the bound. A pick takes a maximum over all scores that are left and decays them,
    and the next pick depends on that, so picks cannot overlap. Cores that share a pick would have to meet after each.
    """
    generator = np.random.default_rng(0)
    corner = generator.integers(0, 1000, (50, 2))[generator.integers(0, 50, 1000)]
    corner += generator.integers(-12, 13, corner.shape)
    boxes = np.concatenate([corner, corner + generator.integers(20, 60, corner.shape)], axis=1)
    boxes, scores = torch.from_numpy(boxes).float(), torch.from_numpy(generator.random(1000)).float()
    for method, name in METHODS.items():
        call = {"boxes": boxes, "scores": scores, "iou_threshold": THRESHOLD, "method": method}
        yield call, "3000 us", name
