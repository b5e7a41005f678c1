# SPDX-License-Identifier: Apache-2.0
"""Non-maximum suppression of rotated boxes: the padded rows without their padding."""


def nms_rotated(face, boxes, scores, iou_threshold, score_threshold):
    selected, count = face.ops.nms_rotated_padded(boxes, scores, iou_threshold, score_threshold)
    return face.valid(selected, count)
