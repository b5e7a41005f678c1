# SPDX-License-Identifier: Apache-2.0
"""Soft non-maximum suppression: the padded results without the rows that hold no box."""


def soft_nms(face, boxes, scores, iou_threshold=0.3, sigma=0.5, min_score=1e-3, method=1, offset=0):
    dets, indices, count = face.ops.soft_nms_padded(
        boxes, scores, iou_threshold, sigma, min_score, method, offset
    )
    return face.valid(dets, count), face.valid(indices, count)
