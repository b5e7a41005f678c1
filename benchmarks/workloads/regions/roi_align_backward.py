# SPDX-License-Identifier: Apache-2.0
"""Gradients of the proposals that roi_align pools."""

import torch

from ascend_vision_ops.testing.peers import import_torchvision
from benchmarks.peers import autograd
from benchmarks.workload import Workload
from benchmarks.workloads.regions.roi_align import proposals

SHAPE = [1, 256, 200, 304]


def workloads():
    rois = proposals(100, 1216, 800)
    for ratio in (0, 2):
        call = {"output_height": 14, "output_width": 14, "spatial_scale": 0.25, "sampling_ratio": ratio}
        gradient = torch.randn(len(rois), SHAPE[1], 14, 14)

        def forward(maps, ratio=ratio):
            return import_torchvision().ops.roi_align(maps, rois, 14, 0.25, ratio, True)

        peers = {"torchvision": autograd.backward(forward, gradient, torch.randn(SHAPE))}
        arguments = {"grad_output": gradient, "rois": rois, "input_size": SHAPE, **call}
        yield Workload(f"{len(rois)} regions, 14x14, sampling_ratio {ratio}", arguments, peers)


def device():
    """A core owns bands of the map and goes through all regions that touch them, so that sums have a fixed order. The
    gradients of a row of bins are spread over the rows of a band first, by weights that are summed beforehand, and then
    over its columns: an instruction takes one column of all rows, eight channels of each in a repeat. An instruction
    takes 22 cycles to start. It now has 16 repeats for one start; an instruction for each bin and column had four. V
    bounds, for 57 % of the time. A band has six rows and 32 columns of 128 channels; eight rows, which would fill a
    repeat, do not fit beside the planes that are on their way to memory. The rest of the time goes to loads of
    gradients that nothing hides where few rows of bins touch a band, and to the starts of bands, where the scalar unit
    waits for the list of regions.
    """
    call = {"output_height": 7, "output_width": 7, "spatial_scale": 0.25, "sampling_ratio": 2}
    gradient, rois = torch.randn(512, 256, 7, 7), proposals(512, 1216, 800)
    yield {"grad_output": gradient, "rois": rois, "input_size": SHAPE, **call}, ""
