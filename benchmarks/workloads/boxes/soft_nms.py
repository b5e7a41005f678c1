# SPDX-License-Identifier: Apache-2.0
"""Boxes of a detector around its objects: 1000, as many as mmdetection keeps before, and 5000."""

import numpy as np
import torch

from benchmarks.peers import Peer, mmcv, opencv, runtimes
from benchmarks.workload import Workload
from benchmarks.workloads.boxes.nms_padded import detections

METHODS = {1: "linear", 2: "gaussian"}
THRESHOLD = 0.3001  # no IoU equals this: OpenCV does not decay a score where the IoU equals the threshold
SIGMA, LEAST = 0.5, 1e-3
TARGETS = {(1000, 1): 14, (5000, 1): 14, (1000, 2): 4.5, (5000, 2): 4}


def workloads():
    for count in (1000, 5000):
        boxes, scores = detections(count)
        # Corners are whole numbers, since OpenCV takes no others.
        call = (boxes.round(), scores)
        for method, name in METHODS.items():
            arguments = dict(zip(("boxes", "scores"), call, strict=True))
            arguments |= {"iou_threshold": THRESHOLD, "method": method}
            yield Workload(
                f"{count} {name}", arguments, peers(*call, method), TARGETS[count, method], limit=""
            )


def peers(boxes, scores, method):
    def picked(indices, decayed):
        indices, decayed = (torch.as_tensor(values).flatten() for values in (indices, decayed))
        return torch.cat([boxes[indices.long()], decayed[:, None]], dim=1), indices.long()

    def by_mmcv():
        decay = mmcv.operators().softnms

        def call():
            rows = torch.empty(len(boxes), 5)
            kept = decay(boxes, scores, rows, THRESHOLD, SIGMA, LEAST, method)
            return rows[: len(kept)], kept

        return call

    def by_opencv():
        decay, corners = opencv.module().dnn.softNMSBoxes, boxes.int().numpy()
        rows = np.concatenate([corners[:, :2], corners[:, 2:] - corners[:, :2]], axis=1)
        return lambda: decay(rows, scores.numpy(), LEAST, THRESHOLD, 0, SIGMA, method)

    found = {
        "mmcv": Peer(by_mmcv),
        "opencv": Peer(by_opencv, lambda results: picked(results[1], np.asarray(results[0]))),
    }
    return found | {"openvino": openvino(boxes, scores, picked)} if method == 2 else found


def openvino(boxes, scores, picked):
    """OpenVINO's suppression. With its sigma a score decays by exp(-IoU² / (2 sigma)), so it gets half of ours."""
    feeds = {"boxes": boxes[None], "scores": scores[None, None]}

    def model():
        import openvino as ov
        from openvino import opset9

        inputs = [opset9.parameter(list(tensor.shape), np.float32) for tensor in feeds.values()]
        numbers = [np.int64(len(boxes)), *map(np.float32, (1.0, LEAST, SIGMA / 2))]
        kept = opset9.non_max_suppression(*inputs, *map(opset9.constant, numbers), "corner", True)
        return ov.Model(kept.outputs(), inputs)

    peer = runtimes.openvino(model, feeds)

    def read(request, rest=peer.read):
        indices, decayed, _ = rest(request)
        kept = indices[:, 0] >= 0
        return picked(indices[kept, 2], decayed[kept, 2])

    peer.read = read
    return peer
