# SPDX-License-Identifier: Apache-2.0
"""Non-maximum suppression: the padded indices without their padding."""


def nms_indices(face, boxes, scores, iou_threshold):
    indices, count = face.ops.nms_padded(boxes, scores, iou_threshold)
    return face.valid(indices, count)
