# SPDX-License-Identifier: Apache-2.0
"""Non-maximum suppression within classes: the padded indices without their padding."""


def batched_nms(face, boxes, scores, idxs, iou_threshold):
    indices, count = face.ops.nms_padded(boxes, scores, iou_threshold, idxs=idxs)
    return face.valid(indices, count)
