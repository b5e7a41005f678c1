# SPDX-License-Identifier: Apache-2.0
"""Proposals of a detector on the largest map of its pyramid, 1x256x200x304."""

import numpy as np
import torch

from ascend_vision_ops.testing.peers import import_torchvision
from benchmarks.peers import Peer, mmcv, runtimes
from benchmarks.workload import Workload

# Regions, bins along each axis, sampling_ratio, target.
CALLS = [(1000, 7, 0, 12), (1000, 7, 2, 8), (100, 14, 0, 8), (100, 14, 2, 8)]

# Axes of arguments that become longer together in drawn workloads.
GROWS = [[("rois", 0)], [("input", 1)], [("input", 2)], [("input", 3)]]


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
            contestants(maps, rois, **call),
            target,
        )


def contestants(
    input, rois, output_height, output_width, spatial_scale=1.0, sampling_ratio=0, mode="avg", aligned=True
):
    bins = (output_height, output_width)

    def torchvision():
        align = import_torchvision().ops.roi_align
        return lambda: align(input, rois, bins, spatial_scale, sampling_ratio, aligned)

    def by_mmcv():
        align, shape = mmcv.operators().roi_align, (len(rois), input.shape[1], *bins)
        return lambda: align(input, rois, torch.empty(shape), spatial_scale, sampling_ratio)

    found = {"torchvision": Peer(torchvision)} if mode == "avg" else {}
    if mode == "avg" and aligned and input.dtype == torch.float32:
        found["mmcv"] = Peer(by_mmcv)
    if mode == "max":
        return found
    feeds = {"maps": input, "boxes": rois[:, 1:], "batches": rois[:, 0].long()}
    call = {"output_height": output_height, "output_width": output_width, "sampling_ratio": sampling_ratio}
    call |= {"spatial_scale": spatial_scale, "mode": mode.removeprefix("onnx_")}
    where = "half_pixel" if aligned else "output_half_pixel"
    return found | runtimes.node("RoiAlign", feeds, opset=16, coordinate_transformation_mode=where, **call)


def device():
    """Weights along y and along x are summed beforehand, for each bin and each row or column that its samples touch. A
    mean is then a sum of rows of pixels and a sum of columns of this sum, and pixels are read once for all samples that
    touch them. Up to eight rows of bins take a column of sums with one instruction, eight channels of each in a repeat.
    An instruction takes 22 cycles to start. It now has 32 repeats for one start; an instruction for each bin had four.
    In float32 reading bounds: rows of pixels come from L2, 14 cycles for the 256 channels of a pixel, and a fifth of
    the time goes to a copy of the map with the channels of a pixel side by side; all cores wait for it. In half types
    the vector unit bounds: pixels are widened to float32, eight cycles for each, and rows are then added as in float32.
    Products on the cube unit would take fewer instructions, but would need weights in two parts for half types. With
    sampling_ratio 0, large regions have as many samples as pixels, and each pixel is still read once.
    """
    maps, rois = torch.randn(1, 256, 200, 304), proposals(1000, 1216, 800)
    bins = {"output_height": 7, "output_width": 7, "spatial_scale": 0.25}
    yield {"input": maps, "rois": rois, **bins, "sampling_ratio": 2}, "1500 us"
    yield {"input": maps.half(), "rois": rois.half(), **bins, "sampling_ratio": 2}, "1500 us"
    yield {"input": maps, "rois": rois, **bins, "sampling_ratio": 0}, ""
