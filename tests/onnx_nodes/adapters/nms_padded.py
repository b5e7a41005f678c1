# SPDX-License-Identifier: Apache-2.0
import numpy as np

NODE = "NonMaxSuppression"


def corners(boxes, center_point_box):
    """Rows x1, y1, x2, y2 of rows y, x, y, x of two opposite corners, or of x, y of the centre and width, height."""
    if center_point_box:
        middle, half = boxes[:, :2], boxes[:, 2:] / 2
        return np.concatenate([middle - half, middle + half], axis=1)
    first, second = boxes[:, 1::-1], boxes[:, 3:1:-1]
    return np.concatenate([np.minimum(first, second), np.maximum(first, second)], axis=1)


def evaluate(run, attributes, boxes, scores, limit=None, iou_threshold=None, score_threshold=None):
    """A call for each image and class; a node without a limit selects nothing."""
    limit, iou, least = (0 if x is None else x.item() for x in (limit, iou_threshold, score_threshold))
    selected = []
    for image, classes in enumerate(scores):
        rows = corners(boxes[image], attributes.get("center_point_box", 0))
        for label, ranks in enumerate(classes):
            indices, count = run(
                "nms_padded",
                boxes=rows,
                scores=ranks,
                iou_threshold=iou,
                score_threshold=least,
                max_num=limit,
            )
            kept = indices[: int(count[0]) if limit > 0 else 0]
            selected += [(image, label, index) for index in kept]
    return np.array(selected, np.int64).reshape(-1, 3)
