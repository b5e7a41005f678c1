# SPDX-License-Identifier: Apache-2.0
"""Boxes of a detector around its objects, before and after a first selection by score; and layouts that are no such."""

import numpy as np
import torch

from ascend_vision_ops.testing.peers import import_torchvision
from benchmarks.peers import Peer, mmcv, opencv, runtimes
from benchmarks.workload import Workload

THRESHOLD = 0.5
TARGETS = {1000: 1.5, 5000: 2.5, 20_000: 6, 100_000: 12}


def detections(count, seed=0):
    """Boxes and scores, all different: about twelve proposals for each object of an image of 1333 x 800 pixels.

    Sides are 70 pixels, times or over 2.5 as a deviation. The further a proposal is off, the lower it scores.
    """
    rng = np.random.default_rng(seed)
    objects = max(1, count // 12)
    side, centre = (
        np.exp(rng.normal(np.log(70), 0.9, (objects, 2))),
        rng.uniform(0, (1333, 800), (objects, 2)),
    )
    side = side.clip(8, 600)
    which, error = rng.integers(0, objects, count), np.abs(rng.normal(0, 0.12, (count, 1)))
    middle = centre[which] + rng.normal(0, 1, (count, 2)) * error * side[which]
    half = side[which] * np.exp(rng.normal(0, 1, (count, 2)) * error) / 2
    boxes = np.concatenate([middle - half, middle + half], 1).clip(0, [1333, 800, 1333, 800])
    score = 4 * error[:, 0] + rng.normal(0, 0.7, count)
    # Ranks: which of two equal scores comes first is not the same for all peers.
    rank = score.argsort().argsort()
    return torch.from_numpy(boxes).float(), torch.from_numpy(1 - (rank + 0.5) / count).float()


def clusters(count, size=20):
    """Boxes of 40 to 120 pixels, about `size` of them around each of their centres in a large image."""
    generator = torch.Generator().manual_seed(count)
    centres = 4000 * torch.rand(count // size, 2, generator=generator)
    middle = centres[torch.randint(count // size, (count,), generator=generator)]
    middle = middle + 6 * torch.randn(count, 2, generator=generator)
    half = 20 + 40 * torch.rand(count, 2, generator=generator)
    return torch.cat([middle - half, middle + half], 1), torch.rand(count, generator=generator)


def grid(count):
    """Boxes of which none overlaps another: all are kept."""
    x, y = torch.arange(count) % 100 * 4.0, torch.arange(count) // 100 * 4.0
    return torch.stack([x, y, x + 3, y + 3], 1), torch.rand(count)


def heap(count):
    """Boxes about one point, of sides from 2 to 1000 pixels: all overlap, few enough to keep many."""
    generator = torch.Generator().manual_seed(count)
    half = 10 ** (2.7 * torch.rand(count, 2, generator=generator))
    scores = (torch.randperm(count, generator=generator) + 0.5) / count
    return torch.cat([500 - half, 500 + half], 1), scores


def workloads():
    for count, target in TARGETS.items():
        yield workload(f"{count} about objects", detections(count), target)
    yield workload("5000 in one heap", heap(5000), 1)
    boxes, _ = grid(5000)
    yield workload("5000 apart", (boxes, (torch.randperm(5000) + 0.5) / 5000), 1)


def workload(name, call, target):
    arguments = {**named(call), "iou_threshold": THRESHOLD}
    return Workload(name, arguments, peers(*call), target, limit="")


def peers(boxes, scores):
    def padded(kept):
        kept = torch.as_tensor(kept).flatten().long()
        return torch.nn.functional.pad(kept, (0, len(boxes) - len(kept)), value=-1), torch.tensor([len(kept)])

    def torchvision():
        suppress = import_torchvision().ops.nms
        return lambda: suppress(boxes, scores, THRESHOLD)

    def by_mmcv():
        suppress = mmcv.operators().nms
        return lambda: suppress(boxes, scores, THRESHOLD)

    def by_opencv():
        suppress = opencv.module().dnn.NMSBoxes
        rows = torch.cat([boxes[:, :2], boxes[:, 2:] - boxes[:, :2]], 1).double().numpy()
        return lambda: suppress(rows, scores.numpy(), 0.0, THRESHOLD)

    feeds = {"boxes": boxes[None], "scores": scores[None, None]}
    constants = {"most": torch.tensor([len(boxes)]), "threshold": torch.tensor([THRESHOLD])}
    found = runtimes.node("NonMaxSuppression", feeds, constants, opset=11)
    for peer in found.values():
        # Rows of image, class and box; OpenVINO's are as many as there could be, and -1 behind the last.
        peer.read = lambda results, read=peer.read: padded((rows := read(results)[0])[rows[:, 0] >= 0][:, 2])
    found |= {"torchvision": Peer(torchvision, padded), "mmcv": Peer(by_mmcv, padded)}
    # OpenCV intersects rectangles by width and height, and keeps others of many.
    return found if len(boxes) > 5000 else found | {"opencv": Peer(by_opencv, padded)}


def device():
    """The vector unit bounds where all boxes are kept: 12 instructions for 64 pairs, of which five take half as
    long again since two operands meet in a bank. In clusters few pairs are left, and what counts are the bands of 1024
    boxes, each with three points where all cores meet; and one core, which walks through the bits of a band while
    the others wait. Larger bands would meet less often, and compare more pairs of which one is suppressed already.
    Of many boxes few of which are wanted, gathering them one by one takes most of the time.
    """
    yield {**named(clusters(1000)), "iou_threshold": THRESHOLD}, ""
    yield {**named(clusters(10_000)), "iou_threshold": THRESHOLD}, "2000 us"
    half = {name: value.half() for name, value in named(clusters(10_000)).items()}
    yield {**half, "iou_threshold": THRESHOLD}, "2000 us"
    yield {**named(grid(10_000)), "iou_threshold": THRESHOLD}, "2000 us"
    yield {**named(clusters(100_000)), "iou_threshold": THRESHOLD, "max_output": 300}, ""


def named(call):
    return dict(zip(("boxes", "scores"), call, strict=True))
