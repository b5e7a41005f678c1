# SPDX-License-Identifier: Apache-2.0
"""Who suppresses whom: the padded rows without their padding."""


def nms_match(face, boxes, scores, iou_threshold, score_threshold):
    matches, count = face.ops.nms_match_padded(boxes, scores, iou_threshold, score_threshold)
    return face.valid(matches, count)
