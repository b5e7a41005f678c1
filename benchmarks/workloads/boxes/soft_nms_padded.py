# SPDX-License-Identifier: Apache-2.0
"""A thousand boxes in heaps, for the operator that soft_nms calls."""

import numpy as np
import torch

from benchmarks.workloads.boxes.soft_nms import METHODS, THRESHOLD


def device():
    """The vector unit of one core is the bound. Scores only fall, so the next picks come from the boxes with the
    largest scores: a pool of up to 64 of them. The pool's weights on each other are computed first; a pick then takes
    three instructions on V, and an instruction that decays the table has a repeat for each of the 20 to 45 picks of a
    pool. What would make it faster: cores that share the table and meet once for each pool. Where several boxes have
    the largest score, or where a score is NaN, the order of entries decides, and boxes are picked one by one from the
    start. That takes 2.5 times as long, and 3.4 times where it shows at the last picks; half types often have equal
    scores.
    """
    generator = np.random.default_rng(0)
    corner = generator.integers(0, 1000, (50, 2))[generator.integers(0, 50, 1000)]
    corner += generator.integers(-12, 13, corner.shape)
    boxes = np.concatenate([corner, corner + generator.integers(20, 60, corner.shape)], axis=1)
    boxes, scores = torch.from_numpy(boxes).float(), torch.from_numpy(generator.random(1000)).float()
    for method, name in METHODS.items():
        call = {"boxes": boxes, "scores": scores, "iou_threshold": THRESHOLD, "method": method}
        yield call, "3000 us", name
