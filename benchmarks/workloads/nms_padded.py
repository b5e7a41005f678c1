# SPDX-License-Identifier: Apache-2.0
"""Boxes of a detector in clusters of about twenty, before and after a first selection by score."""

import torch

from ascend_vision_ops.testing.boxes import nms_session
from ascend_vision_ops.testing.peers import import_torchvision

THRESHOLD = 0.5


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


def workloads():
    for count in (10, 1000, 5000, 20_000):
        boxes, scores = clusters(count, min(count, 20))
        call = (boxes, scores)
        peers = {
            "onnxruntime": lambda call=call: onnxruntime(*call),
            "torchvision": lambda call=call: torchvision(*call),
        }
        yield f"{count} in clusters", {"boxes": boxes, "scores": scores, "iou_threshold": THRESHOLD}, peers


def padded(kept, count):
    return torch.nn.functional.pad(kept, (0, count - len(kept)), value=-1), torch.tensor([len(kept)])


def torchvision(boxes, scores):
    return padded(import_torchvision().ops.nms(boxes, scores, THRESHOLD), len(boxes))


def onnxruntime(boxes, scores):
    feeds = {"boxes": boxes[None], "scores": scores[None, None]}
    feeds |= {"most": torch.tensor([len(boxes)]), "threshold": torch.tensor([THRESHOLD])}
    kept = nms_session().run(None, {name: value.numpy() for name, value in feeds.items()})[0]
    return padded(torch.from_numpy(kept[:, 2].copy()), len(boxes))


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
