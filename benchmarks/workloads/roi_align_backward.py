# SPDX-License-Identifier: Apache-2.0
"""Gradients of the proposals that roi_align pools."""

import torch

from benchmarks.workloads.roi_align import proposals


def device():
    """Cores own bands of the map and look at every region that reaches into theirs, so that sums are in one order. V
    bounds: some forty short instructions locate the samples of a region, for each band that it touches again, and
    each sample is added to four pixels, for all channels. Samples of a bin in one row or column share pixels; weights
    summed beforehand would take fewer additions.
    """
    call = {"output_height": 7, "output_width": 7, "spatial_scale": 0.25, "sampling_ratio": 2}
    gradient, rois = torch.randn(512, 256, 7, 7), proposals(512, 1216, 800)
    yield {"grad_output": gradient, "rois": rois, "input_size": [1, 256, 200, 304], **call}, ""
