# SPDX-License-Identifier: Apache-2.0
"""Proposals of a detector on the largest map of its pyramid, 1x256x200x304."""

import numpy as np
import torch

from ascend_vision_ops.testing.peers import import_torchvision
from benchmarks.peers import Peer, mmcv, runtimes
from benchmarks.workload import Workload

# Regions, bins along each axis, sampling_ratio, target.
CALLS = [(1000, 7, 0, 12), (1000, 7, 2, 8), (100, 14, 0, 8), (100, 14, 2, 8)]


def proposals(count, width, height, seed=0):
    """Rows (0, x1, y1, x2, y2) in pixels of the image. The logarithms of sides, from 16 to 400 pixels, are even."""
    rng = np.random.default_rng(seed)
    size = np.exp(rng.uniform(np.log(16), np.log(400), (count, 2)))
    centre = rng.uniform(0, 1, (count, 2)) * (width, height)
    low, high = np.maximum(centre - size / 2, 0), np.minimum(centre + size / 2, (width, height))
    return torch.from_numpy(np.concatenate([np.zeros((count, 1)), low, high], axis=1)).float()


def workloads():
    maps = torch.randn(1, 256, 200, 304)
    for count, bins, ratio, target in CALLS:
        rois = proposals(count, 1216, 800)
        call = {"output_height": bins, "output_width": bins, "spatial_scale": 0.25, "sampling_ratio": ratio}
        yield Workload(
            f"{count} regions, {bins}x{bins}, sampling_ratio {ratio}",
            {"input": maps, "rois": rois, **call},
            peers(maps, rois, bins, ratio),
            target,
        )


def peers(maps, rois, bins, ratio):
    given = torch.empty(len(rois), maps.shape[1], bins, bins)

    def torchvision():
        align = import_torchvision().ops.roi_align
        return lambda: align(maps, rois, bins, 0.25, ratio, True)

    def by_mmcv():
        align = mmcv.operators().roi_align
        return lambda: align(maps, rois, torch.empty_like(given), 0.25, ratio)

    feeds = {"maps": maps, "boxes": rois[:, 1:], "batches": rois[:, 0].long()}
    call = {"output_height": bins, "output_width": bins, "sampling_ratio": ratio, "spatial_scale": 0.25}
    found = runtimes.node("RoiAlign", feeds, opset=16, coordinate_transformation_mode="half_pixel", **call)
    return {"torchvision": Peer(torchvision), "mmcv": Peer(by_mmcv), **found}


def device():
    """In float32 reading bounds: the four corners of every sample come from L2 with all their channels, and most pixels
    more than once, because samples lie closer than pixels. Half types read half as much: there the vector unit bounds,
    which multiplies corners with weights in float32. Reading the pixels of a whole bin once would help float32. With
    sampling_ratio 0, large regions have as many samples as pixels.
    """
    maps, rois = torch.randn(1, 256, 200, 304), proposals(1000, 1216, 800)
    bins = {"output_height": 7, "output_width": 7, "spatial_scale": 0.25}
    yield {"input": maps, "rois": rois, **bins, "sampling_ratio": 2}, "1500 us"
    yield {"input": maps.half(), "rois": rois.half(), **bins, "sampling_ratio": 2}, "1500 us"
    yield {"input": maps, "rois": rois, **bins, "sampling_ratio": 0}, ""
