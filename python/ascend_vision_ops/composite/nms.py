# SPDX-License-Identifier: Apache-2.0
"""Non-maximum suppression: the padded indices without their padding, and the boxes that they name."""


def nms(face, boxes, scores, iou_threshold, *, offset=0, score_threshold=0.0, max_num=-1):
    indices, count = face.ops.nms_padded(
        boxes, scores, iou_threshold, offset=offset, score_threshold=score_threshold, max_num=max_num
    )
    kept = face.valid(indices, count)
    return face.xp.concatenate([boxes[kept], scores[kept][:, None]], 1), kept
