# SPDX-License-Identifier: Apache-2.0
"""Who suppresses whom, by another way than ours: by all overlaps at once."""

import numpy as np


def matched(boxes, scores, iou_threshold, score_threshold):
    """Rows (image, class, kept box, suppressed box) by all overlaps in float32, which torch compares at once.

    The first box of better score that is kept and overlaps enough suppresses a box.
    """
    import torch

    rows, least, boxes = [], score_threshold.float().item(), boxes.float()
    low, high = (
        torch.maximum(boxes[:, :, None, :2], boxes[:, None, :, :2]),
        torch.minimum(boxes[:, :, None, 2:], boxes[:, None, :, 2:]),
    )
    inter, area = (high - low).clamp(min=0).prod(-1), (boxes[..., 2:] - boxes[..., :2]).prod(-1)
    enough = inter / (area[:, :, None] + area[:, None] - inter) >= iou_threshold.float().item()
    for image, each in np.ndindex(scores.shape[:2]):
        order, by = scores[image, each].float().sort(descending=True, stable=True).indices.tolist(), {}
        for place, i in enumerate(order):
            by[i] = next((k for k in order[:place] if by[k] is None and enough[image, k, i]), None)
        above = [k for k in order if by[k] is None and scores[image, each, k].float() > least]
        rows += [(image, each, k, i) for k in above for i in order if by[i] == k]
    return torch.tensor(rows, dtype=torch.int64).reshape(-1, 4)
