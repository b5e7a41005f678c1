# SPDX-License-Identifier: Apache-2.0
"""Gradients of the proposals that roi_align pools."""

import torch

from benchmarks.workloads.roi_align import proposals


def device():
    """Cores own bands of the map and look at every region that reaches into theirs, so that sums are in one
    order. Every sample is added to four pixels, for all channels; the gradient of a bin is read once for each
    band that it touches.
    """
    call = {"output_height": 7, "output_width": 7, "spatial_scale": 0.25, "sampling_ratio": 2}
    gradient, rois = torch.randn(512, 256, 7, 7), proposals(512, 1216, 800)
    yield {"grad_output": gradient, "rois": rois, "input_size": [1, 256, 200, 304], **call}, ""
