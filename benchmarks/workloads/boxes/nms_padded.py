# SPDX-License-Identifier: Apache-2.0
"""Boxes of a detector around its objects, before and after a first selection by score; and two extreme layouts."""

import numpy as np
import torch

from ascend_vision_ops.testing.peers import import_torchvision
from benchmarks.peers import Peer, mmcv, opencv, runtimes
from benchmarks.workload import Workload

THRESHOLD = 0.5
TARGETS = {1000: 1.5, 5000: 2.5, 20_000: 6, 100_000: 12}

# Axes of arguments that become longer together in drawn workloads.
GROWS = [[("boxes", 0), ("scores", 0)]]
ELEMENTS = (13, 17)  # peers compare all pairs, which takes seconds for more boxes


def detections(count, seed=0):
    """Boxes and scores: about twelve proposals for each object of an image of 1333 x 800 pixels; all scores differ.

    Sides of objects have a log-normal distribution around 70 pixels; the deviation is a factor of 2.5. The further a
    proposal is from its object, the lower is its score.
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
    # Scores are made of ranks, since peers do not agree which of two equal scores comes first.
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
    """Boxes that do not overlap: all of them are kept."""
    x, y = torch.arange(count) % 100 * 4.0, torch.arange(count) // 100 * 4.0
    scores = torch.rand(count, generator=torch.Generator().manual_seed(0))
    return torch.stack([x, y, x + 3, y + 3], 1), scores


def heap(count):
    """Boxes around one point, with sides of 2 to 1000 pixels: all overlap, but many by so little that they are kept."""
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
    return Workload(name, arguments, contestants(**arguments), target, limit="")


def contestants(boxes, scores, iou_threshold, **others):
    if others:  # peers have no padding, classes or offset, or other ones
        return {}

    def padded(kept):
        kept = torch.as_tensor(kept).flatten().long()
        return torch.nn.functional.pad(kept, (0, len(boxes) - len(kept)), value=-1), torch.tensor([len(kept)])

    def torchvision():
        suppress = import_torchvision().ops.nms
        return lambda: suppress(boxes, scores, iou_threshold)

    def by_mmcv():
        suppress = mmcv.operators().nms
        return lambda: suppress(boxes, scores, iou_threshold)

    def by_opencv():
        suppress = opencv.module().dnn.NMSBoxes
        rows = torch.cat([boxes[:, :2], boxes[:, 2:] - boxes[:, :2]], 1).double().numpy()
        return lambda: suppress(rows, scores.numpy(), 0.0, iou_threshold)

    feeds = {"boxes": boxes[None], "scores": scores[None, None]}
    constants = {"most": torch.tensor([len(boxes)]), "threshold": torch.tensor([iou_threshold])}
    found = runtimes.node("NonMaxSuppression", feeds, constants, opset=11)
    for peer in found.values():
        # Rows are image, class and box. OpenVINO fills the rows behind the last box with -1.
        peer.read = lambda results, read=peer.read: padded((rows := read(results)[0])[rows[:, 0] >= 0][:, 2])
    found |= {"torchvision": Peer(torchvision, padded), "mmcv": Peer(by_mmcv, padded)}
    # OpenCV takes widths and heights, which are rounded otherwise: of many boxes it keeps some others.
    return found if len(boxes) > 5000 else found | {"opencv": Peer(by_opencv, padded)}


def device():
    """Up to 4096 boxes are decided in steps. Each core compares the pairs of its piece; cores guess which boxes are
    kept and mend the guess in some steps, for each of which they meet once. More than 2560 boxes are decided in two
    stages: the worse half is compared with what the better half keeps, and then what is left of it with itself. Of
    11 us for 1000 boxes, launch and start take 4, sorting 2, pairs 2 and the steps the rest. Still more boxes are
    decided in bands. Where all of them are kept, the vector unit is the bound: 64 pairs take 12 cycles, and 11 with a
    threshold of 1/2, which needs no quotient. Hardly an operand waits for a bank, as the boxes that are compared lie
    in different bank groups, and quotients in another bank than their bits; only the last rows of large tiles wait in
    one of eleven instructions. In clusters few pairs are left. There the bands of 1024 boxes count: cores meet three
    times for each band. One core walks through its bits; the others meanwhile compare the next band with the boxes
    that were kept before. Larger bands would need fewer meetings, but would compare more pairs of which one box is
    suppressed already. Where few of many boxes are wanted, only the best of them are merged and fetched, 2048 for 300;
    sorting the chunks then takes nearly half of the time.
    """
    yield {**named(clusters(1000)), "iou_threshold": THRESHOLD}, ""
    yield {**named(clusters(4096, 100)), "iou_threshold": THRESHOLD}, "", "crowded"
    yield {**named(clusters(10_000)), "iou_threshold": THRESHOLD}, "2000 us"
    half = {name: value.half() for name, value in named(clusters(10_000)).items()}
    yield {**half, "iou_threshold": THRESHOLD}, "2000 us"
    yield {**named(grid(10_000)), "iou_threshold": THRESHOLD}, "2000 us"
    yield {**named(clusters(100_000)), "iou_threshold": THRESHOLD, "max_output": 300}, ""


def named(call):
    return dict(zip(("boxes", "scores"), call, strict=True))
